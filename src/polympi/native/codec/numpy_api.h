/* NumPy's C API, whose table array.c fills once NumPy is loaded. */
#pragma once

#include "codec/codec.h"

#ifndef POLYMPI_FILLS_NUMPY_API
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

#define CHECK_TYPE(name, number, ctype, kind, npy, mpi, text, format)                                        \
    _Static_assert((int)npy == TYPE_##name, "type numbers are NumPy's");
ELEMENT_TYPES(CHECK_TYPE)
#undef CHECK_TYPE
_Static_assert((int)NPY_HALF == TYPE_HALF && (int)NPY_LONGLONG == TYPE_LONG_LONG &&
                   (int)NPY_ULONGLONG == TYPE_ULONG_LONG,
               "type numbers are NumPy's");
_Static_assert(NPY_MAXDIMS <= MOST_DIMENSIONS, "every array fits a Layout");

/* By type number, once NumPy is loaded: the dtypes that are not described. */
enum { NATIVE_TYPES = TYPE_HALF + 1 };
extern PyArray_Descr *native_dtypes[NATIVE_TYPES];

/* Whether a dtype is one of these, as nearly all are; there may be others that are alike. */
static inline bool is_native_dtype(const PyArray_Descr *dtype) {
    unsigned type = (unsigned)dtype->type_num;
    return type < NATIVE_TYPES && dtype == native_dtypes[type];
}

/* The type number of a dtype on the wire: that of NumPy in native byte order, otherwise TYPE_DESCRIBED. */
static inline int wire_type(const PyArray_Descr *dtype) {
    int type = dtype->type_num;
    return is_native(type) && PyArray_ISNBO(dtype->byteorder) ? type : TYPE_DESCRIBED;
}

/* The same where long long counts as long: elements of one fit the other. */
static inline int dtype_type(const PyArray_Descr *dtype) { return canonical(wire_type(dtype)); }
