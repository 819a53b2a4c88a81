/* A channel: a transfer from memory of one rank to memory of another that both have agreed on, so that only
 * the elements are sent, on the shadow communicator with a tag of the channel. A plan consists of channels.
 */
#pragma once

#include "memory/strided.h"
#include "transfer/transfer.h"

typedef struct Channel {
    Communicator *comm; /* borrowed from the owner of the channel */
    Call call;          /* plan.send or plan.recv */
    Target memory;
    enum { ALONE, ASKING, AGREED, UNFIT } stage; /* ASKING: the offer is in flight */
    int tag;                                     /* of the data */
    PyObject *refusal;                           /* UNFIT: the exception, which is raised at both ends */
    Layout layout;                               /* AGREED: in the order in which the elements travel */
    bool by_datatype; /* neither contiguous nor packed: `type` describes it to MPI */
    MPI_Datatype type;
    Loops loops;           /* of the layout where it is packed */
    char *packed;          /* memory of the pool for what is packed; NULL before its first use */
    int pieces;            /* messages of MPI; 0 without elements */
    MPI_Request *requests; /* one per message, in memory of the owner of the channel */
    struct Channel *next;  /* of those that send, on this communicator (channel_handshake.h) */
} Channel;

/* A channel for an object's memory, opened as the call says; NULL with MismatchError. */
Channel *channel_new(Communicator *comm, PyObject *object, const Call *call);
/* Free it; nothing of it may be in flight. May run Python code. */
void channel_free(Channel *channel);
/* Whether two parts of a plan, of which one receives, have separate memory: 0, or -1 with MismatchError. */
int check_apart(const Target *memory, const Call *call, const Target *other, const Call *others);

/* After the agreement: prepare all that each start needs, except memory. */
int channel_prepare(Channel *channel);
/* Start receiving, or sending what is in the memory now. Its requests are MPI_REQUEST_NULL before. */
int channel_start(Channel *channel);
/* All has arrived: unpack it into its memory. */
void channel_unpack(const Channel *channel);
/* Nobody will wait for what it sends: the message completes by itself, and the channel may be freed. */
void channel_let_go(Channel *channel);
/* Cancel receives for which nothing has arrived; without Python. */
void channel_withdraw(Channel *channel);
