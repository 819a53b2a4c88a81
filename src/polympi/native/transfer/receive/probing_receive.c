#include "transfer/receive/probing_receive.h"

#include <sched.h>

#include "base/errors.h"
#include "base/list.h"
#include "transfer/progress/ended.h"
#include "transfer/progress/long_wait.h"
#include "transfer/progress/wait.h"
#include "transfer/receive/unclaimed_messages.h"

/* In the order in which they began; of all communicators. */
static Incoming *first_prober, *last_prober;

bool probes_wildcards(const Communicator *comm) {
#ifdef OPEN_MPI
    (void)comm;
    return false;
#else
    return (state.several_machines || state.connected) && !comm->together;
#endif
}

void probing_begin(Incoming *in) {
    in->probes = true;
    in->first = MPI_REQUEST_NULL;
    DEQUE_ADD(last_prober, first_prober, in, earlier, later);
    in->comm->probing += PROBER;
}

void probing_end(Incoming *in) {
    DEQUE_REMOVE(last_prober, first_prober, in, earlier, later);
    in->comm->probing -= PROBER;
    __atomic_store_n(&in->probes, false, __ATOMIC_RELEASE); /* a thread outside may look at it */
    if (unlikely(is_own_asleep()))
        wake_own();
}

/* ---- who may take what ---- */

/* Whether all that the second could take would be the first one's. */
static bool covers(const Incoming *one, const Incoming *two) {
    return takes(&one->call, two->call.peer, two->call.tag);
}

/* Whether a message could be for both. */
static bool overlap(const Incoming *one, const Incoming *two) {
    const Call *a = &one->call, *b = &two->call;
    return (a->peer == ANY_SOURCE || b->peer == ANY_SOURCE || a->peer == b->peer) &&
           (a->tag == ANY_TAG || b->tag == ANY_TAG || a->tag == b->tag);
}

bool must_probe(const Incoming *in) {
    if (in->comm->probing & PROBES_WILDCARDS && in->call.peer == ANY_SOURCE)
        return true;
    for (const Incoming *other = first_prober; other; other = other->later)
        if (other->comm == in->comm && overlap(other, in))
            return true;
    return false;
}

/* ---- looking ---- */

/* Receive the message that was found: DONE or FAILED. */
static enum step take_found(Incoming *in, const MPI_Status *found) {
    probing_end(in);
    incoming_number(in);
    int failed = checked_irecv(in->inbox->packet, PACKET_BYTES, MPI_BYTE, found->MPI_SOURCE, found->MPI_TAG,
                               in->comm->comm, &in->first, &in->call);
    return failed ? FAILED : DONE;
}

/* Let those that began before it take what is theirs, now that a message is there: whether one did. */
static enum step earlier_first(const Incoming *in) {
    for (Incoming *other = first_prober; other != in; other = other->later) {
        enum step taken = other->comm == in->comm && overlap(other, in) ? probing_step(other) : PENDING;
        if (taken != PENDING)
            return taken;
    }
    return PENDING;
}

enum step probing_step(Incoming *in) {
    for (const Incoming *other = first_prober; other != in; other = other->later)
        if (other->comm == in->comm && !other->waited_for && covers(other, in))
            return PENDING; /* one that is waited for may wait below this call: in what a signal handler
                             * interrupted
                             */
    for (;;) {
        MPI_Status status;
        int found = 0;
        if (checked_iprobe(mpi_source(in->call.peer), mpi_tag(in->call.tag), in->comm->comm, &found, &status,
                           &in->call) < 0)
            return FAILED;
        if (!found)
            return PENDING;
        enum step taken = earlier_first(in);
        if (taken != DONE)
            return taken == FAILED ? FAILED : take_found(in, &status);
    }
}

enum step prober_takes(Communicator *comm, int source, int tag) {
    for (Incoming *in = first_prober; in; in = in->later)
        if (in->comm == comm && takes(&in->call, source, tag))
            return probing_step(in);
    return PENDING;
}

/* ---- waiting ---- */

/* The spin with the GIL held, as of wait_for. */
static enum step spin(Incoming *in) {
    double end = now() + SPIN_SECONDS;
    enum step found;
    while ((found = probing_step(in)) == PENDING && !state.oversubscribed && now() < end)
        ;
    return found;
}

/* Look without the GIL until something is there that fits, or until `end`. */
static int look_outside(const Incoming *in, double end, Idle *idle) {
    int found = 0, code = MPI_SUCCESS;
    PyThreadState *thread = go_outside();
    while (!must_stop()) {
        idle_look(idle);
        take_turn();
        code = iprobe(mpi_source(in->call.peer), mpi_tag(in->call.tag), in->comm->comm, &found,
                      MPI_STATUS_IGNORE);
        end_turn();
        if (found)
            idle_found(idle);
        if (code != MPI_SUCCESS || found || !__atomic_load_n(&in->probes, __ATOMIC_ACQUIRE) || now() >= end)
            break;
        idle_pass(idle);
        if (idle->interrupted)
            break;
    }
    come_inside(thread);
    return code;
}

/* How often others make progress while there are any. */
#define PROGRESS_SECONDS 50e-6
#define SIGNAL_SECONDS 0.05

static int look_and_wait(Incoming *in, double timeout, Idle *idle) {
    Watch watch = watch_begin(now(), timeout);
    double end = timeout > 0 ? watch.began + timeout : 0;
    if (still_running(&in->call) < 0)
        return -1;
    for (enum step found = spin(in);; found = probing_step(in)) {
        if (found == FAILED)
            return -1;
        if (found == DONE || !in->probes) /* another thread may have found it */
            return in->stage == TAKING ? RECALLED : 0;
        if (in->comm->probing & HAS_UNCLAIMED && unclaimed_take(in))
            return RECALLED;
        if (long_wait_signals(watch.began) < 0 || still_running(&in->call) < 0)
            return -1;
        double time = now(), pause = time + SIGNAL_SECONDS;
        if (end && time >= end)
            return raise_timeout(&in->call, timeout);
        if (watch_step(&watch, &in->call, time) < 0)
            return -1;
        idle->others = NO_OTHERS;
        if (anything_pending()) {
            idle_look(idle);
            progress_some();
            idle->others = others_under_way();
            pause = now() + PROGRESS_SECONDS;
            if (still_running(&in->call) < 0)
                return -1;
        }
        int code = in->probes ? look_outside(in, end && end < pause ? end : pause, idle) : MPI_SUCCESS;
        if (code != MPI_SUCCESS)
            return raise_mpi(code, &in->call);
        if (!in->probes)
            return in->stage == TAKING ? RECALLED : 0;
        if (still_running(&in->call) < 0)
            return -1;
    }
}

int probing_wait(Incoming *in, double timeout) {
    Idle idle = {0};
    int failed = look_and_wait(in, timeout == DEFAULT_TIMEOUT ? state.timeout : timeout, &idle);
    idle_end(&idle);
    return failed;
}
