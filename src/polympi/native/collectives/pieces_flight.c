#include "collectives/pieces_flight.h"

#include <stddef.h>
#include <stdlib.h>

static void close_pieces(Flight *flight) {
    PiecesFlight *pieces = (PiecesFlight *)flight;
    departures_close(&flight->collective, pieces->departures, true);
    passage_close(&pieces->passage);
    Py_XDECREF(pieces->packed);
    Py_XDECREF(pieces->given);
    if (pieces->into)
        target_close(&pieces->target);
    if (!flight->collective.lost)
        free(pieces->requests); /* otherwise MPI may use them for as long as the process lives */
}

PiecesFlight *pieces_flight_new(Communicator *comm, enum verb verb, int root, PyObject *into) {
    PiecesFlight *pieces = (PiecesFlight *)flight_new(sizeof *pieces, offsetof(PiecesFlight, rounds));
    if (!pieces)
        return NULL;
    Collective *collective = &pieces->flight.collective;
    if (flight_begin(&pieces->flight, comm, verb, root) < 0)
        return NULL;
    pieces->flight.close = close_pieces;
    passage_open(&pieces->passage, collective);
    pieces->into = collective_target(collective, &pieces->target, into);
    return pieces;
}

int pieces_rounds(PiecesFlight *pieces, int next) {
    pieces->flight.leg = (Leg){&rounds_leg, &pieces->rounds};
    pieces->next = next;
    return 1;
}

int pieces_pass(PiecesFlight *pieces) {
    Departure *departures = pieces->departures;
    pieces->departures = NULL;
    if (passage_send(&pieces->passage, departures) < 0)
        return -1;
    pieces->flight.leg = (Leg){&passage_leg, &pieces->passage};
    pieces->next = PIECES_HERE;
    return 1;
}

int pieces_expect(PiecesFlight *pieces, const char **slots, PyObject *own) {
    if (!slots)
        return PyErr_NoMemory(), -1;
    if (passage_expect(&pieces->passage, slots, own, pieces->into) < 0)
        return -1;
    return pieces_pass(pieces);
}
