#include "serial.h"

#include <complex.h>
#include <stdint.h>
#include <stdlib.h>

struct serial_op {
    MPI_User_function *function;
};

#define COMBINE(number, ctype, expression)                                                                   \
    case number: {                                                                                           \
        const ctype *l = left;                                                                               \
        ctype *r = right;                                                                                    \
        for (int i = 0; i < *count; i++)                                                                     \
            r[i] = (ctype)(expression);                                                                      \
        break;                                                                                               \
    }

/* Sums and products wrap around: computed without sign, and in no less than int. */
#define COMBINE_INTEGERS(expression)                                                                         \
    COMBINE(BYTES, uint8_t, expression)                                                                      \
    COMBINE(BOOLEAN, uint8_t, expression)                                                                    \
    COMBINE(INT8, int8_t, expression)                                                                        \
    COMBINE(UINT8, uint8_t, expression)                                                                      \
    COMBINE(SHORT, short, expression)                                                                        \
    COMBINE(USHORT, unsigned short, expression)                                                              \
    COMBINE(INT, int, expression)                                                                            \
    COMBINE(UINT, unsigned, expression)                                                                      \
    COMBINE(LONG, long, expression)                                                                          \
    COMBINE(ULONG, unsigned long, expression)
#define COMBINE_FLOATS(expression)                                                                           \
    COMBINE(FLOAT, float, expression)                                                                        \
    COMBINE(DOUBLE, double, expression)                                                                      \
    COMBINE(LONG_DOUBLE, long double, expression)
#define COMBINE_COMPLEX(expression)                                                                          \
    COMBINE(FLOAT_COMPLEX, float complex, expression)                                                        \
    COMBINE(DOUBLE_COMPLEX, double complex, expression)                                                      \
    COMBINE(LONG_DOUBLE_COMPLEX, long double complex, expression)

#define OPERATION(name, cases)                                                                               \
    static void combine_##name(void *left, void *right, int *count, MPI_Datatype *type) {                    \
        switch ((*type)->element) { cases default : break; }                                                 \
    }                                                                                                        \
    struct serial_op serial_##name = {combine_##name};

OPERATION(sum, COMBINE_INTEGERS((unsigned long)l[i] + (unsigned long)r[i]) COMBINE_FLOATS(l[i] + r[i])
                   COMBINE_COMPLEX(l[i] + r[i]))
OPERATION(prod, COMBINE_INTEGERS((unsigned long)l[i] * (unsigned long)r[i]) COMBINE_FLOATS(l[i] * r[i])
                    COMBINE_COMPLEX(l[i] * r[i]))
OPERATION(min, COMBINE_INTEGERS(r[i] < l[i] ? r[i] : l[i]) COMBINE_FLOATS(r[i] < l[i] ? r[i] : l[i]))
OPERATION(max, COMBINE_INTEGERS(r[i] > l[i] ? r[i] : l[i]) COMBINE_FLOATS(r[i] > l[i] ? r[i] : l[i]))
OPERATION(land, COMBINE_INTEGERS(l[i] && r[i]))
OPERATION(lor, COMBINE_INTEGERS(l[i] || r[i]))
OPERATION(lxor, COMBINE_INTEGERS(!l[i] != !r[i]))
OPERATION(band, COMBINE_INTEGERS(l[i] & r[i]))
OPERATION(bor, COMBINE_INTEGERS((l[i]) | (r[i])))
OPERATION(bxor, COMBINE_INTEGERS((l[i]) ^ (r[i])))

int MPI_Op_create(MPI_User_function *function, int commutes, MPI_Op *op) {
    *op = malloc(sizeof **op);
    if (!*op)
        return MPI_ERR_OTHER;
    (*op)->function = function;
    return MPI_SUCCESS;
}

int MPI_Op_free(MPI_Op *op) {
    free(*op);
    *op = MPI_OP_NULL;
    return MPI_SUCCESS;
}

int MPI_Reduce_local(const void *left, void *right, int count, MPI_Datatype type, MPI_Op op) {
    op->function((void *)left, right, &count, &type);
    return MPI_SUCCESS;
}
