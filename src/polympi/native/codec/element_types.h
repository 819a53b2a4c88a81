/* The types of elements that the core knows, in one table: NumPy's numbers and booleans in native byte order.
 *
 * Numbers are NumPy's (stable since 1.0), on the wire, too; known here so that array.array needs no NumPy.
 * Each user of the table takes the columns it needs: NumPy's and MPI's names mean something only where their
 * headers are included.
 */
#pragma once

#include <stdbool.h>

/* clang-format off */
/*    name         number  C                    kind      NumPy             MPI                        dtype          struct */
#define ELEMENT_TYPES(X)                                                                                     \
    X(BOOL,             0, bool,                TRUTH,    NPY_BOOL,         MPI_C_BOOL,                "bool",        '?') \
    X(INT8,             1, signed char,         WHOLE,    NPY_BYTE,         MPI_INT8_T,                "int8",        'b') \
    X(UINT8,            2, unsigned char,       WHOLE,    NPY_UBYTE,        MPI_UINT8_T,               "uint8",       'B') \
    X(SHORT,            3, short,               WHOLE,    NPY_SHORT,        MPI_SHORT,                 "int16",       'h') \
    X(USHORT,           4, unsigned short,      WHOLE,    NPY_USHORT,       MPI_UNSIGNED_SHORT,        "uint16",      'H') \
    X(INT,              5, int,                 WHOLE,    NPY_INT,          MPI_INT,                   "int32",       'i') \
    X(UINT,             6, unsigned,            WHOLE,    NPY_UINT,         MPI_UNSIGNED,              "uint32",      'I') \
    X(LONG,             7, long,                WHOLE,    NPY_LONG,         MPI_LONG,                  "int64",       'l') \
    X(ULONG,            8, unsigned long,       WHOLE,    NPY_ULONG,        MPI_UNSIGNED_LONG,         "uint64",      'L') \
    X(FLOAT,           11, float,               REAL,     NPY_FLOAT,        MPI_FLOAT,                 "float32",     'f') \
    X(DOUBLE,          12, double,              REAL,     NPY_DOUBLE,       MPI_DOUBLE,                "float64",     'd') \
    X(LONG_DOUBLE,     13, long double,         REAL,     NPY_LONGDOUBLE,   MPI_LONG_DOUBLE,           "longdouble",  'g') \
    X(COMPLEX_FLOAT,   14, float _Complex,      COMPLEX,  NPY_CFLOAT,       MPI_C_FLOAT_COMPLEX,       "complex64",   0) \
    X(COMPLEX_DOUBLE,  15, double _Complex,     COMPLEX,  NPY_CDOUBLE,      MPI_C_DOUBLE_COMPLEX,      "complex128",  0) \
    X(COMPLEX_LONG_DOUBLE, 16, long double _Complex, COMPLEX, NPY_CLONGDOUBLE, MPI_C_LONG_DOUBLE_COMPLEX, "clongdouble", 0)
/* clang-format on */

#define NUMBER_OF_TYPE(name, number, ctype, kind, npy, mpi, text, format) TYPE_##name = number,
enum {
    ELEMENT_TYPES(NUMBER_OF_TYPE) TYPE_LONG_LONG =
        9, /* elements of one fit the other: LONG; likewise below */
    TYPE_ULONG_LONG = 10,
    TYPE_HALF = 23,      /* no type of C */
    TYPE_DESCRIBED = 255 /* a pickle follows, of the dtype (structured, datetime64, other byte order, ...), or
                            of (dtype, class) for arrays of another class */
};
#undef NUMBER_OF_TYPE

/* Whether a type number is one of those, but TYPE_DESCRIBED. */
static inline bool is_native(int type) {
    return (unsigned)type <= TYPE_COMPLEX_LONG_DOUBLE || type == TYPE_HALF;
}

/* The type number of long long is that of long. */
static inline int canonical(int type) {
    return type == TYPE_LONG_LONG ? TYPE_LONG : type == TYPE_ULONG_LONG ? TYPE_ULONG : type;
}
