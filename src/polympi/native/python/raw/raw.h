/* Raw communicators: MPI's own messages and collectives, only of elements, with any partner. */
#pragma once

#include "base/arguments.h"
#include "python/methods.h"
#include "transfer/raw_buffer.h"

typedef struct {
    PyObject_HEAD MPI_Comm comm;
    int rank, size; /* size 0: it was freed */
    bool owned;     /* made by split or dup of a raw communicator, and freed by `free` */
    bool lent;      /* polympi's world was made of it */
} Raw;

extern PyTypeObject Raw_Type;

/* One over a communicator of MPI, which is not duplicated. */
Raw *raw_new(MPI_Comm comm, bool owned);

bool raw_usable(const Raw *raw);
static inline bool is_raw_usable(const Raw *raw) {
    return likely(state.phase == RUNNING && raw->size) || raw_usable(raw);
}

/* The same for collective calls, which wait for an earlier one that was left. */
static inline bool is_raw_joinable(const Raw *raw) {
    return likely(state.phase == HELD && raw->size) || is_raw_usable(raw);
}
/* The time-out of a collective call in seconds, 0: forever; `*given`: the call has its own. 0 or -1. */
int raw_limit(PyObject *timeout, const Call *call, double *seconds, bool *given);

/* Its methods, in several tables. */
#define RAW_METHOD(name, documentation) KEYWORD_METHOD(#name, raw_##name, documentation)
extern PyMethodDef raw_messages[], raw_collectives[], raw_reductions[];
int raw_messages_prepare(void);
int raw_collectives_prepare(void);
int raw_reductions_prepare(void);

/* Method of the module: a raw communicator over an MPI_Comm, by its number. */
PyObject *raw_of_handle(PyObject *module, PyObject *handle);

int raw_prepare(void);
