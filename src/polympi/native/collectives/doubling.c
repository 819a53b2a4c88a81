/* Recursive doubling, and what the ranks agree on by it. */
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

static void swap_messages(Doubling *doubling) {
    char *mine = doubling->mine;
    doubling->mine = doubling->theirs;
    doubling->theirs = mine;
}

/* Ranks below this are pairs, of which one takes part: the size need be no power of two. */
static int paired(const Doubling *doubling) {
    return 2 * (doubling->rounds.collective->comm->size - doubling->power);
}

/* The rank above a pair's lower one sits out: it gives its message away and gets the result. */
static int begin(Doubling *doubling) {
    Rounds *rounds = &doubling->rounds;
    int rank = rounds->collective->comm->rank;
    if (rank >= paired(doubling))
        return 0;
    doubling->sat_out = rank % 2;
    doubling->phase = doubling->sat_out ? SITTING_OUT : ABSORBING;
    return doubling->sat_out ? round_exchange(rounds, doubling->mine, message_bytes(doubling->mine), rank - 1,
                                              doubling->theirs, doubling->most, rank - 1)
                             : round_receive(rounds, doubling->theirs, doubling->most, rank + 1);
}

/* Exchange with the next partner; 0 if that was the last one. */
static int pair_up(Doubling *doubling) {
    if (doubling->distance == doubling->power)
        return 0;
    int rank = doubling->rounds.collective->comm->rank, pairs = paired(doubling) / 2;
    int own = rank < 2 * pairs ? rank / 2 : rank - pairs, other = own ^ doubling->distance;
    int partner = other < pairs ? 2 * other : other + pairs;
    doubling->phase = PAIRING;
    doubling->below = other < own;
    doubling->distance <<= 1;
    return round_exchange(&doubling->rounds, doubling->mine, message_bytes(doubling->mine), partner,
                          doubling->theirs, doubling->most, partner);
}

/* Give the result to the rank that sat out. */
static int hand_back(Doubling *doubling) {
    int rank = doubling->rounds.collective->comm->rank;
    if (rank >= paired(doubling))
        return 0;
    const char *result = doubling->for_neighbour ? doubling->for_neighbour(doubling) : doubling->mine;
    doubling->phase = HANDING_BACK;
    return round_send(&doubling->rounds, result, message_bytes(result), rank + 1);
}

static int next_partner(Rounds *rounds) {
    Doubling *doubling = (Doubling *)rounds;
    switch (doubling->phase) {
    case MEETING:
        if (begin(doubling))
            return 1;
        break;
    case ABSORBING:
        doubling->combine(doubling, false);
        break;
    case SITTING_OUT:
        swap_messages(doubling);
        return 0;
    case PAIRING:
        doubling->combine(doubling, doubling->below);
        break;
    case HANDING_BACK:
        return 0;
    }
    return pair_up(doubling) || hand_back(doubling);
}

void doubling_open(Doubling *doubling, Collective *collective) {
    rounds_open(&doubling->rounds, collective, next_partner);
    doubling->phase = MEETING;
    doubling->distance = doubling->power = 1;
    while (doubling->power <= collective->comm->size / 2)
        doubling->power <<= 1;
    doubling->sat_out = false;
}

int doubling_run(Doubling *doubling, Collective *collective) {
    doubling_open(doubling, collective);
    return rounds_run(&doubling->rounds);
}

/* ---- agreeing ---- */

enum { ABLE = 1, MAY_BLOCK = 2 }; /* in Head.kind */

static void combine_answers(Doubling *doubling, bool below) {
    (void)below;
    ((Head *)doubling->mine)->kind &= ((Head *)doubling->theirs)->kind;
}

bool can_block(const Collective *collective) {
    return (!state.crowded || state.library_yields) && may_block(collective->timeout);
}

int agree(Collective *collective, bool able, bool *blocking) {
    Head *answers = malloc(sizeof *answers + PACKET_BYTES); /* room for what another collective sends */
    if (!answers) {
        PyErr_NoMemory();
        return -1;
    }
    uint8_t answer = (able ? ABLE : 0) | (can_block(collective) ? MAY_BLOCK : 0);
    answers[0] = (Head){.verb = (uint8_t)collective->verb,
                        .kind = answer,
                        .nbytes = sizeof *answers,
                        .root = collective->root};
    Doubling rounds = {.mine = (char *)&answers[0],
                       .theirs = (char *)&answers[1],
                       .most = PACKET_BYTES,
                       .combine = combine_answers};
    int failed = doubling_run(&rounds, collective);
    answer = ((Head *)rounds.mine)->kind;
    if (!collective->lost)
        free(answers);
    if (failed < 0)
        return -1;
    *blocking = answer & MAY_BLOCK;
    if (answer & ABLE)
        return 0;
    if (!collective->error)
        raise_error("Error", &collective->call, "another rank could not go on; its own exception says why");
    return -1;
}

int collective_finish(Collective *collective, int code, MPI_Request *request) {
    if (unlikely(code != MPI_SUCCESS))
        return raise_mpi(code, &collective->call);
    if (!request)
        return 0;
    if (wait_for(request, 1, MPI_STATUSES_IGNORE, &collective->call, collective_seconds(collective)) == 0)
        return 0;
    if (*request != MPI_REQUEST_NULL)
        collective->lost = true;
    return give_up(collective, NULL, 0, 0);
}
