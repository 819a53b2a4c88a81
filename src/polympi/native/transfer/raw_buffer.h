/* Raw buffers: user buffers as MPI's own calls take them, with nothing of polympi around the elements, so
 * that any partner can send and receive them. */
#pragma once

#include <limits.h>

#include "codec/numpy_api.h"
#include "transfer/transfer.h"

typedef struct {
    void *data; /* as MPI's arguments */
    int count;
    MPI_Datatype type;
    MPI_Datatype element; /* of one element; a byte if MPI has no type for it */
    Py_ssize_t itemsize, elements;
    char *packed;   /* a copy in C order of strided memory, or NULL */
    bool derived;   /* `type` is to be freed */
    bool open;      /* the target is open: memory other than an array in C order */
    bool on_device; /* then, whether only the MPI library can access the memory */
    Target target;
} RawBuffer;

enum raw_buffer_use { TO_SEND, TO_RECEIVE };

/* MPI's types by those of elements; others are NULL there (raw_buffer_prepare fills it). */
extern MPI_Datatype raw_buffer_types[TYPE_HALF + 1];

/* Describe memory other than an array in C order of a type that MPI has. 0, or -1 with MismatchError: no
 * memory, not writable, elements that only Python understands, more than an int counts. `whole`: as a single
 * piece of countable elements, which collectives need. */
int raw_buffer_open_slowly(RawBuffer *raw, PyObject *object, enum raw_buffer_use use, bool whole,
                           const Call *call);

/* MPICH 5.0 ends the job if a message isn't a whole number of the elements of its receive ("Assertion failed
 * in ... typerep_yaksa_pack.c"). If it is received as bytes, polympi can report it. */
#ifdef OPEN_MPI
enum { RECEIVES_BYTES = false };
#else
enum { RECEIVES_BYTES = true };
#endif

/* As the buffer of a receive. */
static inline void raw_buffer_as_received(RawBuffer *raw) {
    Py_ssize_t nbytes = raw->elements * raw->itemsize;
    if (RECEIVES_BYTES && likely(nbytes <= INT_MAX)) {
        raw->type = MPI_BYTE;
        raw->count = (int)nbytes;
    }
}

static inline int raw_buffer_open(RawBuffer *raw, PyObject *object, enum raw_buffer_use use, bool whole,
                                  const Call *call) {
    PyArrayObject *array = (PyArrayObject *)object;
    if (likely(Py_TYPE(object) == ndarray_type && PyArray_IS_C_CONTIGUOUS(array)) &&
        likely(use == TO_SEND || PyArray_ISWRITEABLE(array))) {
        const PyArray_Descr *dtype = PyArray_DESCR(array);
        unsigned type = (unsigned)dtype->type_num;
        if (likely(type <= TYPE_HALF && raw_buffer_types[type] != MPI_DATATYPE_NULL &&
                   PyArray_ISNBO(dtype->byteorder))) {
            Py_ssize_t count = PyArray_SIZE(array);
            if (likely(count <= INT_MAX)) {
                raw->data = PyArray_BYTES(array);
                raw->count = (int)count;
                raw->type = raw->element = raw_buffer_types[type];
                raw->itemsize = PyDataType_ELSIZE(dtype);
                raw->elements = count;
                raw->packed = NULL;
                raw->derived = raw->open = false;
                if (use == TO_RECEIVE && !whole)
                    raw_buffer_as_received(raw);
                return 0;
            }
        }
    }
    return raw_buffer_open_slowly(raw, object, use, whole, call);
}

/* The object that keeps the memory alive after the call: a new reference. */
PyObject *raw_buffer_owner(const RawBuffer *raw, PyObject *object);

/* Unpack nbytes that were received into a copy, and copy them to their device. 0, or -1 with an exception. */
int raw_buffer_unpack(const RawBuffer *raw, Py_ssize_t nbytes);

void raw_buffer_close_slowly(RawBuffer *raw);
static inline void raw_buffer_close(RawBuffer *raw) {
    if (unlikely(raw->open || raw->packed || raw->derived))
        raw_buffer_close_slowly(raw);
}

/* Before one is sent while the other is received into: copy what is sent if the two may overlap. */
int raw_buffer_part(RawBuffer *sent, const RawBuffer *into);

/* Convert a status of MPI; -1 with MismatchError if the message isn't a whole number of elements. */
int raw_buffer_status(const MPI_Status *from, Py_ssize_t itemsize, Status *status, const Call *call);

/* Raise the exception for an error code of MPI in a call with raw elements. -1. */
int raw_buffer_raise(int code, const RawBuffer *into, const Call *call);

void raw_buffer_prepare(void);
