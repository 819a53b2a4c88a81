/* The binding boost: char, double and integers, a std::vector of doubles or integers, a std::string. */
#include "of_type.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bench {

polympi_callbacks fundamental(const mpi::communicator &world, const polympi_case &c,
                              const polympi_buffers &buffers) {
    switch (c.payload) {
    case POLYMPI_NONE:
        return together(std::make_unique<Case>(), [&world] { world.barrier(); });
    case POLYMPI_BYTES:
        return of_elements<char>(world, c, buffers);
    case POLYMPI_FLOAT64:
        return is_reduction(c) ? reductions(c, buffers, Elements<double>(world, buffers))
                               : of_elements<double>(world, c, buffers);
    case POLYMPI_INT32:
        return of_elements<std::int32_t>(world, c, buffers);
    case POLYMPI_STRING:
        return pairs_of_objects<std::string>(world, c, buffers);
    case POLYMPI_LIST:
        return pairs_of_objects<std::vector<std::int64_t>>(world, c, buffers);
    case POLYMPI_INT:
        return of_objects<std::int64_t>(world, c, buffers);
    case POLYMPI_FLOAT:
        return reductions_of_objects<double>(world, c, buffers, std::plus<double>());
    default:
        return is_reduction(c) ? reductions_of_objects<Vector>(world, c, buffers, Sum())
                               : of_objects<Vector>(world, c, buffers);
    }
}

} // namespace bench
