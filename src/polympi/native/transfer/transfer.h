/* A message between two ranks, whatever it holds.
 *
 * It is one small message of at most PACKET_BYTES on the communicator: the stream of the codec, or, when that
 * is longer or parts go with it, an announcement (wire.h). What is announced travels on the shadow
 * communicator, parts from where they lie to where they shall lie, with the sender's sequence number as tag,
 * so that wildcards and order are those of the small messages alone.
 */
#ifndef POLYMPI_TRANSFER_H
#define POLYMPI_TRANSFER_H

#include "codec/codec.h"
#include "transfer/communicator.h"
#include "transfer/progress/wait.h"

enum mode { STANDARD, SYNCHRONOUS, READY };

/* Where the small message travels: users' messages, or pieces of a collective (on the shadow communicator,
 * with the tag of the collective call), which no receive of the user can match. */
enum channel { USER, INTERNAL };

/* Tags on the shadow communicator: of pieces of the collective call under way, after comm->collective was
 * counted up; of what is announced; of offers and their answers, and of the data of a channel (channel.h). */
int internal_tag(const Communicator *comm);
int sequence_tag(uint32_t sequence);
int agreement_tag(void);
int channel_tag(uint32_t number);
uint32_t channel_tags(void); /* how many there are */
bool is_channel_tag(int tag);

/* A message on its way out. */
typedef struct {
    Communicator *comm;
    char *packet;         /* PACKET_BYTES: where the small message is written; the stream begins in it, too */
    bool lasts;           /* the small message shall travel from memory of its own size: it may take long */
    struct Sending *kept; /* which has it then, instead of the packet */
    Stream stream;
    MPI_Request *requests; /* the small message and what it announces; `first` while they fit there */
    int request_count, request_capacity;
    MPI_Request first[4];
    char **copies; /* memory of this message alone: packed strided parts, a body, what bsend copied */
    int copy_count;
    Call call;
} Outgoing;

/* Take a packet, for codec_encode(&out->stream, value). 0 or -1 (MemoryError). */
int outgoing_open(Outgoing *out, Communicator *comm, const Call *call);
/* The same with a packet that is taken over. */
void outgoing_open_packet(Outgoing *out, char *packet, Communicator *comm, const Call *call);
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
/* Whether it is complete. Does not close. */
enum step outgoing_test(Outgoing *out);
/* Give back the packet, the stream, the owners; what is still under way is kept alive until complete. */
void outgoing_close(Outgoing *out);
/* Close, as above; the message takes `buffered` bytes of the attached buffer until it is complete. */
void outgoing_abandon(Outgoing *out, Py_ssize_t buffered);

/* What a receive tells besides the object. */
typedef struct {
    int source, tag;
    Py_ssize_t elements; /* of an array, 1 for any other object; -1 where not known */
    Py_ssize_t nbytes;   /* of the data; -1 where not known (after a probe) */
    bool place_only; /* given to incoming_receive: source and tag are enough, the others may be anything */
} Status;

/* A message on its way in. */
typedef struct Incoming Incoming;

/* Post a receive (source and tag as the user gives them, checked, wildcards too, PROC_NULL not) of an object,
 * or into memory that the user gave (NULL or None: of an object). NULL or an exception: MismatchError where
 * `into` is no writable memory. */
Incoming *incoming_start(Communicator *comm, enum channel channel, int source, int tag, PyObject *into,
                         const Call *call);
/* The same of a user's message that the call waits for: where `into` is no writable memory, too, lest the
 * sender waits for ever. The message is then taken in and dropped, and its delivery raises why. */
Incoming *incoming_start_promised(Communicator *comm, int source, int tag, PyObject *into, const Call *call);
/* The same into an open target, which the incoming message takes over (on failure, too). */
Incoming *incoming_start_target(Communicator *comm, enum channel channel, int source, int tag,
                                const Target *target, const Call *call);
/* Wait; the object received (or the object given as `into`), a new reference, or NULL. `status` may be NULL.
 * Closes, always; a receive that has timed out is cancelled. Data that are under way are waited for longer;
 * in the end the message is kept for another receive. */
PyObject *incoming_wait(Incoming *in, Status *status, double timeout);
/* Post a receive as incoming_start_promised does, and wait for it. What is small and comes at once costs
 * little more than MPI's own calls. `status` may be NULL. */
PyObject *incoming_receive(Communicator *comm, int source, int tag, PyObject *into, const Call *call,
                           Status *status, double timeout);
/* Wait until all has arrived: 0, or -1 (Timeout, what a signal handler raised). Does not close, so that one
 * may wait again. */
int incoming_finish(Incoming *in, double timeout);
/* Whether all has arrived, or the message turned out to be wrong and nothing more will; incoming_deliver
 * tells. Does not close. */
bool incoming_test(Incoming *in);
/* What has arrived, as incoming_wait returns it. Closes. */
PyObject *incoming_deliver(Incoming *in, Status *status);
/* Whether the parts of a stream may share memory with what is received into: then copy them first. */
bool incoming_overlaps(const Incoming *in, const Stream *stream);
/* Let `progress` move it on, because something else is waited for first. */
void incoming_list(Incoming *in);
const Call *incoming_call(const Incoming *in);
/* Cancel a receive that no message has come for, and close it: 1; 0 when a message is there (not closed). */
int incoming_cancel(Incoming *in);
/* Nobody will wait for it any more: cancel, and close, or keep what has come for another receive
 * (unclaimed_messages.h). Pieces of collectives are abandoned. An exception that is set stays. */
void incoming_leave(Incoming *in);
/* After one that was posted for long is closed: give memory back where there were very many. */
void incoming_trim(void);
/* Nobody will wait for what comes, which is taken in and dropped, lest its sender waits for ever. */
void incoming_abandon(Incoming *in);

/* Move on all receives that are posted, all collective calls under way (progress_list.h), and all sends that
 * nobody waits for. */
void progress(void);
/* The same of the next few of each in turn, so that it takes no longer where there are many: what waits and
 * tests do again and again. */
void progress_some(void);
/* Whether there is anything to move on. */
bool anything_pending(void);
/* Whether data of a receive are on their way that this rank has to fetch. */
bool receives_arriving(void);
/* How often something is still to come for the receives under way: of each the message, and then its data. */
Py_ssize_t receive_steps_left(void);
/* The call of a receive on the communicator that is under way and may be waited for; NULL: there is none. */
const Call *receive_under_way(const Communicator *comm);
/* Give up the receives on a Communicator that nobody will wait for: PENDING while data of one are under way.
 * For wait_poll. */
enum step give_up_abandoned(void *communicator);
/* Append "send(dest=1, tag=0) was never received" to a Python list. */
int report_call(PyObject *sentences, const Call *call, const char *fate);
/* Receives that are still under way, one sentence each, appended to a Python list. */
int report_receives(PyObject *sentences);
/* Move on the data of receives without Python, at the very end; whether there are still some. */
bool receives_test(void);
/* Take back all receives that no message has come for, just before MPI_Finalize; without Python. */
void withdraw_receives(void);

/* Whether a call asks for a message from this source with this tag. */
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

#endif
