/* A message between two ranks, whatever it holds.
 *
 * It is one small message of at most BLOCK_BYTES on the communicator: the stream of the codec, or, when that
 * is longer or parts go with it, an announcement (TAG_REMOTE). What is announced travels on the shadow
 * communicator, parts from where they lie to where they shall lie, with the sender's sequence number as tag,
 * so that wildcards and order are those of the small messages alone.
 */
#ifndef POLYMPI_TRANSFER_H
#define POLYMPI_TRANSFER_H

#include "codec.h"
#include "communicator.h"
#include "wait.h"

#define BLOCK_BYTES 8192

enum mode { STANDARD, SYNCHRONOUS, READY };

/* Where the small message travels: users' messages, or pieces of a collective (on the shadow communicator,
 * with the tag of the collective call), which no receive of the user can match. */
enum channel { USER, INTERNAL };

/* The tag of pieces of the collective call under way: after comm->collective was counted up. */
int internal_tag(const Communicator *comm);

/* A message on its way out. */
typedef struct {
    Communicator *comm;
    char *block; /* BLOCK_BYTES: where the small message is written; the stream begins in it, too */
    Stream stream;
    MPI_Request *requests; /* the small message and what it announces; `first` while they fit there */
    int request_count, request_capacity;
    MPI_Request first[4];
    char **copies; /* memory of this message alone: packed strided parts, a body, what bsend copied */
    int copy_count;
    Call call;
} Outgoing;

/* Take a block, for codec_encode(&out->stream, value). 0 or -1 (MemoryError). */
int outgoing_open(Outgoing *out, Communicator *comm, const Call *call);
/* Copy all parts, so that what was encoded need not stay as it is (bsend). 0 or -1. */
int outgoing_copy_parts(Outgoing *out);
/* Start sending what was encoded. `dest` and `tag` were checked. 0, or -1 (the caller closes). */
int outgoing_start(Outgoing *out, enum channel channel, int dest, int tag, enum mode mode);
/* Encode and start a large array in C order of a native dtype, in standard mode, from where it lies: 1; 0 for
 * any other object; -1. */
int outgoing_start_simple(Outgoing *out, PyObject *object, int dest, int tag);
/* Wait for it and close. After a time-out or a signal what is under way is kept alive until complete. 0 or
 * -1. */
int outgoing_wait(Outgoing *out, double timeout);
/* 1 complete, 0 not yet, -1 exception. Does not close. */
int outgoing_test(Outgoing *out);
/* Give back the block, the stream, the owners; what is still under way is kept alive until it is complete. */
void outgoing_close(Outgoing *out);
/* Close, as above; the message takes `buffered` bytes of the attached buffer until it is complete. */
void outgoing_abandon(Outgoing *out, Py_ssize_t buffered);

/* Whether sends are under way that nobody waits for. */
bool sends_abandoned(void);
/* Bytes of the attached buffer that messages take now. */
Py_ssize_t buffered_bytes(void);

/* What a receive tells besides the object. */
typedef struct {
    int source, tag;
    Py_ssize_t elements; /* of an array, 1 for any other object; -1 where not known */
    Py_ssize_t nbytes;   /* of the data; -1 where not known (after a probe) */
} Status;

/* A message on its way in. */
typedef struct Incoming Incoming;

/* Post a receive (source and tag as the user gives them, checked, wildcards too, PROC_NULL not) of an object,
 * or into memory that the user gave (NULL or None: of an object). NULL or an exception: MismatchError where
 * `into` is no writable memory. */
Incoming *incoming_start(Communicator *comm, enum channel channel, int source, int tag, PyObject *into,
                         const Call *call);
/* The same into an open target, which the incoming message takes over (on failure, too). */
Incoming *incoming_start_target(Communicator *comm, enum channel channel, int source, int tag,
                                const Target *target, const Call *call);
/* Wait; the object received (or the object given as `into`), a new reference, or NULL. `status` may be NULL.
 * Closes, always; a receive that has timed out is cancelled. Data that are under way are waited for longer,
 * and in the end kept alive. */
PyObject *incoming_wait(Incoming *in, Status *status, double timeout);
/* Wait until all has arrived: 0, or -1 (Timeout, what a signal handler raised). Does not close, so that one
 * may wait again. */
int incoming_finish(Incoming *in, double timeout);
/* Whether all has arrived, or the message turned out to be wrong and nothing more will; incoming_deliver
 * tells. Does not close. */
bool incoming_test(Incoming *in);
/* What has arrived, as incoming_wait returns it. Closes. */
PyObject *incoming_deliver(Incoming *in, Status *status);
/* Let `progress` move it on, because something else is waited for first. */
void incoming_list(Incoming *in);
/* Whether a thread waits for it. */
bool incoming_waited_for(const Incoming *in);
const Call *incoming_call(const Incoming *in);
/* Cancel a receive that no message has come for, and close it: 1; 0 when a message is there (not closed). */
int incoming_cancel(Incoming *in);
/* After a failure, whose exception is set: cancel, and close. False when a message has come at this very
 * moment: then nothing is closed and the exception is gone. */
bool incoming_give_up(Incoming *in);
/* Nobody will wait for it: it stays posted, as MPI has it, and is dropped when a message has come. */
void incoming_abandon(Incoming *in);

/* Move on all receives that are posted and all sends that nobody waits for; after each call of MPI that took
 * long. */
void progress(void);
/* Whether there is anything to move on. */
bool anything_pending(void);
/* Whether data of a receive are on their way that this rank has to fetch. */
bool receives_arriving(void);
/* The call of a receive on the communicator that is under way and may be waited for; NULL: there is none. */
const Call *receive_under_way(const Communicator *comm);
/* Give up the receives on a Communicator that nobody will wait for: 1 when none is left, 0 while data of one
 * are under way. For wait_poll. */
int give_up_abandoned(void *communicator);
/* What is still under way, one sentence each, appended to a Python list; whether there are sends among it. */
int report_pending(PyObject *sentences, bool *sends);
/* Take back all receives that no message has come for, just before MPI_Finalize; without Python. */
void withdraw_receives(void);

/* MPI's numbers for ours. */
static inline int mpi_source(int source) {
    return likely(source >= 0) ? source : source == ANY_SOURCE ? MPI_ANY_SOURCE : MPI_PROC_NULL;
}
static inline int mpi_tag(int tag) { return likely(tag >= 0) ? tag : MPI_ANY_TAG; }

/* Blocks of BLOCK_BYTES from a free list. */
char *block_take(void);
void block_give(char *block);

#endif
