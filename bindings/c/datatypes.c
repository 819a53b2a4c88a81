#define _DEFAULT_SOURCE
#include "exchange.h"

#include <stddef.h>

/* Of `dict` and `instance`, of an entry of `map`, and of `nested`. */
static MPI_Datatype record_type, entry_type, nested_type;

static MPI_Datatype make_record(void) {
    MPI_Datatype made, types[3] = {MPI_INT64_T, MPI_DOUBLE, MPI_CHAR};
    const int lengths[3] = {1, 1, 8};
    const MPI_Aint places[3] = {offsetof(struct polympi_record, integer),
                                offsetof(struct polympi_record, real), offsetof(struct polympi_record, text)};
    MPI_Type_create_struct(3, lengths, places, types, &made);
    MPI_Type_commit(&made);
    return made;
}

static MPI_Datatype make_entry(void) {
    MPI_Datatype made, types[2] = {MPI_CHAR, MPI_DOUBLE};
    const int lengths[2] = {8, 1};
    const MPI_Aint places[2] = {offsetof(struct polympi_entry, key), offsetof(struct polympi_entry, value)};
    MPI_Type_create_struct(2, lengths, places, types, &made);
    MPI_Type_commit(&made);
    return made;
}

static MPI_Datatype make_nested(void) {
    MPI_Datatype made, types[3] = {MPI_CHAR, MPI_INT64_T, MPI_DOUBLE};
    const int lengths[3] = {8, 1, POLYMPI_NESTED_ROWS * POLYMPI_NESTED_ROWS};
    const MPI_Aint places[3] = {offsetof(struct polympi_nested, name),
                                offsetof(struct polympi_nested, integer),
                                offsetof(struct polympi_nested, rows)};
    MPI_Type_create_struct(3, lengths, places, types, &made);
    MPI_Type_commit(&made);
    return made;
}

void datatypes_begin(void) {
    record_type = make_record();
    entry_type = make_entry();
    nested_type = make_nested();
}

void datatypes_end(void) {
    MPI_Type_free(&record_type);
    MPI_Type_free(&entry_type);
    MPI_Type_free(&nested_type);
}

MPI_Datatype payload_datatype(int32_t payload) {
    switch (payload) {
    case POLYMPI_FLOAT64:
    case POLYMPI_FLOAT:
    case POLYMPI_ARRAY:
        return MPI_DOUBLE;
    case POLYMPI_INT32:
        return MPI_INT32_T;
    case POLYMPI_INT:
    case POLYMPI_LIST:
        return MPI_INT64_T;
    case POLYMPI_DICT:
    case POLYMPI_INSTANCE:
        return record_type;
    case POLYMPI_STRING:
        return MPI_CHAR;
    case POLYMPI_MAP:
        return entry_type;
    case POLYMPI_NESTED:
        return nested_type;
    default:
        return MPI_BYTE;
    }
}
