#include "collectives/rounds.h"

#include <string.h>

#include "base/errors.h"
#include "collectives/call_log.h"
#include "collectives/letters.h"
#include "transfer/progress/ended.h"
#include "transfer/transfer.h"

/* ---- messages of the library ---- */

int give_up(Collective *collective, MPI_Request *requests, int receives, int sends) {
    bool locked = enter_mpi();
    for (int i = 0; i < receives + sends && !state.gone; i++)
        if (requests[i] != MPI_REQUEST_NULL) {
            collective->lost = true;
            drop_request(&requests[i], i < receives);
        }
    leave_mpi(locked);
    return -1;
}

int start_send(Collective *collective, const void *message, Py_ssize_t nbytes, int dest,
               MPI_Request *request) {
    *request = MPI_REQUEST_NULL;
    if (unlikely(still_running(&collective->call) < 0))
        return -1;
    count_crossing(collective->comm, dest);
    return checked_isend(message, (int)nbytes, MPI_BYTE, dest, collective->tag, collective->comm->shadow,
                         request, &collective->call);
}

int start_receive(Collective *collective, void *room, Py_ssize_t most, int source, MPI_Request *request) {
    *request = MPI_REQUEST_NULL;
    if (unlikely(still_running(&collective->call) < 0))
        return -1;
    return checked_irecv(room, (int)most, MPI_BYTE, source, collective->tag, collective->comm->shadow,
                         request, &collective->call);
}

Py_ssize_t examine(const Collective *collective, const void *message, Py_ssize_t nbytes, int source) {
    Head head = {0};
    if (likely(nbytes >= (Py_ssize_t)sizeof head))
        memcpy(&head, message, sizeof head);
    /* reductions report different roots to all ranks at the end */
    if (likely(head.verb == collective->verb) && likely(head.root == collective->root || head.verb == REDUCE))
        return nbytes;
    return raise_other_call(collective, source, head.verb, head.root);
}

/* ---- one round ---- */

int round_send_along(Rounds *rounds, const void *message, Py_ssize_t nbytes, int dest) {
    if (start_send(rounds->collective, message, nbytes, dest, &rounds->requests[1 + rounds->sends]) < 0)
        return -1;
    rounds->sends++;
    if (rounds->receivers)
        rounds->receivers[rounds->sends] = dest;
    return 0;
}

/* Send and receive by the library. 1 or -1. */
static int give_message(Rounds *rounds) {
    Collective *collective = rounds->collective;
    if (rounds->source != NOBODY) {
        if (start_receive(collective, rounds->room, rounds->most, rounds->source, &rounds->requests[0]) < 0)
            return -1;
        rounds->receiving = 1;
    }
    if (rounds->dest == NOBODY)
        return 1;
    if (round_send_along(rounds, rounds->message, rounds->nbytes, rounds->dest) < 0)
        return -1;
    if (rounds->sends_stay)
        return 1;
    /* a small send is mostly complete at once, and then only the receive is waited for */
    int left = test_requests(&rounds->requests[rounds->sends], 1, MPI_STATUSES_IGNORE, &collective->call);
    if (likely(left > 0))
        rounds->sends--;
    return left < 0 ? -1 : 1;
}

/* The receive of the round is complete. 1, or -1 with an exception. */
static int received(Rounds *rounds) {
    int nbytes = 0;
    rounds->receiving = 0;
    MPI_Get_count(&rounds->status, MPI_BYTE, &nbytes);
    rounds->come = nbytes;
    if (rounds->by_library)
        return 1;
    return likely(examine(rounds->collective, rounds->room, nbytes, rounds->status.MPI_SOURCE) >= 0) ? 1 : -1;
}

/* Test the messages of the library one after the other, since the library makes progress on all of them in
 * each test. 1 when they are complete, 0, or -1. */
static int complete(Rounds *rounds) {
    const Call *call = &rounds->collective->call;
    if (rounds->receiving) {
        int come = test_requests(&rounds->requests[0], 1, &rounds->status, call);
        if (unlikely(come <= 0 || (come = received(rounds)) < 0))
            return come;
    }
    while (rounds->sends && (!rounds->sends_stay || rounds->stage == ENDING)) {
        int left = test_requests(&rounds->requests[rounds->sends], 1, MPI_STATUSES_IGNORE, call);
        if (unlikely(left <= 0))
            return left;
        rounds->sends--;
    }
    return 1;
}

