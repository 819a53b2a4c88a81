/* A face of the cube as what Boost.MPI calls the content of an object: the places of its data in memory
   become an MPI datatype once, and the face then travels without being copied by the program. */
#include "loops.hpp"
#include "messages.hpp"

#include <boost/serialization/array_wrapper.hpp>

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

class Contents final : public Case {
  public:
    Contents(const polympi_case &c, const polympi_buffers &buffers)
        : outgoing(mpi::get_content(Face(static_cast<double *>(buffers.outgoing), buffers.edge, c.face))),
          incoming(mpi::get_content(Face(static_cast<double *>(buffers.incoming), buffers.edge, c.face))) {}

    const mpi::content outgoing;
    const mpi::content incoming;
};

} // namespace

polympi_callbacks faces(const mpi::communicator &world, const polympi_case &c,
                        const polympi_buffers &buffers) {
    auto owner = std::make_unique<Contents>(c, buffers);
    const mpi::content *outgoing = &owner->outgoing, *incoming = &owner->incoming;
    const int peer = 1 - buffers.rank;
    const auto ping = [&world, peer, outgoing, incoming] {
        world.send(peer, TAG, *outgoing);
        world.recv(peer, TAG, *incoming);
    };
    const auto pong = [&world, peer, outgoing, incoming] {
        world.recv(peer, TAG, *incoming);
        world.send(peer, TAG, *outgoing);
    };
    return pair(buffers.rank, std::move(owner), ping, pong);
}

} // namespace bench
