/* mpi4py's own methods, replaced by functions of the core.
 *
 * mpi4py's classes and objects stay the same; some methods are replaced in place. Such a function does what
 * the core can do, and calls the original method for everything else: on communicators without a Communicator
 * of polympi, with unusual arguments, and with wrong ones, whose exceptions are then those of mpi4py.
 */
#pragma once

#include "base/arguments.h"
#include "base/errors.h"
#include "python/interface/request.h"
#include "transfer/transfer.h"

/* Module functions; none with the serial backend, since mpi4py needs a library. */
extern PyMethodDef mpi4py_functions[];

/* ---- its objects ---- */

/* Offsets of MPI's handles and statuses in mpi4py's objects, found with its C interface. */
typedef struct {
    Py_ssize_t comm, status, request, op;
    PyTypeObject *comm_type, *status_type, *request_type, *op_type, *message_type;
    PyObject *exception;                   /* MPI.Exception */
    PyObject *help;                        /* polympi.mpi4py.help: what needn't be fast, in Python */
    Py_ssize_t request_kept, message_kept; /* offsets of references to their buffers while pending */
    PyObject *pickled; /* wraps what a program wants to have pickled by its own function; NULL: nothing */
} Mpi4py;
extern Mpi4py mpi4py;

static inline MPI_Comm handle_of(PyObject *comm) { return *(MPI_Comm *)((char *)comm + mpi4py.comm); }
static inline MPI_Request *request_of(PyObject *request) {
    return (MPI_Request *)((char *)request + mpi4py.request);
}

/* ---- the Communicator of an mpi4py communicator ---- */

/* The Communicator of a handle: an attribute of it, which MPI deletes when any code frees the handle. */
typedef struct Attachment {
    MPI_Comm handle;
    Communicator *comm;      /* NULL: all methods are mpi4py's own */
    int freed;               /* atomic: set without the GIL */
    struct Attachment *next; /* in the list of freed ones */
    /* Of the first collective of objects: */
    MPI_Request meeting; /* of all ranks */
    bool met, joining;   /* they have met; a thread is in it */
    pthread_t thread;    /* that thread */
} Attachment;

enum { RECENT = 16 };
extern Attachment *recent[RECENT];
static inline size_t recent_place(MPI_Comm handle) {
    uintptr_t number = (uintptr_t)handle;
    return (number ^ number >> 5) % RECENT;
}

Communicator *find_attached(MPI_Comm handle);

/* The Communicator of mpi4py's, borrowed; NULL: leave it to mpi4py, or MPI doesn't run. Ready for messages;
 * for collectives `join` it first. */
static inline Communicator *attached(PyObject *comm) {
    MPI_Comm handle = handle_of(comm);
    const Attachment *last = recent[recent_place(handle)];
    if (likely(last && last->handle == handle && !__atomic_load_n(&last->freed, __ATOMIC_ACQUIRE)))
        return likely(is_alive()) ? last->comm : NULL;
    return find_attached(handle);
}

/* Before each collective of objects: set up what the first one of a communicator needs. 0 or -1. */
int join_first(Communicator *comm, const char *operation);
static inline int join(Communicator *comm, const char *operation) {
    return likely(comm->shadow != MPI_COMM_NULL) ? 0 : join_first(comm, operation);
}

/* Module functions. */
PyObject *open_attachments(PyObject *module, PyObject *args);
PyObject *is_attached(PyObject *module, PyObject *comm);
PyObject *is_joint(PyObject *module, PyObject *comm);

/* ---- methods that are taken over ---- */

typedef struct {
    PyMethodDef method;
    const char *owner; /* the class of mpi4py */
    PyObject *before;  /* mpi4py's own method */
} Takeover;

/* Of a list X(class, method): the place of each method in a table, AT_method, and its row, with the function
 * accelerated_method, which may be `function` with its place. */
