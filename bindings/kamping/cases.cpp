/* The callbacks of each case. */
#include "cases.hpp"
#include "collectives.hpp"
#include "pairs.hpp"
#include "rows.hpp"

#include <cstdint>
#include <string>

namespace bench {
namespace {

bool is_reduction(const polympi_case &c) {
    return c.benchmark == POLYMPI_REDUCE || c.benchmark == POLYMPI_ALLREDUCE;
}

template <class T>
polympi_callbacks loops(const Communicator<> &world, const polympi_case &c, const polympi_buffers &buffers) {
    const Elements<T> m(world, buffers);
    if (c.kind == POLYMPI_CYCLE)
        return ring(buffers, m);
    return c.kind == POLYMPI_PAIR ? pairs(c, buffers, m) : collectives(c, buffers, m);
}

} // namespace

polympi_callbacks callbacks_of(const Communicator<> &world, const polympi_case &c,
                               const polympi_buffers &buffers) {
    switch (c.payload) {
    case POLYMPI_NONE:
        return together(std::make_unique<Case>(), [&world] { world.barrier(); });
    case POLYMPI_BYTES:
        return loops<char>(world, c, buffers);
    case POLYMPI_FLOAT64:
    case POLYMPI_FLOAT:
        return is_reduction(c) ? reductions(c, buffers, Elements<double>(world, buffers))
                               : loops<double>(world, c, buffers);
    case POLYMPI_INT32:
        return loops<std::int32_t>(world, c, buffers);
    case POLYMPI_INT:
        return loops<std::int64_t>(world, c, buffers);
    case POLYMPI_STRING:
        return rows<std::string>(c, buffers, Peer(world, buffers));
    case POLYMPI_LIST:
        return rows<std::vector<std::int64_t>>(c, buffers, Peer(world, buffers));
    case POLYMPI_ARRAY:
        return c.kind == POLYMPI_PAIR ? rows<Vector>(c, buffers, Peer(world, buffers))
                                      : vectors_of_all(c, buffers, Elements<double>(world, buffers));
    case POLYMPI_NESTED:
        return loops<polympi_nested>(world, c, buffers);
    default:
        return loops<polympi_record>(world, c, buffers);
    }
}

} // namespace bench
