#include "collectives/async_pieces.h"

#include <stddef.h>
#include <stdlib.h>

#include "transfer/transfer.h"

/* ---- the exchange, as a phase ---- */

/* Look at the slots as far as that goes: whether at all. */
static bool look_at_slots(AsyncPieces *pieces) {
    const Communicator *comm = pieces->async.collective.comm;
    int size = pieces->of_rank ? comm->size : 0;
    for (; pieces->looked < size && piece_receive_ready(&pieces->receiving); pieces->looked++) {
        int rank = pieces->looked;
        if (rank != comm->rank)
            piece_receive_slot(&pieces->receiving, pieces->of_rank[rank], rank);
        else if (pieces->own)
            piece_receive_own(&pieces->receiving, pieces->own);
    }
    return pieces->looked == size && piece_receive_ready(&pieces->receiving);
}

/* Read what is sent over boards: 1, 0 or -1. */
static int read_boards(AsyncPieces *pieces) {
    Collective *collective = &pieces->async.collective;
    const BoardReceive *readings = pieces->receiving.readings;
    if (pieces->boards == UNREAD) {
        int any =
            traffic_open(&pieces->traffic, collective, NULL, readings, readings ? collective->comm->size : 0);
        if (any < 0)
            return -1;
        pieces->boards = any ? READING : READ;
    }
    if (pieces->boards == READ)
        return 1;
    int done = board_phase.step(&pieces->traffic.exchange);
    if (done > 0) {
        traffic_close(&pieces->traffic);
        pieces->boards = READ;
    }
    return done;
}

/* Whether everything that is sent as a message has arrived, and left: 1, 0 or -1. */
static int test_messages(AsyncPieces *pieces) {
    bool all = !pieces->single || incoming_test(pieces->single);
    all &= piece_receive_test(&pieces->receiving);
    for (Departure *departure = pieces->departures; departure; departure = departure->next) {
        int sent = outgoing_test(&departure->out);
        if (sent < 0)
            return -1;
        all &= sent;
    }
    return all;
}

static int step_exchange(void *state) {
    if (!look_at_slots(state))
        return 0;
    int done = read_boards(state);
    return done > 0 ? test_messages(state) : done;
}

static void give_up_exchange(void *state) {
    AsyncPieces *pieces = state;
    if (pieces->single)
        incoming_abandon(pieces->single);
    pieces->single = NULL;
    if (pieces->of_rank)
        Py_XDECREF(piece_receive_close(&pieces->receiving, true));
    pieces->receiving = (PieceReceive){0};
    departures_close(&pieces->async.collective, pieces->departures, true);
    pieces->departures = NULL;
}

static int awaits(const void *state) {
    const AsyncPieces *pieces = state;
    return pieces->boards == READING ? board_phase.awaits(&pieces->traffic.exchange) : NOBODY;
}

/* No `wait`: calls that were begun are only stepped. */
static const PhaseKind exchange_phase = {
    .step = step_exchange, .give_up = give_up_exchange, .awaits = awaits};

int pieces_pass(AsyncPieces *pieces) {
    if (departures_start(&pieces->async.collective, pieces->departures) < 0)
        return -1;
    pieces->async.phase = (PhaseOp){&exchange_phase, pieces};
    pieces->next = PIECES_HERE;
    return 1;
}

/* At the end of the program, without Python, nothing is made of the pieces: they are only received. */
int pieces_expect(AsyncPieces *pieces, const char **of_rank, PyObject *own) {
    Collective *collective = &pieces->async.collective;
    if (!of_rank)
        return no_memory();
    pieces->of_rank = of_rank;
    pieces->own = own;
    pieces->receiving = (PieceReceive){.collective = collective, .dropping = true};
    if (!state.without_python && piece_receive_open(&pieces->receiving, collective, NULL, pieces->into) < 0)
        return -1;
    pieces->receiving.by_steps = true;
    return pieces_pass(pieces);
}

int pieces_expect_single(AsyncPieces *pieces) {
    Collective *collective = &pieces->async.collective;
    pieces->single = await_single(collective, collective->root, state.without_python ? NULL : pieces->into);
    if (!pieces->single)
        return -1;
    incoming_list(pieces->single);
    return 0;
}

PyObject *pieces_result(AsyncPieces *pieces) {
    if (pieces->of_rank) {
        PyObject *result = piece_receive_close(&pieces->receiving, false);
        pieces->receiving = (PieceReceive){0};
        return result;
    }
    Incoming *single = pieces->single;
    pieces->single = NULL;
    return incoming_deliver(single, NULL);
}

/* ---- the call ---- */

int pieces_rounds(AsyncPieces *pieces, int next) {
    pieces->async.phase = (PhaseOp){&rounds_phase, &pieces->rounds};
    pieces->next = next;
    return 1;
}

static int next_phase(AsyncCollective *async) {
    AsyncPieces *pieces = (AsyncPieces *)async;
    return pieces->next == PIECES_HERE ? 0 : pieces->kind->next(pieces);
}

static PyObject *finish_pieces(AsyncCollective *async) {
    AsyncPieces *pieces = (AsyncPieces *)async;
    return pieces->kind->finish ? pieces->kind->finish(pieces) : pieces_result(pieces);
}

/* The messages of the departures have gone, or are kept alive until they have. */
static void close_pieces(AsyncCollective *async) {
    AsyncPieces *pieces = (AsyncPieces *)async;
    departures_close(&async->collective, pieces->departures, true);
    if (pieces->boards == READING)
        traffic_close(&pieces->traffic);
    free(pieces->of_rank);
    Py_XDECREF(pieces->packed);
    Py_XDECREF(pieces->given);
    if (pieces->into)
        target_close(&pieces->target);
    if (!async->collective.lost)
        free(pieces->requests); /* otherwise MPI may use them for as long as the process lives */
}

AsyncCollective *pieces_begin(const PiecesKind *kind, Communicator *comm, int root, PyObject *value,
                              PyObject *counts, PyObject *into) {
    AsyncPieces *pieces = (AsyncPieces *)async_new(sizeof *pieces, offsetof(AsyncPieces, rounds));
    if (!pieces || async_begin(&pieces->async, comm, kind->verb, root) < 0)
        return NULL;
    pieces->async.next = next_phase;
    pieces->async.finish = finish_pieces;
    pieces->async.close = close_pieces;
    pieces->kind = kind;
    pieces->counts = counts == Py_None ? NULL : counts;
    pieces->into = collective_target(&pieces->async.collective, &pieces->target, into);
    async_start(&pieces->async, kind->open(pieces, value) < 0);
    return &pieces->async;
}
