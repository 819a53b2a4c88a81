/* Doubles that do not lie side by side: as the content of an object, and records as elements of a type that
   is an MPI datatype. */
#include "contents.hpp"
#include "of_type.hpp"

#include <cstdint>

namespace bench {
namespace {

constexpr std::int64_t GROUP = POLYMPI_LAYOUT_GROUP; /* elements that are sent, of each group */

/* Elements of a layout as Boost.Serialization sees them. */
class Layout {
  public:
    Layout(void *first, std::int64_t elements, int layout)
        : first_(static_cast<double *>(first)), elements_(elements), layout_(layout) {}

    template <class Archive> void serialize(Archive &archive, unsigned) {
        using boost::serialization::make_array;
        switch (layout_) {
        case POLYMPI_LAYOUT_VECTOR:
            for (std::int64_t i = 0; i < elements_; i++)
                archive &first_[2 * i];
            break;
        case POLYMPI_LAYOUT_INDEXED: /* blocks of one and of three, with one between them, and one behind */
            for (double *group = first_; group < first_ + elements_ / GROUP * (GROUP + 2);
                 group += GROUP + 2) {
                archive &group[0];
                archive &make_array(group + 2, GROUP - 1);
            }
            break;
        default:
            archive &make_array(first_, static_cast<std::size_t>(elements_));
        }
    }

  private:
    double *first_;
    std::int64_t elements_;
    int layout_;
};

/* The record of the layout `struct`. */
struct Particle {
    std::int64_t number;
    double mass;
    double own; /* stays */
    double place[2];

    template <class Archive> void serialize(Archive &archive, unsigned) {
        archive &number;
        archive &mass;
        archive &place;
    }
};

} // namespace
} // namespace bench

BOOST_IS_MPI_DATATYPE(bench::Particle)

namespace bench {

polympi_callbacks layouts(const mpi::communicator &world, const polympi_case &c,
                          const polympi_buffers &buffers) {
    if (c.layout == POLYMPI_LAYOUT_STRUCT) {
        polympi_buffers records = buffers;
        records.count /= GROUP;
        return of_elements<Particle>(world, c, records);
    }
    return contents(world, buffers.rank, Layout(buffers.outgoing, buffers.count, c.layout),
                    Layout(buffers.incoming, buffers.count, c.layout));
}

} // namespace bench
