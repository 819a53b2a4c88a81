/* A face of the cube as the content of an object. */
#include "contents.hpp"

namespace bench {
namespace {

/* A face as Boost.Serialization sees it: its doubles, row by row or one by one. */
class Face {
  public:
    Face(double *first, std::int64_t edge, int direction)
        : first_(first), edge_(edge), direction_(direction) {}

    template <class Archive> void serialize(Archive &archive, unsigned) {
        using boost::serialization::make_array;
        switch (direction_) {
        case POLYMPI_CONTIGUOUS:
            archive &make_array(first_, static_cast<std::size_t>(edge_ * edge_));
            break;
        case POLYMPI_ROWS:
            for (std::int64_t i = 0; i < edge_; i++)
                archive &make_array(first_ + i * edge_ * edge_, static_cast<std::size_t>(edge_));
            break;
        default:
            for (std::int64_t i = 0; i < edge_ * edge_; i++)
                archive &first_[i * edge_];
        }
    }

  private:
    double *first_;
    std::int64_t edge_;
    int direction_;
};

} // namespace

polympi_callbacks faces(const mpi::communicator &world, const polympi_case &c,
                        const polympi_buffers &buffers) {
    return contents(world, buffers.rank, Face(static_cast<double *>(buffers.outgoing), buffers.edge, c.face),
                    Face(static_cast<double *>(buffers.incoming), buffers.edge, c.face));
}

} // namespace bench
