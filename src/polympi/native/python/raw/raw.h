/* Plain communicators: MPI's own messages and collectives, of elements alone, with any partner. */
#ifndef POLYMPI_PYTHON_RAW_RAW_H
#define POLYMPI_PYTHON_RAW_RAW_H

#include "transfer/raw_buffer.h"

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

/* The same for collective calls, which wait for one that was left before. */
static inline bool is_plain_joinable(const Plain *plain) {
    return likely(state.phase == HELD && plain->size) || is_plain_usable(plain);
}
/* How long a collective call may take, in seconds, 0 for ever; and whether the program has said so. 0 or -1.
 */
int plain_limit(PyObject *timeout, const Call *call, double *seconds, bool *given);

/* Its methods, in several tables. */
extern PyMethodDef plain_messages[], plain_probes[], plain_collectives[], plain_reductions[];
int plain_messages_prepare(void);
int plain_probes_prepare(void);
int plain_collectives_prepare(void);
int plain_reductions_prepare(void);

/* Method of the module: a plain communicator of an MPI_Comm by its number. */
PyObject *plain_of_handle(PyObject *module, PyObject *handle);

int plain_prepare(void);

#endif
