/* NumPy's C API, whose table array.c fills once NumPy is loaded. */
#ifndef POLYMPI_NUMPY_API_H
#define POLYMPI_NUMPY_API_H

#include "codec.h"

#ifndef POLYMPI_FILLS_NUMPY_API
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

_Static_assert((int)NPY_BOOL == TYPE_BOOL && (int)NPY_UBYTE == TYPE_UINT8 && (int)NPY_LONG == TYPE_LONG &&
                   (int)NPY_HALF == TYPE_HALF && (int)NPY_CLONGDOUBLE == 16,
               "type numbers are NumPy's");
_Static_assert(NPY_MAXDIMS <= MOST_DIMENSIONS, "every array fits a Layout");

/* The type number of a dtype: that of NumPy in native byte order, otherwise TYPE_DESCRIBED. */
static inline int dtype_type(const PyArray_Descr *dtype) {
    int type = dtype->type_num;
    bool native = ((unsigned)type <= NPY_CLONGDOUBLE || type == NPY_HALF) && PyArray_ISNBO(dtype->byteorder);
    return native ? (type == NPY_LONGLONG    ? NPY_LONG
                     : type == NPY_ULONGLONG ? NPY_ULONG
                                             : type)
                  : TYPE_DESCRIBED;
}

#endif