/* Whether the partner of a round may have a mailbox with this rank. */
static bool reaches(const Rounds *rounds, int partner) {
    return partner != NOBODY && mail_reaches(rounds->collective->comm->mailboxes, partner);
}

/* Whether to try mailboxes; a message without a box is left to the library. */
static inline bool is_by_mail(const Rounds *rounds) {
    return !rounds->by_library && (likely(rounds->collective->comm->together) ||
                                   reaches(rounds, rounds->dest) || reaches(rounds, rounds->source));
}

/* Continue the round: 1 when it is over, 0 if it waits for others, -1 with an exception. */
static inline int round_step(Rounds *rounds) {
    int done = 1;
    if (rounds->stage == GIVING) {
        bool by_mail = is_by_mail(rounds);
        done = likely(by_mail) ? give_letter(rounds) : give_message(rounds);
        if (unlikely(done <= 0))
            return done;
        rounds->stage = likely(by_mail) && rounds->source != NOBODY ? GETTING : COMPLETING;
    }
    if (rounds->stage == GETTING) {
        done = take_letter(rounds);
        if (done <= 0)
            return done;
        rounds->stage = COMPLETING;
    }
    if (unlikely(rounds->receiving | rounds->sends))
        done = complete(rounds);
    if (likely(done > 0 && rounds->stage != ENDING))
        rounds->stage = BETWEEN;
    return done;
}

/* ---- all rounds ---- */

int rounds_step(Rounds *rounds) {
    for (;;) {
        int done = round_step(rounds);
        if (done <= 0 || rounds->stage == ENDING)
            return done;
        int more = rounds->next(rounds);
        if (unlikely(more < 0))
            return -1;
        if (more)
            continue;
        if (likely(!rounds->sends))
            return 1;
        rounds->stage = ENDING;
    }
}

__attribute__((noinline)) static int rounds_give_up(Rounds *rounds) {
    return give_up(rounds->collective, &rounds->requests[1 - rounds->receiving], rounds->receiving,
                   rounds->sends);
}

/* ---- waiting ---- */

double collective_seconds(const Collective *collective) {
    if (likely(collective->end == 0))
        return 0;
    double left = collective->end - now();
    return left > 0 ? left : 1e-9; /* 0 would be forever */
}

/* Wait this long for one request, of a message from `source` (NOBODY: a send): 1 when it is complete, 0, or
 * -1 with an exception, also if the call has timed out, or a rank has ended without it. */
static int wait_patiently(Collective *collective, MPI_Request *request, int source, MPI_Status *status,
                          double seconds, Watch *watch) {
    double left = collective_seconds(collective);
    bool last = left > 0 && left <= PATIENCE_SECONDS;
    collective->call.since = watch->began; /* else each part of a long wait would begin without sleeping */
    int failed = wait_for(request, 1, status, &collective->call, last ? left : seconds);
    collective->call.since = 0;
    if (!failed)
        return 1;
    if (!is_timeout() || explain_timeout(collective, source) || last)
        return -1;
    PyErr_Clear();
    return watch_step(watch, &collective->call, now());
}

/* Wait until the message of the round has arrived, and look from time to time at what the others have called.
 * 0 or -1. */
static int wait_until_received(Rounds *rounds) {
    Collective *collective = rounds->collective;
    Watch watch = watch_begin(now(), collective->timeout);
    int gone = 0; /* whether its sender has left the call; what it sent before has then arrived */
    for (;;) {
        int come = wait_patiently(collective, &rounds->requests[0], rounds->source, &rounds->status,
                                  gone ? 1e-9 : PATIENCE_SECONDS, &watch);
        if (come)
            return come > 0 && received(rounds) > 0 ? 0 : -1;
        if (gone)
            return raise_left(collective, rounds->source);
        if ((gone = look_around(collective, rounds->source)) < 0)
            return -1;
    }
}

