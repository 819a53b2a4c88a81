/* The binding boost-serialized: types of the user that have a function `serialize`, and nothing else. */
#include "user_types.hpp"

#include "of_type.hpp"

namespace bench {

void from_slot(SerializedRecord &record, void *slot, const polympi_buffers &) {
    const auto &given = *static_cast<const polympi_record *>(slot);
    record.integer = given.integer;
    record.real = given.real;
    record.text.assign(given.text, sizeof given.text);
}

void to_slot(const SerializedRecord &record, void *slot, const polympi_buffers &) {
    auto &shown = *static_cast<polympi_record *>(slot);
    shown.integer = record.integer;
    shown.real = record.real;
    show_row(record.text, shown.text, sizeof shown.text);
}

void from_slot(SerializedBytes &bytes, void *slot, const polympi_buffers &buffers) {
    bytes.values.assign(static_cast<const char *>(slot), static_cast<std::size_t>(buffers.count));
}

void to_slot(const SerializedBytes &bytes, void *slot, const polympi_buffers &buffers) {
    show_row(bytes.values, slot, buffers.count);
}

void from_slot(SerializedArray &array, void *slot, const polympi_buffers &buffers) {
    from_slot(array.values, slot, buffers);
}

void to_slot(const SerializedArray &array, void *slot, const polympi_buffers &buffers) {
    to_slot(array.values, slot, buffers);
}

struct SumOfArrays {
    SerializedArray operator()(const SerializedArray &one, const SerializedArray &other) const {
        return SerializedArray{Sum()(one.values, other.values)};
    }
};

polympi_callbacks serialized(const mpi::communicator &world, const polympi_case &c,
                             const polympi_buffers &buffers) {
    switch (c.payload) {
    case POLYMPI_BYTES:
        return of_objects<SerializedBytes>(world, c, buffers);
    case POLYMPI_DICT:
        return of_objects<SerializedRecord>(world, c, buffers);
    default:
        return is_reduction(c) ? reductions_of_objects<SerializedArray>(world, c, buffers, SumOfArrays())
                               : of_objects<SerializedArray>(world, c, buffers);
    }
}

} // namespace bench
