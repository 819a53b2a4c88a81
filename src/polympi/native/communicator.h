/* The communicator: a group of ranks that send each other any object. */
#ifndef POLYMPI_COMMUNICATOR_H
#define POLYMPI_COMMUNICATOR_H

#include "core.h"

typedef struct {
    PyObject_HEAD
    MPI_Comm comm;   /* the user's messages, and collectives */
    MPI_Comm shadow; /* a duplicate: what travels beside those messages, and the pieces of collectives */
    int rank, size;
    uint32_t sequence;   /* messages with parts that this rank has sent; the tag of the parts */
    uint32_t collective; /* collective calls so far, alike on all ranks; the tag of their pieces */
    PyObject *attributes; /* __dict__ of subclasses */
    PyObject *weak_references;
} Communicator;

extern PyTypeObject Communicator_Type;

#endif
