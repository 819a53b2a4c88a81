/* Recursive doubling, and agreements made with it. */
#include <stdlib.h>
#include <string.h>

#include "base/errors.h"
#include "collectives/rounds.h"
#include "transfer/transfer.h"

static uint32_t message_bytes(const char *message) {
    Head head;
    memcpy(&head, message, sizeof head);
    return head.nbytes;
}

/* The rank that exchanges messages for a unit. */
static int rank_of_unit(const Doubling *doubling, int unit) {
    return doubling->placement ? rank_on_machine(doubling->placement, unit, 0) : unit;
}

/* Units below this are pairs, one of which participates, so that a power of two do. */
static int paired(const Doubling *doubling) { return 2 * (doubling->units - doubling->power); }

/* ---- within a unit, and in a pair ---- */

/* How many ranks hand their messages to this one. */
static int children(const Doubling *doubling) {
    bool lower = !doubling->here.own && doubling->unit < paired(doubling) && doubling->unit % 2 == 0;
    return doubling->here.children + lower;
}

/* First those of this unit, as in the order of ranks. */
static int child_rank(const Doubling *doubling, int child) {
    return child == doubling->here.children
               ? rank_of_unit(doubling, doubling->unit + 1)
               : rank_on_machine(doubling->placement, doubling->unit, level_child(&doubling->here, child));
}

/* Receive the message of the next child; 0 if there is none. */
static int absorb(Doubling *doubling) {
    if (doubling->child == children(doubling))
        return 0;
    doubling->phase = ABSORBING;
    return round_receive(&doubling->rounds, doubling->theirs, doubling->most,
                         child_rank(doubling, doubling->child++));
}

/* A rank that sits out hands its message over and receives the result. 0 if this one participates. */
static int sit_out(Doubling *doubling) {
    bool upper = doubling->unit < paired(doubling) && doubling->unit % 2;
    if (!doubling->here.own && !upper)
        return 0;
    int parent = doubling->here.own
                     ? rank_on_machine(doubling->placement, doubling->unit, level_parent(&doubling->here))
                     : rank_of_unit(doubling, doubling->unit - 1);
    doubling->sat_out = true;
    doubling->phase = SITTING_OUT;
    return round_exchange(&doubling->rounds, doubling->mine, message_bytes(doubling->mine), parent,
                          doubling->theirs, doubling->most, parent);
}

/* Send the result to the next child; 0 if there is none. */
static int hand_back(Doubling *doubling) {
    if (!doubling->child)
        return 0;
    const char *result = doubling->for_neighbour ? doubling->for_neighbour(doubling) : doubling->mine;
    doubling->phase = HANDING_BACK;
    return round_send(&doubling->rounds, result, message_bytes(result),
                      child_rank(doubling, --doubling->child));
}

/* ---- among those that participate ---- */

/* Exchange with the next partner; 0 if there is none. */
static int pair_up(Doubling *doubling) {
    if (doubling->distance == doubling->power)
        return 0;
    int unit = doubling->unit, pairs = paired(doubling) / 2;
    int own = unit < 2 * pairs ? unit / 2 : unit - pairs, other = own ^ doubling->distance;
    int partner = rank_of_unit(doubling, other < pairs ? 2 * other : other + pairs);
    doubling->phase = PAIRING;
    doubling->below = other < own;
    doubling->distance <<= 1;
    return round_exchange(&doubling->rounds, doubling->mine, message_bytes(doubling->mine), partner,
                          doubling->theirs, doubling->most, partner);
}

/* ---- all of it ---- */

static int next_partner(Rounds *rounds) {
    Doubling *doubling = (Doubling *)rounds;
    switch (doubling->phase) {
    case ABSORBING:
        doubling->combine(doubling, false);
        /* fall through */
    case MEETING:
        if (absorb(doubling) || sit_out(doubling))
            return 1;
        break;
    case SITTING_OUT:
        swap_messages(doubling);
        return hand_back(doubling);
    case PAIRING:
        doubling->combine(doubling, doubling->below);
        break;
    case HANDING_BACK:
        return hand_back(doubling);
    }
    return pair_up(doubling) || hand_back(doubling);
}

/* The machines of the ranks if these are the units, or NULL. */
static const Placement *units_of(const Doubling *doubling, const Communicator *comm) {
    if (doubling->for_neighbour)
        return NULL;
    return doubling->in_order ? placement_in_order(comm) : comm->placement;
}

void doubling_open(Doubling *doubling, Collective *collective) {
    const Communicator *comm = collective->comm;
    const Placement *placement = doubling->placement = units_of(doubling, comm);
    rounds_open(&doubling->rounds, collective, next_partner);
    doubling->units = placement ? placement->machines : comm->size;
    doubling->unit = placement ? placement->machine[comm->rank] : comm->rank;
    doubling->here = placement ? level_of(ranks_of_machine(placement, doubling->unit),
                                          place_on_machine(placement, comm->rank), without_tree(collective))
                               : (Level){.size = 1};
    doubling->phase = MEETING;
    doubling->child = 0;
    doubling->distance = doubling->power = 1;
    while (doubling->power <= doubling->units / 2)
        doubling->power <<= 1;
    doubling->sat_out = false;
}

int doubling_run(Doubling *doubling, Collective *collective) {
    doubling_open(doubling, collective);
    return rounds_run(&doubling->rounds);
}

/* ---- agreements ---- */

void combine_answers(Doubling *doubling, bool Py_UNUSED(below)) {
    ((Head *)doubling->mine)->kind &= ((Head *)doubling->theirs)->kind;
}

bool can_block(const Collective *collective) {
    return (!state.oversubscribed || state.library_yields) && may_block(collective->timeout);
}

int agreement_open(Agreement *agreement, Collective *collective, bool able) {
    Head *answers = malloc(sizeof *answers + PACKET_BYTES); /* room for what another collective sends */
    agreement->answers = answers;
    if (!answers)
        return no_memory();
    uint8_t answer = (able ? ANSWER_ABLE : 0) | (can_block(collective) ? ANSWER_MAY_BLOCK : 0);
    answers[0] = (Head){.verb = (uint8_t)collective->verb,
                        .kind = answer,
                        .nbytes = sizeof *answers,
                        .root = collective->root};
    agreement->doubling = (Doubling){.mine = (char *)&answers[0],
                                     .theirs = (char *)&answers[1],
                                     .most = PACKET_BYTES,
                                     .combine = combine_answers};
    doubling_open(&agreement->doubling, collective);
    return 0;
}

int agreement_end(Agreement *agreement, bool *blocking) {
    const Collective *collective = agreement->doubling.rounds.collective;
    uint8_t answer = ((const Head *)agreement->doubling.mine)->kind;
    *blocking = answer & ANSWER_MAY_BLOCK;
    if (answer & ANSWER_ABLE)
        return 0;
    if (collective->error)
        return -1;
    raise_error("Error", &collective->call, "another rank could not go on; its own exception says why");
    return raised_by_another();
}

void agreement_close(Agreement *agreement) {
    if (agreement->answers && !agreement->doubling.rounds.collective->lost)
        free(agreement->answers);
    agreement->answers = NULL;
}
