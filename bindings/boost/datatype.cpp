/* The binding boost-datatype: types of the user that are declared to be MPI datatypes. */
#include "user_types.hpp"

#include "of_type.hpp"

namespace bench {

static_assert(sizeof(Byte) == 1 && sizeof(Record) == sizeof(polympi_record));

void from_slot(Record &record, void *slot, const polympi_buffers &) {
    std::memcpy(&record, slot, sizeof record);
}

void to_slot(const Record &record, void *slot, const polympi_buffers &) {
    std::memcpy(slot, &record, sizeof record);
}

polympi_callbacks datatype(const mpi::communicator &world, const polympi_case &c,
                           const polympi_buffers &buffers) {
    if (c.benchmark == POLYMPI_FACES)
        return faces(world, c, buffers);
    return c.payload == POLYMPI_DICT ? of_objects<Record>(world, c, buffers)
                                     : of_elements<Byte>(world, c, buffers);
}

} // namespace bench
