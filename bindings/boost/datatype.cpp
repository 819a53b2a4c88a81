/* The binding boost-datatype: user-defined types that are declared to be MPI datatypes. */
#include "user_types.hpp"

#include "of_type.hpp"

namespace bench {

static_assert(sizeof(Byte) == 1 && sizeof(Record) == sizeof(polympi_record) &&
              sizeof(Nested) == sizeof(polympi_nested));

polympi_callbacks datatype(const mpi::communicator &world, const polympi_case &c,
                           const polympi_buffers &buffers) {
    if (c.benchmark == POLYMPI_FACES)
        return faces(world, c, buffers);
    switch (c.payload) {
    case POLYMPI_FLOAT64:
        return layouts(world, c, buffers);
    case POLYMPI_DICT:
    case POLYMPI_INSTANCE:
        return of_objects<Record>(world, c, buffers);
    case POLYMPI_NESTED:
        return pairs_of_objects<Nested>(world, c, buffers);
    default:
        return of_elements<Byte>(world, c, buffers);
    }
}

} // namespace bench
