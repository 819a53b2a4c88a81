#define _DEFAULT_SOURCE
#include "datatypes.h"

#include <stddef.h>

static MPI_Datatype record_type;

void datatypes_begin(void) {
    const int lengths[3] = {1, 1, 8};
    const MPI_Aint places[3] = {offsetof(struct polympi_record, integer),
                                offsetof(struct polympi_record, real), offsetof(struct polympi_record, text)};
    MPI_Datatype types[3] = {MPI_INT64_T, MPI_DOUBLE, MPI_CHAR};
    MPI_Type_create_struct(3, lengths, places, types, &record_type);
    MPI_Type_commit(&record_type);
}

void datatypes_end(void) { MPI_Type_free(&record_type); }

MPI_Datatype payload_datatype(int32_t payload) {
    switch (payload) {
    case POLYMPI_FLOAT64:
    case POLYMPI_FLOAT:
    case POLYMPI_ARRAY:
        return MPI_DOUBLE;
    case POLYMPI_INT:
        return MPI_INT64_T;
    case POLYMPI_DICT:
        return record_type;
    default:
        return MPI_BYTE;
    }
}
