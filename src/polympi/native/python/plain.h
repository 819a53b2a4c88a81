/* Plain communicators: MPI's own messages and collectives, of elements alone, with any partner. */
#ifndef POLYMPI_PLAIN_H
#define POLYMPI_PLAIN_H

#include "transfer/bare.h"

typedef struct {
    PyObject_HEAD MPI_Comm comm;
    int rank, size; /* size 0: it was freed */
    bool owned;     /* made by split or dup of another plain one, and freed by `free` */
    bool lent;      /* the world of polympi was made of it */
} Plain;

extern PyTypeObject Plain_Type;

/* One on a communicator of MPI, which is not duplicated. */
Plain *plain_new(MPI_Comm comm, bool owned);

bool plain_usable(const Plain *plain);
static inline bool is_plain_usable(const Plain *plain) {
    return likely(state.phase == RUNNING && plain->size) || plain_usable(plain);
}

/* Its methods, in three tables. */
extern PyMethodDef plain_messages[], plain_collectives[];
int plain_messages_prepare(void);
int plain_collectives_prepare(void);

/* Method of the module: a plain communicator of an MPI_Comm by its number. */
PyObject *plain_of_handle(PyObject *module, PyObject *handle);

int plain_prepare(void);

#endif
