#include "collectives/async_pieces.h"

#include <stddef.h>
#include <stdlib.h>

static void close_pieces(AsyncCollective *async) {
    AsyncPieces *pieces = (AsyncPieces *)async;
    departures_close(&async->collective, pieces->departures, true);
    piece_exchange_close(&pieces->pieces_exchange);
    Py_XDECREF(pieces->packed);
    Py_XDECREF(pieces->given);
    if (pieces->into)
        target_close(&pieces->target);
    if (!async->collective.lost)
        free(pieces->requests); /* otherwise MPI may use them for as long as the process lives */
}

AsyncPieces *pieces_flight_new(Communicator *comm, enum verb verb, int root, PyObject *into) {
    AsyncPieces *pieces = (AsyncPieces *)async_new(sizeof *pieces, offsetof(AsyncPieces, rounds));
    if (!pieces)
        return NULL;
    Collective *collective = &pieces->async.collective;
    if (async_begin(&pieces->async, comm, verb, root) < 0)
        return NULL;
    pieces->async.close = close_pieces;
    piece_exchange_open(&pieces->pieces_exchange, collective);
    pieces->into = collective_target(collective, &pieces->target, into);
    return pieces;
}

int pieces_rounds(AsyncPieces *pieces, int next) {
    pieces->async.phase = (PhaseOp){&rounds_phase, &pieces->rounds};
    pieces->next = next;
    return 1;
}

int pieces_pass(AsyncPieces *pieces) {
    Departure *departures = pieces->departures;
    pieces->departures = NULL;
    if (piece_exchange_send(&pieces->pieces_exchange, departures) < 0)
        return -1;
    pieces->async.phase = (PhaseOp){&piece_exchange_phase, &pieces->pieces_exchange};
    pieces->next = PIECES_HERE;
    return 1;
}

int pieces_expect(AsyncPieces *pieces, const char **slots, PyObject *own) {
    if (!slots)
        return PyErr_NoMemory(), -1;
    if (piece_exchange_expect(&pieces->pieces_exchange, slots, own, pieces->into) < 0)
        return -1;
    return pieces_pass(pieces);
}
