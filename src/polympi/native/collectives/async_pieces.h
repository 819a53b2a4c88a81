/* A gather, scatter, allgather or alltoall that was begun: rounds of slots, then an exchange of the pieces
 * that travel by themselves, both while their rank does something else. */
#pragma once

#include "collectives/async_collective.h"
#include "collectives/board_receive.h"
#include "collectives/slot_rounds.h"

typedef struct AsyncPieces AsyncPieces;

/* What these collectives do differently. */
typedef struct {
    enum verb verb;
    /* Open the first rounds, for what this rank gives. 0 or -1. */
    int (*open)(AsyncPieces *pieces, PyObject *value);
    /* Go on after rounds: 1 or -1. */
    int (*next)(AsyncPieces *pieces);
    /* The result; NULL: pieces_result. */
    PyObject *(*finish)(AsyncPieces *pieces);
} PiecesKind;

struct AsyncPieces {
    AsyncCollective async;
    const PiecesKind *kind;
    TreePosition tree;
    Target target;
    const Target *into;    /* that; NULL: there is none */
    PyObject *given;       /* what this rank gives, as long as it is needed */
    PyObject *counts;      /* how to cut it, borrowed while it opens; NULL: evenly */
    PyObject *packed;      /* sent instead of it; NULL: that itself */
    char *slots;           /* memory of the call */
    MPI_Request *requests; /* of alltoall */
    Departure *departures;
    enum { SLOTS_COLLECTED, SLOTS_EXCHANGED, SLOTS_HERE, PIECES_HERE } next;
    /* Of the exchange: */
    const char **of_rank; /* the slots to receive from, on the heap; NULL: a single piece, or nothing */
    PyObject *own;        /* this rank's own piece, borrowed */
    int looked;           /* at how many slots, in the order of ranks */
    PieceReceive receiving;
    Incoming *single; /* NULL: there is none */
    enum { UNREAD, READING, READ } boards;
    Traffic traffic;
    union {
        Rounds rounds;
        Collecting collecting;
        Exchanging exchanging;
        Spread spread;
        Handing handing;
        Swapping swapping;
    };
};

/* Begin a call; `into` is NULL where this rank has no use for it. NULL with an exception. */
AsyncCollective *pieces_begin(const PiecesKind *kind, Communicator *comm, int root, PyObject *value,
                              PyObject *counts, PyObject *into);
/* Continue with rounds that were opened; `next` comes after them. 1. */
int pieces_rounds(AsyncPieces *pieces, int next);
/* Send the departures and go on with the exchange: 1 or -1. */
int pieces_pass(AsyncPieces *pieces);
/* The same, after expecting the pieces of all ranks, from their slots (on the heap, taken over; NULL:
 * MemoryError), and this rank's own. */
int pieces_expect(AsyncPieces *pieces, const char **of_rank, PyObject *own);
/* Expect a single piece from the root, which travels as a message. 0 or -1. */
int pieces_expect_single(AsyncPieces *pieces);
/* After the exchange: the pieces of all ranks, or the single one. A new reference, or NULL. */
PyObject *pieces_result(AsyncPieces *pieces);
