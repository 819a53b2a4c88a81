/* A message between two ranks, whatever it holds.
 *
 * It is one small message of at most PACKET_BYTES on the communicator: the stream of the codec, or, when that
 * is longer or has parts, an announcement (wire.h). What is announced is sent on the shadow communicator,
 * directly from and into its memory, with the sender's sequence number as tag. So only the small messages
 * decide about wildcards and order. */
#pragma once

#include "codec/codec.h"
#include "transfer/communicator.h"
#include "transfer/progress/wait.h"

enum mode { STANDARD, SYNCHRONOUS, READY };

/* Where the small message is sent: on the user's communicator, or, for pieces of a collective, on the shadow
 * communicator with the tag of the collective call, where no receive of the user can match it. */
enum channel { USER, INTERNAL };

/* Tags on the shadow communicator: for pieces of the current collective call, after comm->collective was
 * counted up; for what is announced; for offers and their answers; for the notes of subsets (subset.h); for
 * the data of a channel (channel.h). */
int internal_tag(const Communicator *comm);
int sequence_tag(uint32_t sequence);
int agreement_tag(void);
int subset_tag(void);
int channel_tag(uint32_t number);
uint32_t channel_tags(void); /* how many there are */
bool is_channel_tag(int tag);

/* A message that is being sent. */
typedef struct {
    Communicator *comm;
    char *packet;         /* PACKET_BYTES: where the small message is written; the stream begins in it, too */
    bool lasts;           /* send the small message from memory of just its size: it may take long */
    struct Sending *kept; /* which has it then, instead of the packet */
    Stream stream;
    MPI_Request *requests; /* the small message and what it announces; `first` while they fit there */
    int request_count, request_capacity;
    MPI_Request first[4];
    char **copies; /* memory of this message alone: packed strided parts, a body, what bsend copied */
    int copy_count;
    Call call;
} Outgoing;

/* Take a packet, for codec_encode(&out->stream, value). */
int outgoing_open(Outgoing *out, Communicator *comm, const Call *call);
/* Open with a packet of the caller, which `out` takes over. */
void outgoing_open_packet(Outgoing *out, char *packet, Communicator *comm, const Call *call);
/* Copy all parts, so that what was encoded need not stay as it is (bsend). 0 or -1. */
int outgoing_copy_parts(Outgoing *out);
/* Start sending what was encoded. `dest` and `tag` were checked. After -1 the caller closes. */
int outgoing_start(Outgoing *out, enum channel channel, int dest, int tag, enum mode mode);
/* Encode and start a large array in C order of a native dtype, in standard mode, directly from its memory: 1;
 * 0 for any other object; -1. */
int outgoing_start_simple(Outgoing *out, PyObject *object, int dest, int tag);
/* Wait for it and close. After a time-out or a signal, what is in flight is kept alive until it is complete.
 */
int outgoing_wait(Outgoing *out, double timeout);
/* Whether it is complete. Does not close. */
enum step outgoing_test(Outgoing *out);
/* Release all it holds; what is still in flight is kept alive until it is complete. */
void outgoing_close(Outgoing *out);
/* Close likewise; the message takes `buffered` bytes of the attached buffer until it is complete. */
void outgoing_abandon(Outgoing *out, Py_ssize_t buffered);

/* What a receive reports in addition to the object. */
typedef struct {
    int source, tag;
    Py_ssize_t elements; /* of an array, 1 for any other object; -1 where not known */
    Py_ssize_t nbytes;   /* of the data; -1 where not known (after a probe) */
    bool place_only; /* given to incoming_receive: source and tag are enough, the others may be anything */
} Status;

/* A message that is being received. */
typedef struct Incoming Incoming;

/* Post a receive of an object, or into memory that the user gave (`into` neither NULL nor None). Source and
 * tag are the user's, checked, with wildcards but without PROC_NULL. MismatchError if `into` isn't writable
 * memory. */
Incoming *incoming_start(Communicator *comm, enum channel channel, int source, int tag, PyObject *into,
                         const Call *call);
/* Post the receive of a user's message even if `into` isn't writable memory, so that the sender doesn't hang:
 * the message is then received and dropped, and its delivery raises the reason. */
Incoming *incoming_start_promised(Communicator *comm, int source, int tag, PyObject *into, const Call *call);
/* Post a receive into an open target, which is taken over (on failure, too). */
Incoming *incoming_start_target(Communicator *comm, enum channel channel, int source, int tag,
                                const Target *target, const Call *call);
