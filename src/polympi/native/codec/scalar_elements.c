/* Numbers where elements of an array are expected. */
#include "codec/delivery.h"
#include "codec/stream.h"

#define PUT_WHOLE(type, ctype)                                                                               \
    case type: {                                                                                             \
        ctype element = (ctype)number;                                                                       \
        memcpy(to, &element, sizeof element);                                                                \
        bool fits = (long long)element == number && (element > 0) == (number > 0);                           \
        return fits ? (Py_ssize_t)sizeof element : 0;                                                        \
    }
#define PUT_REAL(type, ctype)                                                                                \
    case type: {                                                                                             \
        ctype element = (ctype)number;                                                                       \
        memcpy(to, &element, sizeof element);                                                                \
        return sizeof element;                                                                               \
    }

/* An int as an element of a wanted integer type, if it is in its range. */
static Py_ssize_t put_int(int wanted, long long number, char *to) {
#define INT_AS_TRUTH(type, ctype)
#define INT_AS_WHOLE PUT_WHOLE
#define INT_AS_REAL(type, ctype)
#define INT_AS_COMPLEX(type, ctype)
#define PUT_INT(name, number, ctype, kind, npy, mpi, text, format) INT_AS_##kind(TYPE_##name, ctype)
    switch (wanted) { ELEMENT_TYPES(PUT_INT) }
    return 0;
}

/* A float, or an int, as an element of a wanted floating type. */
static Py_ssize_t put_float(int wanted, long double number, char *to) {
#define FLOAT_AS_TRUTH(type, ctype)
#define FLOAT_AS_WHOLE(type, ctype)
#define FLOAT_AS_REAL PUT_REAL
#define FLOAT_AS_COMPLEX PUT_REAL
#define PUT_FLOAT(name, number, ctype, kind, npy, mpi, text, format) FLOAT_AS_##kind(TYPE_##name, ctype)
    switch (wanted) { ELEMENT_TYPES(PUT_FLOAT) }
    return 0;
}

static Py_ssize_t put_complex(int wanted, const double *parts, char *to) {
    const float single[2] = {(float)parts[0], (float)parts[1]};
    const long double extended[2] = {parts[0], parts[1]};
    const void *from = wanted == TYPE_COMPLEX_FLOAT         ? (const void *)single
                       : wanted == TYPE_COMPLEX_DOUBLE      ? (const void *)parts
                       : wanted == TYPE_COMPLEX_LONG_DOUBLE ? (const void *)extended
                                                            : NULL;
    Py_ssize_t nbytes = wanted == TYPE_COMPLEX_FLOAT    ? (Py_ssize_t)sizeof single
                        : wanted == TYPE_COMPLEX_DOUBLE ? 2 * (Py_ssize_t)sizeof *parts
                                                        : (Py_ssize_t)sizeof extended;
    if (!from)
        return 0;
    memcpy(to, from, (size_t)nbytes);
    return nbytes;
}

/* The bytes of a Python number as an element of the wanted type; 0 where it is none, or the type does not
 * hold such. */
static Py_ssize_t put_number(const char *bytes, Py_ssize_t nbytes, int wanted, char *to) {
    double parts[2];
    int tag = wire_get_tag(bytes);
    switch (tag) {
    case TAG_FALSE:
    case TAG_TRUE:
        *to = tag == TAG_TRUE;
        return wanted == TYPE_BOOL ? 1 : put_int(wanted, *to, to);
    case TAG_INT:
        if (nbytes != NUMBER_FORM)
            return 0;
        int64_t number = wire_get_int(bytes + TAG_FORM);
        Py_ssize_t as_int = put_int(wanted, number, to);
        return as_int ? as_int : put_float(wanted, number, to);
    case TAG_FLOAT:
        return nbytes == NUMBER_FORM ? put_float(wanted, wire_get_float(bytes + TAG_FORM), to) : 0;
    case TAG_COMPLEX:
        if (nbytes != COMPLEX_FORM)
            return 0;
        wire_get_complex(bytes + TAG_FORM, parts);
        return put_complex(wanted, parts, to);
    }
    return 0;
}

int stream_elements(const char *bytes, Py_ssize_t nbytes, int wanted, Elements *elements, char *scratch) {
    int is_array = array_elements(bytes, nbytes, elements);
    if (is_array != 0 || nbytes == 0)
        return is_array;
    *elements = (Elements){.type = wanted, .count = 1, .data = scratch};
    if (wire_get_tag(bytes) == TAG_NUMPY_SCALAR && nbytes > SCALAR_FORM) {
        elements->type = canonical(wire_get_type(bytes + TAG_FORM));
        elements->itemsize = nbytes - SCALAR_FORM;
        elements->data = bytes + SCALAR_FORM;
    } else
        elements->itemsize = put_number(bytes, nbytes, wanted, scratch);
    elements->nbytes = elements->itemsize;
    return elements->itemsize > 0;
}
