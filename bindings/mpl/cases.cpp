/* The callbacks of each case. */
#include "cases.hpp"
#include "collectives.hpp"
#include "pairs.hpp"
#include "rows.hpp"

#include <cstdint>
#include <string>
#include <vector>

MPL_REFLECTION(polympi_record, integer, real, text)
MPL_REFLECTION(polympi_nested, name, integer, rows)

namespace bench {
namespace {

constexpr int GROUP = POLYMPI_LAYOUT_GROUP; /* elements that are sent, of each group (docs/protocol.md) */

/* The record of the layout `struct`. */
struct Particle {
    std::int64_t number;
    double mass;
    double own; /* stays */
    double place[2];
};

} // namespace
} // namespace bench

MPL_REFLECTION(bench::Particle, number, mass, place)

namespace bench {
namespace {

bool is_reduction(const polympi_case &c) {
    return c.benchmark == POLYMPI_REDUCE || c.benchmark == POLYMPI_ALLREDUCE;
}

template <class Messages>
polympi_callbacks loops(const polympi_case &c, const polympi_buffers &buffers, const Messages &m) {
    if (c.kind == POLYMPI_CYCLE)
        return ring(buffers, m);
    return c.kind == POLYMPI_PAIR ? pairs(c, buffers, m) : collectives(c, buffers, m);
}

template <class T, class Layout>
polympi_callbacks ping_pong_of(const mpl::communicator &world, const polympi_case &c,
                               const polympi_buffers &buffers, Layout layout) {
    return latency(c, buffers, Elements<T, Layout>(world, buffers, std::move(layout)));
}

mpl::subarray_layout<double> face_of(const polympi_case &c, int edge) {
    mpl::subarray_layout<double>::parameter face;
    for (int dimension = 0; dimension < 3; dimension++)
        face.add(edge, dimension == c.face ? 1 : edge, 0);
    return mpl::subarray_layout<double>(face);
}

/* Blocks of one and of three elements, with one between them, and one behind. */
mpl::indexed_layout<double> blocks_of(int groups) {
    mpl::indexed_layout<double>::parameter blocks;
    for (int i = 0; i < groups; i++) {
        const int group = i * (GROUP + 2);
        blocks.add(1, group);
        blocks.add(GROUP - 1, group + 2);
    }
    return mpl::indexed_layout<double>(blocks);
}

polympi_callbacks layouts(const mpl::communicator &world, const polympi_case &c,
                          const polympi_buffers &buffers) {
    const auto count = static_cast<int>(buffers.count);
    switch (c.layout) {
    case POLYMPI_LAYOUT_VECTOR:
        return ping_pong_of<double>(world, c, buffers, mpl::strided_vector_layout<double>(count, 1, 2));
    case POLYMPI_LAYOUT_INDEXED:
        return ping_pong_of<double>(world, c, buffers, blocks_of(count / GROUP));
    case POLYMPI_LAYOUT_STRUCT:
        return ping_pong_of<Particle>(
            world, c, buffers, mpl::contiguous_layout<Particle>(static_cast<std::size_t>(count / GROUP)));
    default:
        return latency(c, buffers, Elements<double>(world, buffers));
    }
}

} // namespace

polympi_callbacks callbacks_of(const mpl::communicator &world, const polympi_case &c,
                               const polympi_buffers &buffers) {
    if (c.benchmark == POLYMPI_FACES && c.face != POLYMPI_CONTIGUOUS)
        return ping_pong_of<double>(world, c, buffers, face_of(c, static_cast<int>(buffers.edge)));
    if (c.benchmark == POLYMPI_DATATYPE)
        return layouts(world, c, buffers);
    switch (c.payload) {
    case POLYMPI_NONE:
        return together(std::make_unique<Case>(), [&world] { world.barrier(); });
    case POLYMPI_BYTES:
        return loops(c, buffers, Elements<char>(world, buffers));
    case POLYMPI_FLOAT64:
        return is_reduction(c) ? reductions(c, buffers, Elements<double>(world, buffers))
                               : loops(c, buffers, Elements<double>(world, buffers));
    case POLYMPI_INT32:
        return loops(c, buffers, Elements<std::int32_t>(world, buffers));
    case POLYMPI_INT:
        return loops(c, buffers, Single<std::int64_t>(world, buffers));
    case POLYMPI_FLOAT:
        return reductions(c, buffers, Single<double>(world, buffers));
    case POLYMPI_STRING:
        return rows<std::string>(c, buffers, Peer(world, buffers));
    case POLYMPI_LIST:
        return rows<std::vector<std::int64_t>>(c, buffers, Peer(world, buffers));
    case POLYMPI_ARRAY:
        return rows<Vector>(c, buffers, Peer(world, buffers));
    case POLYMPI_NESTED:
        return loops(c, buffers, Single<polympi_nested>(world, buffers));
    default:
        return loops(c, buffers, Single<polympi_record>(world, buffers));
    }
}

} // namespace bench
