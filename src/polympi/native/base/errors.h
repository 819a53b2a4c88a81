/* Errors as exceptions of polympi.errors; the functions that raise return -1, for the caller to return.
 *
 * In all of the core, a function that returns int returns 0, or -1 with an exception set; one that returns a
 * pointer returns NULL with an exception set. Comments name only what differs from this.
 */
#ifndef POLYMPI_ERRORS_H
#define POLYMPI_ERRORS_H

#include "base/state.h"

/* Have sentences name the hosts of ranks from now on: `host_of` gives that of a rank of the communicator of a
 * Call, or NULL; `own` is that of this rank. Both stay. Where this is not called there is one host. */
enum { HOST_BYTES = 64 }; /* of a name with its end: as long as Linux allows them */
void errors_name_hosts(const char *(*host_of)(const void *comm, int rank), const char *own);
/* That name; NULL: there is one host. */
const char *errors_own_host(void);
/* "rank 3", or "rank 3 (host b)" where hosts have names, in at most RANK_TEXT bytes: of a rank of the call's
 * communicator. It may be the caller's, which is "rank 3 of this communicator (rank 5 of the world)" where
 * its numbers are others than the world's. Returns `text`. */
enum { RANK_TEXT = HOST_BYTES + 96 };
const char *rank_text(char text[RANK_TEXT], const Call *call, int rank);

/* Raise a class of polympi.errors ("RankError") with a sentence (printf style, %R and the like as in
 * PyUnicode_FromFormat) and the facts of the call; `call` may be NULL. */
int raise_error(const char *class_name, const Call *call, const char *format, ...);
/* The same with a sentence that is stolen (NULL: an exception is set already), and the attribute `code`,
 * which NO_CODE leaves None. */
enum { NO_CODE = -1 };
int raise_coded(const char *class_name, const Call *call, PyObject *sentence, int code);

/* The exception that was just raised says only that another rank has failed: its attribute `consequence`. -1.
 */
int raised_by_another(void);

/* Raise Timeout: who waited for whom, in which operation, tag, file and line of the caller's code. */
int raise_timeout(const Call *call, double seconds);
/* The same with what was missing in words: those of the explanation (errors_explain_waits) if there is one,
 * or as they are. */
int raise_timeout_unless_explained(const Call *call, double seconds, const char *missing);
int raise_timeout_since(const Call *call, double seconds, const char *missing);
/* The same with another class, after so many seconds. */
int raise_wait(const char *class_name, const Call *call, double seconds, const char *missing);
/* Have Timeout say why nobody can complete a call, where `explain` knows it; NULL: it does not. */
void errors_explain_waits(const char *(*explain)(const Call *call));
/* Whether the exception at hand is of exactly this class of polympi.errors; the same of Timeout, not of one
 * of a signal handler or of Python. */
bool is_raised(const char *class_name);
bool is_timeout(void);

/* Raise MemoryError. -1. */
static inline int no_memory(void) {
    PyErr_NoMemory();
    return -1;
}

/* The current exception, normalised and with its trace: a new reference, and no exception is set any more. */
PyObject *take_exception(void);
/* Set an exception, and drop the reference to it; NULL: none. */
void restore_exception(PyObject *exception);

/* Have the exceptions at hand also when nothing can be imported any more. */
int errors_prepare(void);

/* "recv(source=1, tag=7)", as the user would write it, in at most CALL_TEXT bytes. */
#define CALL_TEXT 128
void call_text(char *text, size_t room, const Call *call);
/* The same; a new reference. */
PyObject *describe_call(const Call *call);
/* File and line of the nearest caller that is not polympi itself, "halo.py:42"; a new reference. */
PyObject *callers_place(void);

#endif
