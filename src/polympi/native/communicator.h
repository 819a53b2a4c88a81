/* The communicator: a group of ranks that send each other any object. */
#ifndef POLYMPI_COMMUNICATOR_H
#define POLYMPI_COMMUNICATOR_H

#include "mailbox.h"

typedef struct {
    PyObject_HEAD MPI_Comm comm; /* the user's messages, and collectives */
    MPI_Comm shadow; /* a duplicate: what travels beside those messages, and the pieces of collectives */
    int rank, size;
    uint32_t sequence;    /* messages with parts that this rank has sent; the tag of the parts */
    Mailboxes *mailboxes; /* for the rounds of collectives; NULL where ranks share no memory */
    uint32_t collective;  /* collective calls so far, alike on all ranks; the tag of their pieces */
} Communicator;

extern PyTypeObject Communicator_Type;

/* Whether calls on it are possible now; otherwise raises StateError and is false. */
bool usable(const Communicator *comm);
static inline bool is_usable(const Communicator *comm) {
    return likely(state.phase == RUNNING && comm->size) || usable(comm);
}

/* A communicator of the class `type` over `comm`, which it takes over, with a new shadow. Collective over
 * comm. */
PyObject *communicator_new(PyTypeObject *type, MPI_Comm comm);

/* Intern argument names; once, at module start. 0 or -1. */
int communicator_prepare(void);

#endif
