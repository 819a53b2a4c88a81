/* Messages that are in flight after their calls have returned: those of requests, and those that nobody waits
 * for. */
#pragma once

#include "transfer/transfer.h"

/* How long a message may take once no rank does anything else: milliseconds on one network. */
#define GRACE_SECONDS 1.0

/* A message in flight whose call has returned. There may be very many, so it holds only what it needs. */
typedef struct Sending {
    struct Sending *next,
        *previous; /* among those of requests; or, by `next` alone, among those that nobody waits for */
    union {
        struct Request *request;
        Py_ssize_t buffered; /* bytes of the attached buffer that it takes, if nobody waits for it */
    };
    PyObject *comm; /* a communicator, or a raw one; held until the message is complete */
    Call call;
    MPI_Request first, *requests;
    int request_count;
    size_t nbytes; /* of all of this, with the message */
    struct belongings
        *belongings; /* memory and objects that MPI reads from; NULL: the small message is all */
    char message[];
} Sending;

/* Memory for one with a small message of this many bytes; NULL without an exception. */
Sending *sending_take(Py_ssize_t message_bytes);
/* Free it before it is kept; NULL is fine. */
void sending_give(Sending *send);
/* Free the memory from which a message was sent. */
void outgoing_free(Stream *stream, char **copies, int copy_count);
/* Move a started message into its own memory, which closes `out`; NULL with MemoryError. */
Sending *outgoing_keep(Outgoing *out);
/* Start the send of a small array in C order of a native dtype, in standard mode, from memory of just its
 * size; `tested`: once, since it is likely to be complete. 1, and `*kept` is what is in flight, NULL if it is
 * complete; 0 for any other object; -1 with an exception. */
int sending_start_array(Communicator *comm, PyObject *object, const Call *call, bool tested, Sending **kept);
/* A message of one request that reads from memory of `owner`, or from `copy` (may be NULL), which pool_free
 * frees in the end. NULL without memory: then all is leaked, since MPI may still read it. */
Sending *sending_new(PyObject *comm, const Call *call, MPI_Request request, PyObject *owner, char *copy);
/* Whether it is on this communicator, raw messages included, and not known to be complete. */
bool sending_is_on(const Sending *send, const Communicator *comm);
/* Whether it is complete. Does not close. */
enum step sending_test(Sending *send);
/* Free it; if it is still in flight, once it is complete: until then it takes `buffered` bytes of the
 * attached buffer. */
void sending_close(Sending *send, Py_ssize_t buffered);

/* ---- those that nobody waits for ---- */

/* Take over several requests of one message; the rest is as for sending_new. */
void sending_adopt(PyObject *comm, const Call *call, const MPI_Request *requests, int count, PyObject *owner,
                   char *copy);

/* Whether there are any. */
bool sends_abandoned(void);
/* Whether any are on this communicator, raw ones included, and not known to be complete. */
bool orphans_on(const Communicator *comm);
/* The call of the next of them; `*place` is NULL at first. NULL: that was all. */
const Call *sends_next(const void **place);
/* At the very end, without Python: make progress on them; whether some are left. */
bool sends_test(void);
/* Bytes of the attached buffer that are in use. */
Py_ssize_t buffered_bytes(void);
/* Test up to `most` of them, in turn, and free those that are complete. */
void orphans_progress(Py_ssize_t most);
/* Append one sentence each to a Python list. */
int orphans_report(PyObject *sentences);
