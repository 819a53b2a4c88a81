/* A message between two ranks, whatever it holds.
 *
 * It is one small message of at most BLOCK_BYTES on the communicator: the stream of the codec, or, when that is longer
 * or parts go with it, an announcement (TAG_REMOTE). What is announced travels on the shadow communicator, parts from
 * where they lie to where they shall lie, with the sender's sequence number as tag, so that wildcards and order are
 * those of the small messages alone.
 */
#ifndef POLYMPI_TRANSFER_H
#define POLYMPI_TRANSFER_H

#include "codec.h"
#include "communicator.h"
#include "wait.h"

#define BLOCK_BYTES 8192

enum mode { STANDARD, SYNCHRONOUS, READY };

/* Where the small message travels: users' messages, or pieces of a collective (on the shadow communicator, with a tag
 * of internal_tag), which no receive of the user can match. */
enum channel { USER, INTERNAL };
int internal_tag(Communicator *comm); /* of the collective call under way: after comm->collective was counted up */

/* A message on its way out. Must not move in memory between start and wait. */
typedef struct {
    Communicator *comm;
    char *block;      /* BLOCK_BYTES: where the small message is written; the stream begins in it, too */
    Stream stream;
    MPI_Request *requests; /* the small message and what it announces */
    int request_count;
    MPI_Request first[4];
    char **packed; /* temporary memory of strided parts */
    int packed_count;
    Call call;
} Outgoing;

/* Take a block, for codec_encode(&out->stream, value). 0 or -1 (MemoryError). */
int outgoing_open(Outgoing *out, Communicator *comm, const Call *call);
/* Start sending what was encoded. 0 or -1. */
int outgoing_start(Outgoing *out, enum channel channel, int dest, int tag, enum mode mode);
/* Wait for it. After a time-out or a signal what is under way is kept alive until it is complete. Closes. 0 or -1. */
int outgoing_wait(Outgoing *out, double timeout);
/* 1 complete, 0 not yet, -1 exception. Does not close. */
int outgoing_test(Outgoing *out);
/* Give back the block, the stream, the owners; what is still under way is kept alive until it is complete. */
void outgoing_close(Outgoing *out);

/* A message on its way in. Must not move in memory while it is open. */
typedef struct Incoming Incoming;

/* Post a receive (source and tag as the user gives them, wildcards too). `into` is NULL, or an open target that the
 * incoming message takes over. NULL or an exception. */
Incoming *incoming_start(Communicator *comm, enum channel channel, int source, int tag, Target *into, const Call *call);
/* Wait; the object received (or the object given as `into`), a new reference, or NULL. The status (source, tag, bytes)
 * is in `status` if that is not NULL. Closes, always; a receive that has timed out is cancelled. */
PyObject *incoming_wait(Incoming *in, Status *status, double timeout);
/* 1 complete (incoming_wait then returns at once), 0 not yet, -1 exception. */
int incoming_test(Incoming *in);

#endif
