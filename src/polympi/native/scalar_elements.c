/* Numbers where elements of an array are expected. */
#include "delivery.h"
#include "numpy_api.h"
#include "stream.h"

/* An int as an element of a wanted integer type, if it is in its range. */
static Py_ssize_t put_int(int wanted, long long number, char *to) {
#define INTEGER(type, ctype)                                                                                 \
    case type: {                                                                                             \
        ctype element = (ctype)number;                                                                       \
        memcpy(to, &element, sizeof element);                                                                \
        bool fits = (long long)element == number && (element > 0) == (number > 0);                           \
        return fits ? (Py_ssize_t)sizeof element : 0;                                                        \
    }
    switch (wanted) {
        INTEGER(NPY_BYTE, signed char)
        INTEGER(NPY_UBYTE, unsigned char)
        INTEGER(NPY_SHORT, short)
        INTEGER(NPY_USHORT, unsigned short)
        INTEGER(NPY_INT, int)
        INTEGER(NPY_UINT, unsigned int)
        INTEGER(NPY_LONG, long)
        INTEGER(NPY_ULONG, unsigned long)
    }
#undef INTEGER
    return 0;
}

/* A float, or an int, as an element of a wanted floating type. */
static Py_ssize_t put_float(int wanted, long double number, char *to) {
#define FLOATING(type, ctype)                                                                                \
    case type: {                                                                                             \
        ctype element = (ctype)number;                                                                       \
        memcpy(to, &element, sizeof element);                                                                \
        return sizeof element;                                                                               \
    }
    switch (wanted) {
        FLOATING(NPY_FLOAT, float)
        FLOATING(NPY_DOUBLE, double)
        FLOATING(NPY_LONGDOUBLE, long double)
        FLOATING(NPY_CFLOAT, float _Complex)
        FLOATING(NPY_CDOUBLE, double _Complex)
        FLOATING(NPY_CLONGDOUBLE, long double _Complex)
    }
#undef FLOATING
    return 0;
}

static Py_ssize_t put_complex(int wanted, const double *parts, char *to) {
    const float single[2] = {(float)parts[0], (float)parts[1]};
    const long double extended[2] = {parts[0], parts[1]};
    const void *from = wanted == NPY_CFLOAT        ? (const void *)single
                       : wanted == NPY_CDOUBLE     ? (const void *)parts
                       : wanted == NPY_CLONGDOUBLE ? (const void *)extended
                                                   : NULL;
    Py_ssize_t nbytes = wanted == NPY_CFLOAT    ? (Py_ssize_t)sizeof single
                        : wanted == NPY_CDOUBLE ? 2 * (Py_ssize_t)sizeof *parts
                                                : (Py_ssize_t)sizeof extended;
    if (!from)
        return 0;
    memcpy(to, from, (size_t)nbytes);
    return nbytes;
}

/* The bytes of a Python number as an element of the wanted type; 0 where it is none, or the type does not
 * hold such. */
static Py_ssize_t put_number(const char *bytes, Py_ssize_t nbytes, int wanted, char *to) {
    long long number;
    double parts[2];
    switch ((unsigned char)*bytes) {
    case TAG_FALSE:
    case TAG_TRUE:
        *to = *bytes == TAG_TRUE;
        return wanted == NPY_BOOL ? 1 : put_int(wanted, *to, to);
    case TAG_INT:
        if (nbytes != 1 + (Py_ssize_t)sizeof number)
            return 0;
        memcpy(&number, bytes + 1, sizeof number);
        Py_ssize_t as_int = put_int(wanted, number, to);
        return as_int ? as_int : put_float(wanted, number, to);
    case TAG_FLOAT:
        if (nbytes != 1 + (Py_ssize_t)sizeof *parts)
            return 0;
        memcpy(parts, bytes + 1, sizeof *parts);
        return put_float(wanted, parts[0], to);
    case TAG_COMPLEX:
        if (nbytes != 1 + (Py_ssize_t)sizeof parts)
            return 0;
        memcpy(parts, bytes + 1, sizeof parts);
        return put_complex(wanted, parts, to);
    }
    return 0;
}

int stream_elements(const char *bytes, Py_ssize_t nbytes, int wanted, Elements *elements, char *scratch) {
    int is_array = array_elements(bytes, nbytes, elements);
    if (is_array != 0 || nbytes == 0)
        return is_array;
    *elements = (Elements){.type = wanted, .count = 1, .data = scratch};
    if ((unsigned char)*bytes == TAG_NUMPY_SCALAR && nbytes > 2) {
        elements->type = canonical((unsigned char)bytes[1]);
        elements->itemsize = nbytes - 2;
        elements->data = bytes + 2;
    } else
        elements->itemsize = put_number(bytes, nbytes, wanted, scratch);
    elements->nbytes = elements->itemsize;
    return elements->itemsize > 0;
}
