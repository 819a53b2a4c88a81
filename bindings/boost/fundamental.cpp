/* The binding boost: char, double and std::int64_t, and a std::vector of doubles. */
#include "of_type.hpp"

#include <cstdint>
#include <functional>

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
