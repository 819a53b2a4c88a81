/* The contribution of a rank to a reduction, in one small message, and how two of them are combined. */
#ifndef POLYMPI_CONTRIBUTION_H
#define POLYMPI_CONTRIBUTION_H

#include <stddef.h>

#include "collectives/rounds.h"
#include "reductions/op.h"
#include "transfer/transfer.h"

/* Head.kind. Contributions of one kind, type and shape combine here; those of several kinds become OBJECT. */
enum contribution_kind {
    FLOAT,       /* Python's numbers: elements of TYPE_DOUBLE, ... */
    INTEGER,     /* ... of TYPE_LONG */
    BOOLEAN,     /* ... of TYPE_LONG */
    COMPLEX,     /* ... of complex128 */
    SCALAR,      /* a NumPy scalar */
    ARRAY,       /* an ndarray, with its elements */
    LARGE_ARRAY, /* an ndarray without its elements, which the library's collective shall reduce */
    OBJECT       /* what Python has to reduce, from messages of its own */
};

enum {
    CONTRIBUTION_BYTES =
        PACKET_BYTES / 4,   /* a call needs four; MPICH, too, sees 2048 bytes as short in MPI_Allreduce */
    CONTRIBUTION_HEAD = 32, /* with that of a letter and two doubles, a cache line */
    MOST_ELEMENT_BYTES = CONTRIBUTION_BYTES - CONTRIBUTION_HEAD,
    DIFFERENT_OPS = 255, /* in Head.op */
    DIFFERENT_ROOTS = -2 /* in Head.root */
};

/* Contribution.consent. */
enum { MAY_BLOCK = 1, IN_PLACE = 2, ON_BOARDS = 4 };

typedef struct {
    Head head;        /* type: TYPE_..., op: enum op */
    uint32_t shape;   /* a hash */
    uint32_t consent; /* MAY_BLOCK, IN_PLACE: how large arrays may be reduced; after the rounds, what all
                         ranks agree to */
    uint64_t bound;   /* no partial result of integers is larger (a sum), or longer in bits (a product) */
    _Alignas(16) char data[MOST_ELEMENT_BYTES];
} Contribution;
_Static_assert(offsetof(Contribution, data) == CONTRIBUTION_HEAD &&
                   sizeof(Contribution) == CONTRIBUTION_BYTES,
               "four contributions fill a packet");

/* Write what this rank contributes. 0, or -1 with MismatchError for bits of floating-point numbers. */
int contribute(const Collective *collective, Contribution *own, PyObject *value, enum op op);

/* right = left combined with right, where left is of lower ranks; the heads alone where the kinds differ. */
void combine_contributions(const Contribution *left, Contribution *right);
/* Whether the elements can be combined here. */
bool alike(const Contribution *left, const Contribution *right);
/* The same for the elements only, of contributions of one kind, type and shape. */
void combine_data(const Contribution *left, Contribution *right);

/* Whether the elements are the result: contributions were of one kind, and integers have not overflowed. */
bool is_result(const Contribution *total);

/* The result as a new object; `like` is this rank's own contribution. For reduce_scatter rows `first` on of
 * an array, to the number of `rows`; rows < 0: all. */
PyObject *contribution_result(const Contribution *total, PyObject *like, Py_ssize_t first, Py_ssize_t rows);

#endif
