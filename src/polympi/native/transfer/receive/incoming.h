/* What a message on its way in consists of, for the files that list it, keep it, or look for it. */
#ifndef POLYMPI_TRANSFER_RECEIVE_INCOMING_H
#define POLYMPI_TRANSFER_RECEIVE_INCOMING_H

#include "transfer/receive/inbox.h"
#include "transfer/simple_array.h"
#include "transfer/transfer.h"

enum stage {
    POSTED, /* the small message has not come */
    TAKING, /* the message is one that was kept: see unclaimed_messages.h */
    BODY,   /* the body of an announcement is under way */
    PARTS,  /* the parts are */
    ARRIVED
};

/* A receive that waits for its message is no more than this: the rest is in its inbox, when it has come. */
struct Incoming {
    enum stage stage;
    bool filled;     /* the data went straight into the target */
    bool waited_for; /* by a thread, perhaps without the GIL: leave its requests alone */
    bool moving;     /* a thread moves it on, perhaps in Python code, where others run: leave it alone */
    bool abandoned;  /* nobody will wait for it: a piece of a collective, or a message that was refused */
    bool given_up;   /* by the receive it had come for: kept for another one */
    bool listed;
    bool seeks;   /* POSTED, but not for MPI: see probing_receive.h */
    bool expects; /* inbox->simple is how the message of the array begins */
    int request_count, request_capacity;
    MPI_Request first;     /* of the small message */
    MPI_Request *requests; /* of the stage: that one, or those in the inbox while they fit there */
    Communicator *comm;
    Call call;
    Inbox *inbox;
    PyObject *array;   /* of the user: instead of a target, while the message may be what it lets expect */
    Target *target;    /* memory of the user, if any */
    PyObject *refusal; /* why the message cannot be delivered: its data are taken in and dropped */
    struct Incoming *next, *previous;
    struct Incoming *later, *earlier; /* those that seek; those kept (later alone) */
    uint64_t number;                  /* in the order in which receives begin */
};

/* Whether a receive has no message, and is not posted any more, so that none can come. */
bool incoming_unpost(Incoming *in);
/* What comes need not be what its array lets expect: treat that as any other target. 0 or -1. */
int incoming_examine_closely(Incoming *in);
/* The first of the listed receives that could take a kept message, and had none, or a later kept one; it is
 * not posted any more. NULL: there is none. */
Incoming *first_waiting(const Incoming *kept);

/* Keep the exception that is set for the one who gets the message, unless there is one. */
void keep_refusal(Incoming *in);

/* Leave the memory of the user, where nothing may be under way. May run Python code at its end. */
void incoming_drop_memory(Incoming *in);
/* Give everything back; nothing of it may be under way. */
void incoming_close(Incoming *in);
/* Take it off the list of those that `progress` moves on. */
void incoming_unlist(Incoming *in);

#endif
