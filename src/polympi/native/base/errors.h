/* Errors as exceptions of polympi.errors; the functions that raise return -1, for the caller to return.
 *
 * In all of the core, a function that returns int returns 0, or -1 with an exception set; one that returns a
 * pointer returns NULL with an exception set. Comments name only what differs from this.
 */
#pragma once

#include "base/state.h"

/* From now on errors name the hosts of ranks: `host_of` returns that of a rank of the communicator of a Call,
 * or NULL; `own` is that of this rank. Both remain valid. Not called if there is one host. */
enum { HOST_BYTES = 64 }; /* of a name with its end: as long as Linux allows them */
void errors_name_hosts(const char *(*host_of)(const void *comm, int rank), const char *own);
/* The host of this rank; NULL: there is one host. */
const char *errors_own_host(void);
/* A rank of the call's communicator as text, of at most RANK_TEXT bytes: "rank 3", with hosts "rank 3 (host
 * b)"; the caller itself as "rank 3 of this communicator (rank 5 of the world)" if the two differ, and a
 * peer on an intercommunicator as "rank 3 of the remote group". Returns `text`. */
enum { RANK_TEXT = HOST_BYTES + 96 };
const char *rank_text(char text[RANK_TEXT], const Call *call, int rank);

/* Raise a class of polympi.errors ("RankError") with a sentence (printf style, %R and the like as in
 * PyUnicode_FromFormat) and the attributes of the call, which may be NULL. */
int raise_error(const char *class_name, const Call *call, const char *format, ...);
/* Raise likewise, with a stolen sentence (NULL: an exception is set already) and the attribute `code`, None
 * for NO_CODE. */
enum { NO_CODE = -1 };
int raise_coded(const char *class_name, const Call *call, PyObject *sentence, int code);

/* Mark the current exception, by its attribute `consequence`, as one that only reports the failure of another
 * rank. */
int raised_by_another(void);

/* Raise Timeout, with the call, its peer, and file and line of the caller's code. */
int raise_timeout(const Call *call, double seconds);
/* Raise Timeout with a text about what was missing; the first one prefers the explanation of
 * errors_explain_waits. */
int raise_timeout_unless_explained(const Call *call, double seconds, const char *missing);
int raise_timeout_since(const Call *call, double seconds, const char *missing);
/* Raise another class with the text of a time-out after this many seconds. */
int raise_wait(const char *class_name, const Call *call, double seconds, const char *missing);
/* "waited 2.2 s for rank 0 in recv(source=0, tag=7) at step.py:41: ", and what was missing (NULL: as Timeout
 * has it); the communicator, or "", follows the call. A new reference. */
PyObject *describe_wait(const Call *call, double seconds, const char *communicator, const char *missing);
/* Let Timeout say why nobody can complete a call, if `explain` doesn't return NULL. */
void errors_explain_waits(const char *(*explain)(const Call *call));
/* Whether the current exception is of exactly this class of polympi.errors; is_timeout: polympi's Timeout,
 * not that of a signal handler or of Python. */
bool is_raised(const char *class_name);
/* Whether it is polympi.Error or a subclass. */
bool is_any_error(void);
bool is_timeout(void);

/* Raise MemoryError. -1. */
static inline int no_memory(void) {
    PyErr_NoMemory();
    return -1;
}

/* Take the current exception, normalised and with its trace: a new reference. */
PyObject *take_exception(void);
/* Set an exception, and drop the reference to it; NULL: none. */
void restore_exception(PyObject *exception);

/* Load the exceptions before nothing can be imported any longer. */
int errors_prepare(void);

/* "recv(source=1, tag=7)", as the user would write it, in at most CALL_TEXT bytes. */
#define CALL_TEXT 128
void call_text(char *text, size_t room, const Call *call);
/* That text as a str; a new reference. */
PyObject *describe_call(const Call *call);
/* Write a sentence, of at most REPORT_BYTES, to standard error, after the rank. */
enum { REPORT_BYTES = 1024 };
void write_report(const char *sentence);
/* File and line of the nearest caller that is not polympi itself, "halo.py:42"; a new reference. */
PyObject *callers_place(void);