#define TAKEOVER_PLACE(owner, name) AT_##name,
#define TAKEOVER_ROW(owner, name)                                                                            \
    [AT_##name] = {{#name, (PyCFunction)(void (*)(void))accelerated_##name, 0, NULL}, #owner, NULL},
#define TAKEN_BY(name, function)                                                                             \
    static PyObject *accelerated_##name(PyObject *self, FASTCALL_ARGS) {                                     \
        return function(AT_##name, self, args, nargs, kwnames);                                              \
    }
#define LAST_TAKEOVER                                                                                        \
    { {NULL, NULL, 0, NULL}, NULL, NULL }

/* Set an attribute of a class that Python code may not change. */
int set_anyway(PyTypeObject *type, const char *name, PyObject *value);
/* Replace them, where mpi4py has them. */
int take_over(PyObject *module, Takeover *takeovers);
/* Call mpi4py's own method. */
PyObject *call_before(const Takeover *takeover, PyObject *self, FASTCALL_ARGS);

extern Takeover object_takeovers[], collective_takeovers[], buffer_takeovers[], probe_takeovers[],
    freeing_takeovers[], request_takeovers[], message_takeovers[];
int mpi4py_objects_prepare(void), mpi4py_collectives_prepare(void), mpi4py_buffers_prepare(void),
    mpi4py_probes_prepare(void), mpi4py_requests_prepare(PyObject *module);

/* ---- arguments ---- */

/* As signature_parse; false without an exception, since mpi4py reports what is wrong. */
static inline bool takes_arguments(const Signature *signature, FASTCALL_ARGS, PyObject **values) {
    if (likely(signature_parse(signature, args, nargs, kwnames, values) == 0))
        return true;
    PyErr_Clear();
    return false;
}
static inline bool take_int(PyObject *value, int *number) {
    if (likely(parse_int(value, number, "", "") == 0))
        return true;
    PyErr_Clear();
    return false;
}
/* A rank of the communicator. */
static inline bool take_rank(PyObject *value, const Communicator *comm, int *rank) {
    return take_int(value, rank) && (unsigned)*rank < (unsigned)comm->size;
}
/* The same, or any source: then the core's ANY_SOURCE. */
static inline bool take_source(PyObject *value, const Communicator *comm, int *rank) {
    *rank = ANY_SOURCE;
    if (!value || take_rank(value, comm, rank))
        return true;
    bool any = *rank == MPI_ANY_SOURCE;
    *rank = ANY_SOURCE;
    return any;
}
/* The tag of a message to send; default 0. */
static inline bool take_tag(PyObject *value, int *tag) {
    *tag = 0;
    return !value || (take_int(value, tag) && *tag >= 0 && *tag <= state.highest_tag);
}
/* The tag of one to receive, or any. */
static inline bool take_any_tag(PyObject *value, int *tag) {
    *tag = ANY_TAG;
    if (!value)
        return true;
    if (!take_int(value, tag))
        return false;
    if (*tag >= 0 && *tag <= state.highest_tag)
        return true;
    bool any = *tag == MPI_ANY_TAG;
    *tag = ANY_TAG;
    return any;
}
/* The MPI_Status in a Status of mpi4py, NULL if none is given. The library writes there itself, since
 * libraries differ in which calls set MPI_ERROR (MPI 5.0, section 3.2.5). */
static inline bool take_status(PyObject *value, MPI_Status **status) {
    *status = NULL;
    if (!value || value == Py_None)
        return true;
    if (!PyObject_TypeCheck(value, mpi4py.status_type))
        return false;
    *status = (MPI_Status *)((char *)value + mpi4py.status);
    return true;
}

/* ---- receives that stay posted ---- */

/* The program has begun one; has waited for one. The progress thread counts both. */
void receive_posted(Request *request);
void receive_closed(Request *request);
/* Stop the thread at the end of the program. */
PyObject *stop_helper(PyObject *module, PyObject *unused);

/* ---- waits for several requests ---- */

/* wait_until(look, operation): wait, calling `look` repeatedly until it returns something. */
PyObject *wait_until(PyObject *module, PyObject *args);

/* ---- results ---- */

/* Write what is known of a message to a status of MPI, which may be NULL. Its MPI_ERROR is unchanged, as
 * after MPI calls for one message. */
void fill_status(MPI_Status *status, const Status *known, bool cancelled);
/* Make it an empty status (MPI 5.0, section 3.7.3). */
void empty_status(MPI_Status *status);

/* Turn an exception for an error of the MPI library into an MPI.Exception; NULL. */
PyObject *mpi4py_exception(void);
/* The result; NULL with such an exception. */
static inline PyObject *checked_result(PyObject *result) {
    return likely(result != NULL) ? result : mpi4py_exception();
}
/* Raise MPI.Exception for a code of the library; NULL. */
PyObject *raise_mpi4py(int code);

/* What is sent for an object: itself, unless the program has its own pickle function. A new reference.
 */
static inline PyObject *to_send(PyObject *object) {
    return likely(!mpi4py.pickled) ? Py_NewRef(object) : PyObject_CallOneArg(mpi4py.pickled, object);
}

/* A request of mpi4py's for one of the core, which is stolen; NULL stays NULL. */
PyObject *object_request(PyObject *request);
/* A request of mpi4py's for one of MPI, with the buffer that it uses. */
PyObject *buffer_request(MPI_Request request, PyObject *memory);
/* A matched message, which is received by the request of the core, stolen. */
PyObject *matched_message(PyObject *request);
/* The core's request in an object of mpi4py, borrowed, or NULL. */
static inline PyObject *inner_of(PyObject *object, Py_ssize_t offset) {
    PyObject *kept = *(PyObject **)((char *)object + offset);
    return kept && Py_IS_TYPE(kept, &Request_Type) ? kept : NULL;
}
/* Have an object of mpi4py refer to another one, which is stolen. */
static inline void keep_in(PyObject *object, Py_ssize_t offset, PyObject *kept) {
    PyObject **place = (PyObject **)((char *)object + offset), *before = *place;
    *place = kept;
    Py_XDECREF(before);
}
/* `==`, `!=` of two such objects by what they keep; `result` is mpi4py's comparison of their handles, stolen.
 */
PyObject *compare_inner(PyObject *result, PyObject *self, PyObject *const *args, PyTypeObject *type,
                        Py_ssize_t offset, bool equal);
/* Raise mpi4py's ValueError: they can't be pickled. */
PyObject *refuse_reduce(PyObject *self);
/* Special methods of a class whose objects may keep a request of the core. */
#define IDENTITY_METHODS(takeovers, type, offset)                                                            \
    static PyObject *accelerated___bool__(PyObject *self, FASTCALL_ARGS) {                                   \
        return inner_of(self, offset) ? Py_NewRef(Py_True)                                                   \
                                      : call_before(&takeovers[AT___bool__], self, args, nargs, kwnames);    \
    }                                                                                                        \
    static PyObject *accelerated___eq__(PyObject *self, FASTCALL_ARGS) {                                     \
        PyObject *equal = call_before(&takeovers[AT___eq__], self, args, nargs, kwnames);                    \
        return compare_inner(equal, self, args, type, offset, true);                                         \
    }                                                                                                        \
    static PyObject *accelerated___ne__(PyObject *self, FASTCALL_ARGS) {                                     \
        PyObject *unequal = call_before(&takeovers[AT___ne__], self, args, nargs, kwnames);                  \
        return compare_inner(unequal, self, args, type, offset, false);                                      \
    }                                                                                                        \
    static PyObject *accelerated___reduce__(PyObject *self, FASTCALL_ARGS) {                                 \
        return inner_of(self, offset) ? refuse_reduce(self)                                                  \
                                      : call_before(&takeovers[AT___reduce__], self, args, nargs, kwnames);  \
    }

/* For polympi.mpi4py.several: whether a request is of an object; copy a status. */
PyObject *is_of_object(PyObject *module, PyObject *request);
PyObject *copy_status(PyObject *module, PyObject *args);
