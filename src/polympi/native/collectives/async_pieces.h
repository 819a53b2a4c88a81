/* A gather, scatter, allgather or alltoall that was begun: rounds of slots, then the exchange of pieces. */
#ifndef POLYMPI_COLLECTIVES_ASYNC_PIECES_H
#define POLYMPI_COLLECTIVES_ASYNC_PIECES_H

#include "collectives/async_collective.h"
#include "collectives/piece_exchange.h"
#include "collectives/slot_rounds.h"

typedef struct AsyncPieces {
    AsyncCollective async;
    TreePosition tree;
    Target target;
    const Target *into;    /* that; NULL: there is none */
    PyObject *given;       /* what this rank gives, as long as it is needed */
    PyObject *packed;      /* sent instead of it; NULL: that itself */
    char *slots;           /* memory of the call */
    MPI_Request *requests; /* of alltoall */
    Departure *departures; /* until the slots are on their way */
    PieceExchange pieces_exchange;
    enum { SLOTS_COLLECTED, SLOTS_EXCHANGED, SLOTS_HERE, PIECES_HERE } next;
    union {
        Rounds rounds;
        Collecting collecting;
        Exchanging exchanging;
        Spread spread;
        Handing handing;
        Swapping swapping;
    };
} AsyncPieces;

/* The call begins; the target is opened where `into` is wanted. NULL with an exception. */
AsyncPieces *pieces_flight_new(Communicator *comm, enum verb verb, int root, PyObject *into);
/* Go on with rounds that were opened, to what comes `next` after them. 1. */
int pieces_rounds(AsyncPieces *pieces, int next);
/* Send the departures and go on with the exchange: 1 or -1. */
int pieces_pass(AsyncPieces *pieces);
/* The same, and expect the pieces of all ranks, from their slots (on the heap, taken over; NULL:
 * MemoryError), and this rank's own. */
int pieces_expect(AsyncPieces *pieces, const char **slots, PyObject *own);

#endif
