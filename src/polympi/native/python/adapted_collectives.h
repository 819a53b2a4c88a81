/* Which collectives an Adapted can call, and what a call of them is about. */
#ifndef POLYMPI_ADAPTED_COLLECTIVES_H
#define POLYMPI_ADAPTED_COLLECTIVES_H

#include "python/adapted.h"
#include "transfer/communicator.h"

typedef PyObject *(*Method)(Communicator *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);

/* One of polympi's: its method, which takes an object, an operation and a root, as far as it has them. */
struct collective {
    const char *name;
    Method call;
    bool combines;  /* by an operation */
    bool from_root; /* what the other ranks give is ignored */
    bool to_root;   /* the other ranks get nothing */
    bool cuts;      /* an array is cut into pieces for all ranks */
};

/* That of a name; NULL: there is none, or not for a facade. */
const struct collective *collective_named(const char *name);

/* How the pieces of all ranks lie in a row, by elements. */
enum { FEW_RANKS = 64 }; /* calls of more are unusual */
typedef struct {
    Py_ssize_t counts[FEW_RANKS], places[FEW_RANKS];
    Py_ssize_t sum, reach; /* of all counts; the end of the last one */
    bool in_order;         /* one after another, without gaps */
} Parts;

typedef struct {
    PyObject *given[ROLES];
    Communicator *comm; /* a reference, as are the next five; or NULL */
    PyObject *op;
    PyObject *memory;             /* for the result */
    PyObject *counts;             /* of the rows of an array for each rank */
    PyObject *slices;             /* that were made of the object */
    PyObject *own;                /* this rank's piece of the result, which polympi need not copy */
    PyObject *object;             /* for polympi */
    PyObject *dtype, *into_dtype; /* of rows, borrowed from the dictionary */
    int root;
    bool gives, gets; /* whether this rank does */
    Parts parts;      /* of the result, where it has places */
} Asked;

/* The names of what is not given by its place; once. */
int adapted_collectives_prepare(void);

#endif
