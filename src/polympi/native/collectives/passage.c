#include "collectives/passage.h"

#include <stdlib.h>

#include "transfer/transfer.h"

void passage_open(Passage *passage, Collective *collective) {
    *passage = (Passage){.collective = collective};
}

int passage_send(Passage *passage, Departure *departures) {
    passage->departures = departures;
    return departures_start(passage->collective, departures);
}

/* At the end of the program, without Python, nothing is made of the pieces: they are only taken in. */
int passage_expect(Passage *passage, const char **slots, PyObject *own, const Target *into) {
    passage->slots = slots;
    passage->own = own;
    passage->arrivals = (Arrivals){.collective = passage->collective, .dropping = true};
    if (!state.without_python && arrivals_open(&passage->arrivals, passage->collective, NULL, into) < 0)
        return -1;
    passage->arrivals.by_steps = true;
    return 0;
}

int passage_expect_single(Passage *passage, int owner, const Target *into) {
    passage->single = await_single(passage->collective, owner, state.without_python ? NULL : into);
    if (!passage->single)
        return -1;
    incoming_list(passage->single);
    return 0;
}

/* ---- the leg ---- */

/* Look at the slots as far as that goes: whether at all. */
static bool look_at_slots(Passage *passage) {
    int size = passage->slots ? passage->collective->comm->size : 0;
    for (; passage->looked < size && arrivals_ready(&passage->arrivals); passage->looked++) {
        int rank = passage->looked;
        if (rank != passage->collective->comm->rank)
            arrivals_slot(&passage->arrivals, passage->slots[rank], rank);
        else if (passage->own)
            arrivals_own(&passage->arrivals, passage->own);
    }
    return passage->looked == size && arrivals_ready(&passage->arrivals);
}

/* What comes over boards: 1, 0 or -1. */
static int read_boards(Passage *passage) {
    const Reading *readings = passage->arrivals.readings;
    if (passage->boards == UNREAD) {
        int any = traffic_open(&passage->traffic, passage->collective, NULL, readings,
                               readings ? passage->collective->comm->size : 0);
        if (any < 0)
            return -1;
        passage->boards = any ? READING : READ;
    }
    if (passage->boards == READ)
        return 1;
    int done = board_leg.step(&passage->traffic.exchange);
    if (done > 0) {
        traffic_close(&passage->traffic);
        passage->boards = READ;
    }
    return done;
}

/* Whether what travels as messages is all there: 1, 0 or -1. */
static int test_messages(Passage *passage) {
    bool all = !passage->single || incoming_test(passage->single);
    all &= arrivals_test(&passage->arrivals);
    for (Departure *departure = passage->departures; departure; departure = departure->next) {
        int sent = outgoing_test(&departure->out);
        if (sent < 0)
            return -1;
        all &= sent;
    }
    return all;
}

static int step_passage(void *state) {
    Passage *passage = state;
    if (!look_at_slots(passage))
        return 0;
    int done = read_boards(passage);
    return done > 0 ? test_messages(passage) : done;
}

static void give_up_passage(void *state) {
    Passage *passage = state;
    if (passage->single)
        incoming_abandon(passage->single);
    passage->single = NULL;
    if (passage->slots)
        Py_XDECREF(arrivals_close(&passage->arrivals, true));
    passage->arrivals = (Arrivals){0};
    departures_close(passage->collective, passage->departures, true);
    passage->departures = NULL;
}

static int awaits(const void *state) {
    const Passage *passage = state;
    return passage->boards == READING ? board_leg.awaits(&passage->traffic.exchange) : NOBODY;
}

/* No `wait`: it is of calls that were begun, which are only stepped. */
const LegKind passage_leg = {.step = step_passage, .give_up = give_up_passage, .awaits = awaits};

/* ---- the end ---- */

PyObject *passage_result(Passage *passage) {
    if (passage->slots) {
        PyObject *result = arrivals_close(&passage->arrivals, false);
        passage->arrivals = (Arrivals){0};
        return result;
    }
    Incoming *single = passage->single;
    passage->single = NULL;
    return incoming_deliver(single, NULL);
}

/* The messages of the departures have gone, or are kept alive until they have. */
void passage_close(Passage *passage) {
    departures_close(passage->collective, passage->departures, true);
    if (passage->boards == READING)
        traffic_close(&passage->traffic);
    free(passage->slots);
}
