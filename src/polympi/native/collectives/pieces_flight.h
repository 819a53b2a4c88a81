/* A gather, scatter, allgather or alltoall that was begun: rounds of slots, then the passage of pieces. */
#ifndef POLYMPI_PIECES_FLIGHT_H
#define POLYMPI_PIECES_FLIGHT_H

#include "collectives/flight.h"
#include "collectives/passage.h"
#include "collectives/slot_rounds.h"

typedef struct PiecesFlight {
    Flight flight;
    Branch branch;
    Target target;
    const Target *into;    /* that; NULL: there is none */
    PyObject *given;       /* what this rank gives, as long as it is needed */
    PyObject *packed;      /* sent instead of it; NULL: that itself */
    char *slots;           /* memory of the call */
    MPI_Request *requests; /* of alltoall */
    Departure *departures; /* until the slots are on their way */
    Passage passage;
    enum { SLOTS_COLLECTED, SLOTS_EXCHANGED, SLOTS_HERE, PIECES_HERE } next;
    union {
        Rounds rounds;
        Collecting collecting;
        Exchanging exchanging;
        Spread spread;
        Handing handing;
        Swapping swapping;
    };
} PiecesFlight;

/* The call begins; the target is opened where `into` is wanted. NULL with an exception. */
PiecesFlight *pieces_flight_new(Communicator *comm, enum verb verb, int root, PyObject *into);
/* Go on with rounds that were opened, to what comes `next` after them. 1. */
int pieces_rounds(PiecesFlight *pieces, int next);
/* Send the departures and go on with the passage: 1 or -1. */
int pieces_pass(PiecesFlight *pieces);
/* The same, and expect the pieces of all ranks, from their slots (on the heap, taken over; NULL:
 * MemoryError), and this rank's own. */
int pieces_expect(PiecesFlight *pieces, const char **slots, PyObject *own);

#endif
