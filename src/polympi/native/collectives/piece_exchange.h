/* Pieces that travel by themselves, in and out, while their rank does something else: a phase of a call. */
#ifndef POLYMPI_COLLECTIVES_PIECE_EXCHANGE_H
#define POLYMPI_COLLECTIVES_PIECE_EXCHANGE_H

#include "collectives/board_receive.h"
#include "collectives/phase_op.h"

typedef struct {
    Collective *collective;
    Departure *departures;
    const char **slots; /* what comes from each rank, on the heap; NULL: a single piece, or nothing */
    PyObject *own;      /* of this rank; borrowed */
    int looked;         /* at so many slots, in the order of ranks */
    PieceReceive receiving;
    Incoming *single; /* NULL: there is none */
    enum { UNREAD, READING, READ } boards;
    Traffic traffic;
} PieceExchange;
extern const PhaseKind piece_exchange_phase;

/* All clear, with nothing under way. */
void piece_exchange_open(PieceExchange *pieces_exchange, Collective *collective);
/* Send the departures, which are taken over in any case. 0 or -1. */
int piece_exchange_send(PieceExchange *pieces_exchange, Departure *departures);
/* Expect the pieces of all ranks, from their slots (taken over), and this rank's own. 0 or -1. */
int piece_exchange_expect(PieceExchange *pieces_exchange, const char **slots, PyObject *own,
                          const Target *into);
/* Expect a single piece, which travels as a message. 0 or -1. */
int piece_exchange_expect_single(PieceExchange *pieces_exchange, int owner, const Target *into);

/* When the phase is over: the pieces of all ranks, or the single one. A new reference, or NULL. */
PyObject *piece_exchange_result(PieceExchange *pieces_exchange);
/* Nothing is under way, or was given up. */
void piece_exchange_close(PieceExchange *pieces_exchange);

#endif
