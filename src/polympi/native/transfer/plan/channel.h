/* A channel: a way from memory of one rank to memory of another, which both know, so that only the elements
 * travel: on the shadow communicator, with a tag of its own. What a plan is made of. */
#ifndef POLYMPI_TRANSFER_PLAN_CHANNEL_H
#define POLYMPI_TRANSFER_PLAN_CHANNEL_H

#include "memory/strided.h"
#include "transfer/transfer.h"

typedef struct Channel {
    Communicator *comm; /* borrowed: whoever has the channel holds it */
    Call call;          /* plan.send or plan.recv */
    Target memory;
    enum { ALONE, ASKING, AGREED, UNFIT } stage; /* ASKING: the offer is under way */
    int tag;                                     /* of the data */
    PyObject *refusal;                           /* UNFIT: the exception, which is raised at both ends */
    Layout layout;                               /* AGREED: in the order in which the elements travel */
    bool by_datatype; /* neither contiguous nor packed: `type` describes it to MPI */
    MPI_Datatype type;
    Loops loops;           /* of the layout where it is packed */
    char *packed;          /* memory of the pool for what is packed; NULL before its first use */
    int pieces;            /* messages of MPI, 0 where there are no elements */
    MPI_Request *requests; /* as many, in memory of whoever has the channel */
    struct Channel *next;  /* of those that send, on this communicator (channel_handshake.h) */
} Channel;

/* Of an object's memory, opened as the call says; NULL with MismatchError. */
Channel *channel_new(Communicator *comm, PyObject *object, const Call *call);
/* Give it back; nothing of it may be under way. May run Python code. */
void channel_free(Channel *channel);
/* The object that its memory belongs to; borrowed. */
PyObject *channel_owner(const Channel *channel);
/* Whether the memory of two of them, of which one receives, overlaps: 1, 0 no, -1 exception. */
int channels_overlap(const Channel *one, const Channel *other);

/* It was agreed on: make ready what it needs for each time, but memory. */
int channel_prepare(Channel *channel);
/* Begin to receive, or to send what is in the memory now. Its requests are MPI_REQUEST_NULL before. */
int channel_start(Channel *channel);
/* All has arrived: put it where it belongs. */
void channel_unpack(const Channel *channel);
/* Nobody will wait for what it sends: the message goes on by itself, and the channel may be given back. */
void channel_let_go(Channel *channel);
/* Take back what it receives, as far as nothing has come; without Python. */
void channel_withdraw(Channel *channel);

#endif
