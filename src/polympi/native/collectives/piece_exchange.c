#include "collectives/piece_exchange.h"

#include <stdlib.h>

#include "transfer/transfer.h"

void piece_exchange_open(PieceExchange *pieces_exchange, Collective *collective) {
    *pieces_exchange = (PieceExchange){.collective = collective};
}

int piece_exchange_send(PieceExchange *pieces_exchange, Departure *departures) {
    pieces_exchange->departures = departures;
    return departures_start(pieces_exchange->collective, departures);
}

/* At the end of the program, without Python, nothing is made of the pieces: they are only taken in. */
int piece_exchange_expect(PieceExchange *pieces_exchange, const char **slots, PyObject *own,
                          const Target *into) {
    pieces_exchange->slots = slots;
    pieces_exchange->own = own;
    pieces_exchange->receiving = (PieceReceive){.collective = pieces_exchange->collective, .dropping = true};
    if (!state.without_python &&
        piece_receive_open(&pieces_exchange->receiving, pieces_exchange->collective, NULL, into) < 0)
        return -1;
    pieces_exchange->receiving.by_steps = true;
    return 0;
}

int piece_exchange_expect_single(PieceExchange *pieces_exchange, int owner, const Target *into) {
    pieces_exchange->single =
        await_single(pieces_exchange->collective, owner, state.without_python ? NULL : into);
    if (!pieces_exchange->single)
        return -1;
    incoming_list(pieces_exchange->single);
    return 0;
}

/* ---- the phase ---- */

/* Look at the slots as far as that goes: whether at all. */
static bool look_at_slots(PieceExchange *pieces_exchange) {
    int size = pieces_exchange->slots ? pieces_exchange->collective->comm->size : 0;
    for (; pieces_exchange->looked < size && piece_receive_ready(&pieces_exchange->receiving);
         pieces_exchange->looked++) {
        int rank = pieces_exchange->looked;
        if (rank != pieces_exchange->collective->comm->rank)
            piece_receive_slot(&pieces_exchange->receiving, pieces_exchange->slots[rank], rank);
        else if (pieces_exchange->own)
            piece_receive_own(&pieces_exchange->receiving, pieces_exchange->own);
    }
    return pieces_exchange->looked == size && piece_receive_ready(&pieces_exchange->receiving);
}

/* What comes over boards: 1, 0 or -1. */
static int read_boards(PieceExchange *pieces_exchange) {
    const BoardReceive *readings = pieces_exchange->receiving.readings;
    if (pieces_exchange->boards == UNREAD) {
        int any = traffic_open(&pieces_exchange->traffic, pieces_exchange->collective, NULL, readings,
                               readings ? pieces_exchange->collective->comm->size : 0);
        if (any < 0)
            return -1;
        pieces_exchange->boards = any ? READING : READ;
    }
    if (pieces_exchange->boards == READ)
        return 1;
    int done = board_phase.step(&pieces_exchange->traffic.exchange);
    if (done > 0) {
        traffic_close(&pieces_exchange->traffic);
        pieces_exchange->boards = READ;
    }
    return done;
}

/* Whether what travels as messages is all there: 1, 0 or -1. */
static int test_messages(PieceExchange *pieces_exchange) {
    bool all = !pieces_exchange->single || incoming_test(pieces_exchange->single);
    all &= piece_receive_test(&pieces_exchange->receiving);
    for (Departure *departure = pieces_exchange->departures; departure; departure = departure->next) {
        int sent = outgoing_test(&departure->out);
        if (sent < 0)
            return -1;
        all &= sent;
    }
    return all;
}

static int step_passage(void *state) {
    PieceExchange *pieces_exchange = state;
    if (!look_at_slots(pieces_exchange))
        return 0;
    int done = read_boards(pieces_exchange);
    return done > 0 ? test_messages(pieces_exchange) : done;
}

static void give_up_passage(void *state) {
    PieceExchange *pieces_exchange = state;
    if (pieces_exchange->single)
        incoming_abandon(pieces_exchange->single);
    pieces_exchange->single = NULL;
    if (pieces_exchange->slots)
        Py_XDECREF(piece_receive_close(&pieces_exchange->receiving, true));
    pieces_exchange->receiving = (PieceReceive){0};
    departures_close(pieces_exchange->collective, pieces_exchange->departures, true);
    pieces_exchange->departures = NULL;
}

static int awaits(const void *state) {
    const PieceExchange *pieces_exchange = state;
    return pieces_exchange->boards == READING ? board_phase.awaits(&pieces_exchange->traffic.exchange)
                                              : NOBODY;
}

/* No `wait`: it is of calls that were begun, which are only stepped. */
const PhaseKind piece_exchange_phase = {.step = step_passage, .give_up = give_up_passage, .awaits = awaits};

/* ---- the end ---- */

PyObject *piece_exchange_result(PieceExchange *pieces_exchange) {
    if (pieces_exchange->slots) {
        PyObject *result = piece_receive_close(&pieces_exchange->receiving, false);
        pieces_exchange->receiving = (PieceReceive){0};
        return result;
    }
    Incoming *single = pieces_exchange->single;
    pieces_exchange->single = NULL;
    return incoming_deliver(single, NULL);
}

/* The messages of the departures have gone, or are kept alive until they have. */
void piece_exchange_close(PieceExchange *pieces_exchange) {
    departures_close(pieces_exchange->collective, pieces_exchange->departures, true);
    if (pieces_exchange->boards == READING)
        traffic_close(&pieces_exchange->traffic);
    free(pieces_exchange->slots);
}
