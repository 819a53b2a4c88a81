/* Messages that are under way when their calls have returned: of requests, or nobody waits for them. */
#ifndef POLYMPI_TRANSFER_SEND_SENDING_H
#define POLYMPI_TRANSFER_SEND_SENDING_H

#include "transfer/transfer.h"

/* How long a message may still take when no rank does anything any more: on one network, milliseconds. */
#define GRACE_SECONDS 1.0

/* A message that is under way when its call has returned: of a request, or one that nobody waits for. There
 * may be very many, so it holds no more than that takes. */
typedef struct Sending {
    struct Sending *next,
        *previous; /* of those of requests; or of those that nobody waits for (next alone) */
    union {
        struct Request *request;
        Py_ssize_t buffered; /* bytes of the attached buffer that it takes, where nobody waits for it */
    };
    PyObject *comm; /* a communicator, or a plain one; held, since it may be dropped before the message has
                       arrived */
    Call call;
    MPI_Request first, *requests;
    int request_count;
    size_t nbytes; /* of all of this, with the message */
    struct belongings
        *belongings; /* memory and objects that MPI reads from; NULL: the small message is all */
    char message[];
} Sending;

/* Memory for one whose small message has so many bytes, or is not in it; NULL, and no exception is set. */
Sending *sending_take(Py_ssize_t message_bytes);
/* Give it back before it is kept; NULL is fine. */
void sending_give(Sending *send);
/* Give back what a message was sent from. */
void outgoing_free(Stream *stream, char **copies, int copy_count);
/* Keep what was started, which is closed so, in memory of its own; NULL with MemoryError. */
Sending *outgoing_keep(Outgoing *out);
/* One request, of a message that reads from memory of `owner`, and a copy of its own (NULL: none; pool_free
 * gives it back): NULL where there is no memory, and all of it is lost rather than freed under MPI's hands.
 */
Sending *sending_new(PyObject *comm, const Call *call, MPI_Request request, PyObject *owner, char *copy);
/* Whether it is on this communicator, or is a plain message on it, and not known to be complete. */
bool sending_is_on(const Sending *send, const Communicator *comm);
/* Whether it is complete. Does not close. */
enum step sending_test(Sending *send);
/* Give it back; what is still under way is kept until it is complete, taking `buffered` bytes of the attached
 * buffer. */
void sending_close(Sending *send, Py_ssize_t buffered);

/* ---- those that nobody waits for ---- */

/* Take over requests of one message, which reads from memory of `owner`, and a copy of its own (NULL: none;
 * pool_free gives it back). Where there is no memory for that, all of it is lost rather than freed under
 * MPI's hands. */
void sending_adopt(PyObject *comm, const Call *call, const MPI_Request *requests, int count, PyObject *owner,
                   char *copy);

/* Whether there are any. */
bool sends_abandoned(void);
/* Whether there are any on this communicator, plain ones included, as far as is known complete. */
bool orphans_on(const Communicator *comm);
/* The call of the next of them; `*place` is NULL at first. NULL: that was all. */
const Call *sends_next(const void **place);
/* Move them on without Python, at the very end; whether there are still some. */
bool sends_test(void);
/* Bytes of the attached buffer that messages take now. */
Py_ssize_t buffered_bytes(void);
/* Free those that are complete; `most` of them are looked at, in turn. */
void orphans_progress(Py_ssize_t most);
/* One sentence each, appended to a Python list. */
int orphans_report(PyObject *sentences);

#endif
