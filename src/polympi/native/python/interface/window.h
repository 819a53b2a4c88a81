/* The class of windows: memory of ranks that others access (MPI 5.0, chapter 12). */
#pragma once

#include "base/arguments.h"
#include "base/errors.h"
#include "codec/numpy_api.h"
#include "transfer/communicator.h"
#include "transport/windows.h"

/* An access that MPI may not have completed. */
typedef struct Access {
    struct Access *next;
    int rank;        /* the target */
    PyObject *array; /* that MPI uses: contiguous */
    PyObject *into;  /* where its elements belong, if that isn't contiguous; or NULL */
    PyObject *value; /* that MPI uses, too: contiguous; or NULL */
    /* of an access with a request, until that is complete or dropped */
    struct Window *window; /* otherwise NULL */
    PyObject *target;      /* what the request returns; or NULL */
    Call call;
    int request_count;
    MPI_Request requests[];
} Access;

/* FENCED: between two fences, without an access; ACCESSED: with one, for which MPI has locked all ranks. */
enum epoch { CLOSED, FENCED, ACCESSED, LOCKED, LOCKED_ALL };

typedef struct Window {
    PyObject_HEAD struct Window *next;
    MPI_Win win;
    Communicator *comm;   /* the window's own; NULL: freed */
    PyObject *array;      /* of this rank, or None */
    PyObject *dtype;      /* of all ranks */
    PyObject *sizes;      /* elements of each rank: a tuple */
    MPI_Datatype element; /* MPI_BYTE if MPI has no type for it */
    int units;            /* of that type in an element */
    enum epoch epoch;
    bool *locked; /* of each rank */
    int locks;
    Access *accesses; /* that are not complete, the newest first; without those of requests */
    int requests;     /* that are not complete */
    bool busy;        /* a thread is in MPI, or runs Python code */
    bool left;        /* a call was left, and MPI has not completed it */
    bool reported;    /* at the end */
} Window;

extern PyTypeObject Window_Type;
extern PyMethodDef window_methods[], window_access_methods[];
int window_prepare(void);
int window_accesses_prepare(void);

/* Add sentences on windows that were never freed. 0 or -1. */
int windows_report(PyObject *sentences);

/* The beginning of a call of this name: 0, or -1 with StateError. */
int window_open(const Window *self, Call *call, const char *operation);
/* Make a call of MPI without the GIL: 0, or -1 with an exception. */
int window_make_call(Window *self, WindowCall *what, const Call *call);
/* MPI has completed the accesses to this rank, or to ALL_TARGETS. 0, or -1 if one could not be stored. */
enum { ALL_TARGETS = -1 };
int window_complete(Window *self, int rank);

/* ---- accesses with a request ---- */

/* Whether it is complete: 1, 0, or -1 with an exception. */
int access_test(Access *access);
/* Wait until it is: 0, or -1 with an exception. After a time-out it is unchanged. */
int access_wait(Access *access, double timeout);
/* It is complete: free it. What its request returns, or NULL with an exception. */
PyObject *access_finish(Access *access);
/* Nobody waits for it any more: its window keeps the memory. */
void access_leave(Access *access);
