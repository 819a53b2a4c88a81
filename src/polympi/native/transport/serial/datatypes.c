#include "serial.h"

#include <complex.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BASIC(name, number, ctype)                                                                           \
    struct serial_type name = {                                                                              \
        .nbytes = sizeof(ctype), .extent = sizeof(ctype), .contiguous = true, .element = number}
BASIC(serial_byte, BYTES, char);
BASIC(serial_bool, BOOLEAN, bool);
BASIC(serial_int8, INT8, int8_t);
BASIC(serial_uint8, UINT8, uint8_t);
BASIC(serial_short, SHORT, short);
BASIC(serial_ushort, USHORT, unsigned short);
BASIC(serial_int, INT, int);
BASIC(serial_uint, UINT, unsigned);
BASIC(serial_long, LONG, long);
BASIC(serial_ulong, ULONG, unsigned long);
BASIC(serial_float, FLOAT, float);
BASIC(serial_double, DOUBLE, double);
BASIC(serial_long_double, LONG_DOUBLE, long double);
BASIC(serial_float_complex, FLOAT_COMPLEX, float complex);
BASIC(serial_double_complex, DOUBLE_COMPLEX, double complex);
BASIC(serial_long_double_complex, LONG_DOUBLE_COMPLEX, long double complex);

void type_keep(MPI_Datatype type) {
    if (type->of)
        __atomic_add_fetch(&type->references, 1, __ATOMIC_RELAXED);
}

void type_drop(MPI_Datatype type) {
    if (!type->of || __atomic_sub_fetch(&type->references, 1, __ATOMIC_ACQ_REL))
        return;
    type_drop(type->of);
    free(type);
}

static int make(int count, long stride, MPI_Datatype of, MPI_Datatype *made) {
    struct serial_type *type = malloc(sizeof *type);
    if (!type)
        return MPI_ERR_OTHER;
    *type = (struct serial_type){.nbytes = (size_t)count * of->nbytes,
                                 .contiguous = of->contiguous && (count == 1 || stride == (long)of->nbytes),
                                 .of = of,
                                 .count = count,
                                 .stride = stride,
                                 .references = 1};
    type->extent = count ? (size_t)(count - 1) * (size_t)stride + of->extent : 0;
    type_keep(of);
    *made = type;
    return MPI_SUCCESS;
}

int MPI_Type_contiguous(int count, MPI_Datatype of, MPI_Datatype *made) {
    return count < 0 ? MPI_ERR_COUNT : make(count, (long)of->extent, of, made);
}

int MPI_Type_create_hvector(int count, int length, long stride, MPI_Datatype of, MPI_Datatype *made) {
    MPI_Datatype run;
    if (count < 0 || length < 0)
        return MPI_ERR_COUNT;
    int code = MPI_Type_contiguous(length, of, &run);
    if (code != MPI_SUCCESS)
        return code;
    code = make(count, stride, run, made);
    type_drop(run);
    return code;
}

int MPI_Type_commit(MPI_Datatype *type) { return MPI_SUCCESS; }

int MPI_Type_free(MPI_Datatype *type) {
    type_drop(*type);
    *type = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
}

int MPI_Get_elements_x(const MPI_Status *status, MPI_Datatype type, MPI_Count *count) {
    *count = status->nbytes / (long long)type->nbytes;
    return MPI_SUCCESS;
}

int MPI_Type_size(MPI_Datatype type, int *size) {
    *size = (int)type->nbytes;
    return MPI_SUCCESS;
}

int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count) {
    long long size = (long long)type->nbytes;
    *count = size && status->nbytes % size == 0 ? (int)(status->nbytes / size) : size ? MPI_UNDEFINED : 0;
    return MPI_SUCCESS;
}

/* Move one of a type between where it lies and `*packed`, which goes on behind it; no more than `*left`. */
static void move(char *data, const struct serial_type *type, char **packed, size_t *left, bool pack) {
    if (type->contiguous) {
        size_t nbytes = type->nbytes < *left ? type->nbytes : *left;
        if (pack)
            memcpy(*packed, data, nbytes);
        else
            memcpy(data, *packed, nbytes);
        *packed += nbytes;
        *left -= nbytes;
        return;
    }
    for (int i = 0; i < type->count && *left; i++)
        move(data + i * type->stride, type->of, packed, left, pack);
}

static void move_all(char *data, int count, const struct serial_type *type, char *packed, size_t nbytes,
                     bool pack) {
    if (type->contiguous && type->extent == type->nbytes) {
        if (nbytes)
            memmove(pack ? packed : data, pack ? data : packed, nbytes);
        return;
    }
    for (int i = 0; i < count && nbytes; i++)
        move(data + (size_t)i * type->extent, type, &packed, &nbytes, pack);
}

void type_pack(const void *data, int count, const struct serial_type *type, char *to) {
    move_all((char *)data, count, type, to, (size_t)count * type->nbytes, true);
}

void type_unpack(void *data, int count, const struct serial_type *type, const char *from, size_t nbytes) {
    move_all(data, count, type, (char *)from, nbytes, false);
}