/* Whether the receiver of the last of the messages sent is known to have left the call. */
static bool is_refused(const Rounds *rounds) {
    return rounds->receivers && has_given_up(rounds->collective, rounds->receivers[rounds->sends]);
}

/* Wait until the last send is complete. A rank that has left the call receives nothing more in it, so a send
 * of more than a few KiB may never complete: it is then left to MPI, and the call goes on as if the library
 * had buffered it. The rank may have received it before it left, which one more wait shows. */
static int wait_until_sent(Rounds *rounds) {
    Collective *collective = rounds->collective;
    MPI_Request *request = &rounds->requests[rounds->sends];
    Watch watch = watch_begin(now(), collective->timeout);
    bool refused = false;
    for (;;) {
        int sent = wait_patiently(collective, request, NOBODY, MPI_STATUS_IGNORE, PATIENCE_SECONDS, &watch);
        if (sent < 0 || (!sent && look_around(collective, NOBODY) < 0))
            return -1;
        if (!sent && refused)
            give_up(collective, request, 0, 1);
        if (sent || refused)
            break;
        refused = is_refused(rounds);
    }
    rounds->sends--;
    return 0;
}

/* Wait until the next message of the library is complete. 0 or -1. */
static int wait_for_message(Rounds *rounds) {
    return rounds->receiving ? wait_until_received(rounds) : wait_until_sent(rounds);
}

/* A round that waits for a letter, and the result of its last step. */
struct awaited {
    Rounds *rounds;
    int source; /* of the letter; NOBODY: it waits for room for one */
    int done;
};

/* Whether there is something to do other than to look again. */
static bool has_arrived(void *context) {
    struct awaited *awaited = context;
    awaited->done = round_step(awaited->rounds);
    awaited->source = awaited->rounds->stage == GIVING ? NOBODY : awaited->rounds->source;
    return awaited->done || awaited->rounds->stage >= COMPLETING;
}

/* Wait until the round can go on. 0 or -1. */
static int wait_for_letter(Rounds *rounds) {
    struct awaited awaited = {.rounds = rounds};
    if (wait_for_mail(rounds->collective, has_arrived, &awaited, &awaited.source) < 0)
        return -1;
    return awaited.done < 0 ? -1 : 0;
}

int rounds_run(Rounds *rounds) {
    for (;;) {
        int done = rounds_step(rounds);
        if (likely(done > 0))
            return 0;
        if (done == 0)
            done = rounds->stage < COMPLETING ? wait_for_letter(rounds) : wait_for_message(rounds);
        if (unlikely(done < 0))
            return rounds_give_up(rounds);
    }
}

/* ---- as a phase ---- */

static int step_phase(void *state) { return rounds_step(state); }

static void give_up_phase(void *state) { rounds_give_up(state); }

static int awaits(const void *state) {
    const Rounds *rounds = state;
    return rounds->stage == GETTING || rounds->receiving ? rounds->source : NOBODY;
}

/* Wait until the round can go on: 1; 0 or -1 with an exception, as PhaseKind.wait. */
static int wait_in_phase(Rounds *rounds) {
    if (rounds->stage >= COMPLETING) {
        int receiving = rounds->receiving;
        const MPI_Request *awaited = &rounds->requests[receiving ? 0 : rounds->sends];
        if (wait_for_message(rounds) == 0)
            return 1;
        return rounds->receiving != receiving || *awaited == MPI_REQUEST_NULL ? -1 : 0;
    }
    struct awaited awaited = {.rounds = rounds};
    if (wait_for_mail(rounds->collective, has_arrived, &awaited, &awaited.source) < 0)
        return 0;
    return awaited.done < 0 ? -1 : 1;
}

static int wait_phase(void *state) {
    for (;;) {
        int done = rounds_step(state);
        if (done || (done = wait_in_phase(state)) <= 0)
            return done;
    }
}

const PhaseKind rounds_phase = {
    .step = step_phase, .wait = wait_phase, .give_up = give_up_phase, .awaits = awaits};
const PhaseKind promise_phase = {
    .step = step_phase, .wait = wait_phase, .give_up = give_up_phase, .awaits = awaits, .goes_on = true};
