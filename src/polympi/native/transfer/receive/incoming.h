/* What a message on its way in consists of, for the files that list it, keep it, or look for it. */
#pragma once

#include "transfer/receive/inbox.h"
#include "transfer/simple_array.h"
#include "transfer/transfer.h"

enum stage {
    POSTED, /* for the small message */
    TAKING, /* a message that was kept: unclaimed_messages.h */
    BODY,   /* the body of an announcement is in flight */
    PARTS,  /* the parts are */
    ARRIVED
};

/* All that a receive needs while it waits for its message; the rest is in its inbox once that has arrived. */
struct Incoming {
    enum stage stage;
    bool filled;     /* the data went straight into the target */
    bool waited_for; /* by a thread, perhaps without the GIL: leave its requests alone */
    bool moving;     /* a thread is making progress on it, perhaps in Python code: leave it alone */
    bool abandoned;  /* nobody will wait for it: a piece of a collective, or a refused message */
    bool given_up;   /* by its receive, so that its message is kept for another one */
    bool listed;
    bool probes;  /* POSTED, but not for MPI: see probing_receive.h */
    bool expects; /* inbox->simple is how the message of the array begins */
    bool small;   /* the array's data fit into the small message */
    int request_count, request_capacity;
    MPI_Request first;     /* of the small message */
    MPI_Request *requests; /* of the stage: that one, or those in the inbox while they fit there */
    Communicator *comm;
    Call call;
    Inbox *inbox;
    PyObject *array;   /* of the user: instead of a target, while the message may be what it lets expect */
    Target *target;    /* user buffer, if any */
    PyObject *refusal; /* why the message cannot be delivered: its data are received and dropped */
    struct Incoming *next, *previous;
    struct Incoming *later, *earlier; /* those that probe; those kept (later alone) */
    uint64_t number; /* in the order in which messages are matched, of any two from one source */
};

/* Whether a receive has no message, and is no longer posted, so that none can arrive. */
bool incoming_unpost(Incoming *in);
/* The message isn't the one that its array lets expect: treat the array as any other target. */
int incoming_examine_closely(Incoming *in);
/* The first of the listed receives that could take a kept message, and had none or a later one; it is no
 * longer posted. NULL: there is none. */
Incoming *first_waiting(const Incoming *kept);

/* Keep the current exception for the receive that gets the message, unless it has one. */
void keep_refusal(Incoming *in);

/* Let go of the user buffer, into which nothing may be in flight. May run Python code at its end. */
void incoming_drop_memory(Incoming *in);
/* Release everything; nothing of it may be in flight. */
void incoming_close(Incoming *in);
/* Its message is the latest of those that were matched. */
void incoming_number(Incoming *in);
/* Take it off the list of `progress`. */
void incoming_unlist(Incoming *in);