/* Wait; the object received (or the object given as `into`), a new reference, or NULL. `status` may be NULL.
 * Always closes; a receive that has timed out is cancelled. Data in flight are waited for longer; after that
 * the message is kept for another receive. */
PyObject *incoming_wait(Incoming *in, Status *status, double timeout);
/* Post a receive as incoming_start_promised does, and wait for it. A small message that arrives at once costs
 * little more than MPI's own calls. `status` may be NULL. */
PyObject *incoming_receive(Communicator *comm, int source, int tag, PyObject *into, const Call *call,
                           Status *status, double timeout);
/* If it is into an array of which a small message has arrived: the array, a new reference, and it is closed.
 * NULL without an exception: wait for it, or deliver it. */
PyObject *incoming_take_array(Incoming *in, Status *status);
/* Wait until all has arrived. Does not close: after a time-out the caller may wait again. */
int incoming_finish(Incoming *in, double timeout);
/* Whether all has arrived, or nothing more will because the message is wrong, which incoming_deliver reports.
 * Does not close. */
bool incoming_test(Incoming *in);
/* What has arrived, as incoming_wait returns it. Closes. */
PyObject *incoming_deliver(Incoming *in, Status *status);
/* Whether the parts of a stream may overlap with the memory that is received into: then copy them first. */
bool incoming_overlaps(const Incoming *in, const Stream *stream);
/* Put it on the list of `progress`, because something else is waited for first. */
void incoming_list(Incoming *in);
const Call *incoming_call(const Incoming *in);
/* Cancel and close a receive without a message: 1; 0 if a message has arrived (not closed). */
int incoming_cancel(Incoming *in);
/* Nobody will wait for it: cancel and close it, or keep its message for another receive
 * (unclaimed_messages.h). Pieces of collectives are abandoned. An exception that is set stays. */
void incoming_leave(Incoming *in);
/* After closing one that was posted for long: give memory back if there were very many. */
void incoming_trim(void);
/* Nobody will wait for the message: receive and drop it, so that its sender doesn't hang. */
void incoming_abandon(Incoming *in);

/* Make progress on all posted receives, all collective calls in flight (progress_list.h), and all sends that
 * nobody waits for. */
void progress(void);
/* Make progress on the next few of each, in turn: what waits and tests repeat, whose time must not grow with
 * the number of entries. */
void progress_some(void);
/* Whether anything needs progress. */
bool anything_pending(void);
/* Whether data of a receive are in flight that this rank has to fetch. */
bool receives_arriving(void);
/* Whether there are such data or sends, as far as a short look shows; a rank that sleeps meanwhile delays
 * them.
 */
enum others others_under_way(void);
/* A collective of the library was tested in vain by the last progress_some. Guarded by the GIL. */
extern bool library_call_under_way;
/* How many steps the receives in flight still need: one for the message, one for its data. */
Py_ssize_t receive_steps_left(void);
/* The call of a pending receive on the communicator that may be waited for, or NULL. */
const Call *receive_under_way(const Communicator *comm);
/* For wait_poll: give up the receives on a Communicator that nobody will wait for; PENDING while data of one
 * are in flight. */
enum step give_up_abandoned(void *communicator);
/* Append "send(dest=1, tag=0) was never received" to a Python list. */
int report_call(PyObject *sentences, const Call *call, const char *fate);
/* Append one sentence per pending receive to a Python list. */
int report_receives(PyObject *sentences);
/* At the very end, without Python: make progress on the data of receives; whether some are left. */
bool receives_test(void);
/* Just before MPI_Finalize, without Python: cancel all receives without a message. */
void withdraw_receives(void);

/* Whether a call matches a message from this source with this tag. */
static inline bool takes(const Call *call, int source, int tag) {
    return (call->peer == ANY_SOURCE || call->peer == source) && (call->tag == ANY_TAG || call->tag == tag);
}

/* MPI's numbers for ours. */
static inline int mpi_source(int source) {
    return likely(source >= 0) ? source : source == ANY_SOURCE ? MPI_ANY_SOURCE : MPI_PROC_NULL;
}
static inline int mpi_tag(int tag) { return likely(tag >= 0) ? tag : MPI_ANY_TAG; }

/* Packets of PACKET_BYTES from a free list, each of which begins with the address of the next. NULL with an
 * exception. */
extern char *free_packets;
char *packet_new(void);
static inline char *packet_take(void) {
    char *packet = free_packets;
    if (unlikely(!packet))
        return packet_new();
    memcpy(&free_packets, packet, sizeof packet);
    return packet;
}
static inline void packet_give(char *packet) {
    memcpy(packet, &free_packets, sizeof packet);
    free_packets = packet;
}
