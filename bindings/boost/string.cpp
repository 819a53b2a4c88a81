/* The binding boost-string: bytes as a std::string, whose receiver does not know how long it is. */
#include "of_type.hpp"

namespace bench {

polympi_callbacks string(const mpi::communicator &world, const polympi_case &c,
                         const polympi_buffers &buffers) {
    return of_objects<std::string>(world, c, buffers);
}

} // namespace bench
