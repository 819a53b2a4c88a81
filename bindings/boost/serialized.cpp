/* The binding boost-serialized: user-defined types that have a function `serialize`, and nothing else. */
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

template <class Values>
void from_slot(Serialized<Values> &object, void *slot, const polympi_buffers &buffers) {
    from_slot(object.values, slot, buffers);
}

template <class Values>
void to_slot(const Serialized<Values> &object, void *slot, const polympi_buffers &buffers) {
    to_slot(object.values, slot, buffers);
}

void from_slot(SerializedMap &map, void *slot, const polympi_buffers &buffers) {
    const auto *entries = static_cast<const polympi_entry *>(slot);
    for (std::int64_t i = 0; i < buffers.count; i++)
        map.values.emplace(std::string(entries[i].key, sizeof entries[i].key), entries[i].value);
}

/* Its keys are numbered in order. */
void to_slot(const SerializedMap &map, void *slot, const polympi_buffers &buffers) {
    auto *entry = static_cast<polympi_entry *>(slot);
    if (static_cast<std::int64_t>(map.values.size()) != buffers.count)
        return;
    for (const auto &[key, value] : map.values) {
        show_row(key, entry->key, sizeof entry->key);
        entry++->value = value;
    }
}

void from_slot(SerializedNested &nested, void *slot, const polympi_buffers &) {
    const auto &given = *static_cast<const polympi_nested *>(slot);
    nested.name.assign(given.name, sizeof given.name);
    nested.integer = given.integer;
    for (const auto &row : given.rows)
        nested.rows.emplace_back(row, row + POLYMPI_NESTED_ROWS);
}

void to_slot(const SerializedNested &nested, void *slot, const polympi_buffers &) {
    auto &shown = *static_cast<polympi_nested *>(slot);
    show_row(nested.name, shown.name, sizeof shown.name);
    shown.integer = nested.integer;
    for (std::size_t i = 0; i < nested.rows.size() && i < POLYMPI_NESTED_ROWS; i++)
        show_row(nested.rows[i], shown.rows[i], POLYMPI_NESTED_ROWS);
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
    case POLYMPI_STRING:
        return pairs_of_objects<SerializedBytes>(world, c, buffers);
    case POLYMPI_LIST:
        return pairs_of_objects<SerializedList>(world, c, buffers);
    case POLYMPI_MAP:
        return pairs_of_objects<SerializedMap>(world, c, buffers);
    case POLYMPI_NESTED:
        return pairs_of_objects<SerializedNested>(world, c, buffers);
    case POLYMPI_INSTANCE:
    case POLYMPI_DICT:
        return of_objects<SerializedRecord>(world, c, buffers);
    default:
        return is_reduction(c) ? reductions_of_objects<SerializedArray>(world, c, buffers, SumOfArrays())
                               : of_objects<SerializedArray>(world, c, buffers);
    }
}

} // namespace bench
