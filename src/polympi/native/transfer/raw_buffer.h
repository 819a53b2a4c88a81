/* RawBuffer elements: memory of the user as MPI's own calls take it, with nothing of polympi around it, so
 * that any partner can send and receive them. */
#ifndef POLYMPI_TRANSFER_RAW_BUFFER_H
#define POLYMPI_TRANSFER_RAW_BUFFER_H

#include <limits.h>

#include "codec/numpy_api.h"
#include "transfer/transfer.h"

typedef struct {
    void *data;           /* what MPI is told: this, */
    int count;            /* so many, */
    MPI_Datatype type;    /* of these */
    MPI_Datatype element; /* one element of the memory; of what MPI has no type for, a byte */
    Py_ssize_t itemsize, elements;
    char *packed; /* a copy in C order of strided memory; NULL: none */
    bool derived; /* `type` is to be freed */
    bool open;    /* the target is: memory that is not simply an array in C order */
    Target target;
} RawBuffer;

enum raw_buffer_use { TO_SEND, TO_RECEIVE };

/* MPI's types by those of elements; others are NULL there (raw_buffer_prepare fills it). */
extern MPI_Datatype raw_buffer_types[TYPE_HALF + 1];

/* How memory is described that is not an array in C order of a type that MPI has. 0, or -1 with
 * MismatchError: no memory, not writable, elements that only Python understands, more than an int counts.
 * `whole`: one piece, of elements that can be counted, as collectives need it. */
int raw_buffer_open_slowly(RawBuffer *raw, PyObject *object, enum raw_buffer_use use, bool whole,
                           const Call *call);

/* MPICH 5.0 ends the job where a message is no whole number of the elements that it is received as
 * ("Assertion failed in ... typerep_yaksa_pack.c"); with bytes the receiver can tell. */
#ifdef OPEN_MPI
enum { RECEIVES_BYTES = false };
#else
enum { RECEIVES_BYTES = true };
#endif

/* Where a message goes to. */
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

/* What holds the memory while nobody is in the call: a new reference. */
PyObject *raw_buffer_owner(const RawBuffer *raw, PyObject *object);

/* Where nbytes have been received into a copy: put them where they belong. */
void raw_buffer_unpack(const RawBuffer *raw, Py_ssize_t nbytes);

void raw_buffer_close_slowly(RawBuffer *raw);
static inline void raw_buffer_close(RawBuffer *raw) {
    if (unlikely(raw->open || raw->packed || raw->derived))
        raw_buffer_close_slowly(raw);
}

/* Before one is sent while the other is received into: copy what is sent where the two may overlap. 0 or -1.
 */
int raw_buffer_part(RawBuffer *sent, const RawBuffer *into);

/* What a status of MPI tells of a message; -1 with MismatchError where it is no whole number of elements. */
int raw_buffer_status(const MPI_Status *from, Py_ssize_t itemsize, Status *status, const Call *call);

/* Raise what fits an error code of MPI in a call with bare elements. -1. */
int raw_buffer_raise(int code, const RawBuffer *into, const Call *call);

void raw_buffer_prepare(void);

#endif
