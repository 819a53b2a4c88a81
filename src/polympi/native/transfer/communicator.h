/* The communicator: a group of ranks that send each other any object. */
#pragma once

#include "transfer/progress/phase.h"
#include "transport/transport.h"

/* Which way takes less time for large data of bcast, as this rank has measured as root (large_bcast.c). */
typedef struct {
    float least[2]; /* seconds per byte of each way */
    int tried;
} BcastTimes;
enum { BCAST_CLASSES = 12 }; /* of sizes: each of twice the bytes */

typedef struct Communicator {
    PyObject_HEAD MPI_Comm comm; /* the user's messages, and collectives */
    MPI_Comm named;              /* as others know it: of the world MPI's own, else `comm` */
    PyObject *raw;               /* MPI's own messages on `named`; NULL before the first use */
    MPI_Comm shadow;             /* a duplicate: for parts of these messages, and for pieces of collectives */
    int rank, size;
    uint32_t sequence;           /* messages with parts that this rank has sent; the tag of the parts */
    struct Mailboxes *mailboxes; /* for the rounds of collectives, with those of this machine; NULL: none */
    bool together;               /* each rank has them with each */
    struct Placement *placement; /* of ranks on several machines (placement.h); NULL: all are alike */
    bool apart;                  /* each rank is alone on its machine, and there are several */
    uint32_t collective;         /* collective calls so far, the same on all ranks; the tag of their pieces */
    int probing;                 /* 0: every receive is posted as it comes; otherwise see probing_receive.h,
                                    unclaimed_messages.h */
    uint64_t number;             /* of no other communicator, and the same at all its ranks */
    struct Calls *calls;         /* the last of them (call_log.h); NULL before the first */
    struct Agreements *agreements; /* on channels of plans (channel_handshake.h); NULL before the first */
    bool borrowed;                 /* `comm` belongs to mpi4py, whose own messages are on it, too */
    struct Communicator *carrier;  /* on whose shadow the parts of its messages travel; NULL: its own */
    int *places;                   /* the rank there of each of its ranks; NULL: the same */
    struct Subsets *subsets;       /* subset calls on it (subset.h); NULL before the first */
    struct Communicator *whole;    /* of an intercommunicator, which has only messages between its groups: the
                                      communicator of all their ranks. `size` is then that of the remote group,
                                      and `rank` has no such rank (OUTSIDE). NULL: it is none */
    BcastTimes bcast_times[BCAST_CLASSES];
    struct Circle *circle; /* of two worlds that a spawn has connected (ended.h), until it is freed */
} Communicator;

/* The communicator whose shadow and sequence numbers parts use, and the ranks there. */
static inline Communicator *carrier_of(Communicator *comm) {
    return likely(!comm->carrier) ? comm : comm->carrier;
}
static inline int rank_at_carrier(const Communicator *comm, int rank) {
    return likely(!comm->places) ? rank : comm->places[rank];
}

/* Whether it can be used now; otherwise false with StateError. */
bool usable(const Communicator *comm);
static inline bool is_usable(const Communicator *comm) {
    return likely(state.phase == RUNNING && comm->size) || usable(comm);
}
