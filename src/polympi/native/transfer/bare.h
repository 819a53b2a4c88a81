/* Bare elements: memory of the user as MPI's own calls take it, with nothing of polympi around it, so that
 * any partner can send and receive them. */
#ifndef POLYMPI_BARE_H
#define POLYMPI_BARE_H

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
} Bare;

enum bare_use { TO_SEND, TO_RECEIVE };

/* MPI's types by those of elements; others are NULL there (bare_prepare fills it). */
extern MPI_Datatype bare_types[TYPE_HALF + 1];

/* How memory is described that is not an array in C order of a type that MPI has. 0, or -1 with
 * MismatchError: no memory, not writable, elements that only Python understands, more than an int counts.
 * `whole`: one piece, of elements that can be counted, as collectives need it. */
int bare_open_slowly(Bare *bare, PyObject *object, enum bare_use use, bool whole, const Call *call);

/* MPICH 5.0 ends the job where a message is no whole number of the elements that it is received as
 * ("Assertion failed in ... typerep_yaksa_pack.c"); with bytes the receiver can tell. */
#ifdef OPEN_MPI
enum { RECEIVES_BYTES = false };
#else
enum { RECEIVES_BYTES = true };
#endif

/* Where a message goes to. */
static inline void bare_as_received(Bare *bare) {
    Py_ssize_t nbytes = bare->elements * bare->itemsize;
    if (RECEIVES_BYTES && likely(nbytes <= INT_MAX)) {
        bare->type = MPI_BYTE;
        bare->count = (int)nbytes;
    }
}

static inline int bare_open(Bare *bare, PyObject *object, enum bare_use use, bool whole, const Call *call) {
    PyArrayObject *array = (PyArrayObject *)object;
    if (likely(Py_TYPE(object) == ndarray_type && PyArray_IS_C_CONTIGUOUS(array)) &&
        likely(use == TO_SEND || PyArray_ISWRITEABLE(array))) {
        const PyArray_Descr *dtype = PyArray_DESCR(array);
        unsigned type = (unsigned)dtype->type_num;
        if (likely(type <= TYPE_HALF && bare_types[type] != MPI_DATATYPE_NULL &&
                   PyArray_ISNBO(dtype->byteorder))) {
            Py_ssize_t count = PyArray_SIZE(array);
            if (likely(count <= INT_MAX)) {
                bare->data = PyArray_BYTES(array);
                bare->count = (int)count;
                bare->type = bare->element = bare_types[type];
                bare->itemsize = PyDataType_ELSIZE(dtype);
                bare->elements = count;
                bare->packed = NULL;
                bare->derived = bare->open = false;
                if (use == TO_RECEIVE && !whole)
                    bare_as_received(bare);
                return 0;
            }
        }
    }
    return bare_open_slowly(bare, object, use, whole, call);
}

/* What holds the memory while nobody is in the call: a new reference. */
PyObject *bare_owner(const Bare *bare, PyObject *object);

/* Where nbytes have been received into a copy: put them where they belong. */
void bare_unpack(const Bare *bare, Py_ssize_t nbytes);

void bare_close_slowly(Bare *bare);
static inline void bare_close(Bare *bare) {
    if (unlikely(bare->open || bare->packed || bare->derived))
        bare_close_slowly(bare);
}

/* Before one is sent while the other is received into: copy what is sent where the two may overlap. 0 or -1.
 */
int bare_part(Bare *sent, const Bare *into);

/* What a status of MPI tells of a message; -1 with MismatchError where it is no whole number of elements. */
int bare_status(const MPI_Status *from, Py_ssize_t itemsize, Status *status, const Call *call);

/* Raise what fits an error code of MPI in a call with bare elements. -1. */
int bare_raise(int code, const Bare *into, const Call *call);

void bare_prepare(void);

#endif
