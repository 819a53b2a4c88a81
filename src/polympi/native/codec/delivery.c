#include "codec/delivery.h"

#include <stdlib.h>

#include "base/errors.h"
#include "codec/overlap.h"
#include "codec/stream.h"
#include "memory/pool.h"
#include "memory/strided.h"

/* ---- numbers where elements of an array are expected ---- */

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

/* ---- what the receiver does with a complete stream ---- */

int refuse_object(const Call *call) {
    return raise_error(
        "MismatchError", call,
        "the message is an object and not an array, so it cannot be received into memory: leave out into=");
}

const char *elements_data(const Elements *elements, const Arrived *parts, int part_count) {
    if (!elements->apart && part_count == 0)
        return elements->data;
    if (elements->apart && part_count == 1 && parts[0].nbytes == elements->nbytes)
        return parts[0].data;
    return raise_damaged();
}

static PyObject *deliver_into(const char *bytes, Py_ssize_t nbytes, const Arrived *parts, int part_count,
                              const Target *into, const Call *call) {
    Elements elements = {0};
    _Alignas(16) char scratch[MOST_SCALAR_BYTES];
    int is_array = stream_elements(bytes, nbytes, into->type, &elements, scratch);
    int failed = is_array < 0    ? -1
                 : is_array == 0 ? refuse_object(call)
                                 : target_accepts(into, &elements, call);
    const char *data = failed ? NULL : elements_data(&elements, parts, part_count);
    if (data)
        target_fill(into, &elements, data);
    Py_XDECREF(elements.dtype);
    return data ? target_result(into, elements.count) : NULL;
}

PyObject *deliver(const char *bytes, Py_ssize_t nbytes, Arrived *parts, int part_count, const Target *into,
                  const Call *call) {
    return into ? deliver_into(bytes, nbytes, parts, part_count, into, call)
                : codec_decode(bytes, nbytes, parts, part_count);
}

void release_parts(Arrived *parts, int part_count) {
    for (int i = 0; i < part_count; i++)
        if (!parts[i].taken)
            pool_release(parts[i].data, parts[i].nbytes);
}

/* The parts of a stream as they would arrive: copied to memory of the pool, or, where they may be lent, as
 * they lie, unless they are strided. 0 or -1; their number in *made, also on failure. */
static int take_parts(const Stream *stream, bool lent, Arrived *parts, int *made) {
    for (*made = 0; *made < stream->part_count; ++*made) {
        const Part *part = &stream->parts[*made];
        Arrived *taken = &parts[*made];
        *taken = (Arrived){.data = part->data, .nbytes = part->nbytes, .taken = true};
        if (lent && !part->strided)
            continue;
        char *copy = pool_allocate(part->nbytes);
        if (!copy)
            return -1;
        part_copy(part, copy);
        *taken = (Arrived){.data = copy, .nbytes = part->nbytes};
    }
    return 0;
}

bool cannot_change(PyObject *value) {
    return value == Py_None || PyFloat_CheckExact(value) || PyLong_CheckExact(value) || PyBool_Check(value) ||
           PyUnicode_CheckExact(value) || PyBytes_CheckExact(value) || PyComplex_CheckExact(value);
}

PyObject *deliver_own(PyObject *value, const Target *into, const Call *call) {
    char memory[512];
    Stream stream;
    PyObject *delivered = NULL;
    int made = 0;
    if (!into && cannot_change(value))
        return Py_NewRef(value);
    stream_open(&stream, memory, sizeof memory);
    Arrived *parts = NULL;
    if (codec_encode(&stream, value) == 0) {
        bool apart = into && !stream_overlaps(&stream, &into->layout);
        parts = malloc(((size_t)stream.part_count + 1) * sizeof *parts);
        if (!parts)
            PyErr_NoMemory();
        else if (take_parts(&stream, apart, parts, &made) == 0)
            delivered = deliver(stream.bytes, stream.used, parts, made, into, call);
    }
    release_parts(parts, made);
    free(parts);
    stream_close(&stream);
    return delivered;
}

Py_ssize_t target_rows(Target *rows, const Target *into, Py_ssize_t first, const Elements *elements,
                       const Call *call) {
    const Layout *layout = &into->layout;
    Py_ssize_t row = 1;
    if (layout->ndim == 0)
        return raise_error("MismatchError", call,
                           "pieces cannot be laid one after another into a single element");
    for (int axis = 1; axis < layout->ndim; axis++)
        row *= layout->shape[axis];
    Py_ssize_t count = row ? elements->count / row : 0;
    if (count * row != elements->count)
        return raise_error(
            "MismatchError", call,
            "a piece of %zd elements came, which is not a whole number of rows of into, of %zd elements",
            elements->count, row);
    if (count > layout->shape[0] - first)
        return raise_error("TruncationError", call, "pieces of %zd rows or more came, but into has %zd rows",
                           first + count, layout->shape[0]);
    rows->layout = *layout;
    rows->layout.data += first * layout->strides[0];
    rows->layout.shape[0] = count;
    rows->layout.count = count * row;
    rows->layout.nbytes = rows->layout.count * layout->itemsize;
    rows->type = into->type;
    rows->dtype = into->dtype;
    rows->object = into->object;
    rows->view.obj = NULL;
    rows->array = into->array;
    rows->on_device = false; /* the whole goes there in the end */
    rows->direct = NULL;
    return count;
}
