#include "collectives/letters.h"

#include "base/errors.h"
#include "collectives/call_log.h"
#include "collectives/mailbox.h"
#include "transfer/transfer.h"

/* Looks at a mailbox between two looks at the clock. */
#define LOOKS 64

/* A rank that has left because others call something else has sent a notice before. This rank may have seen
 * in memory that it left, and not yet its notice; of two probes, the first has the library receive that. */
static int look_for_a_reason(const Collective *collective, int source) {
    const Communicator *comm = collective->comm;
    if (comm->together || source == comm->rank)
        return 0;
    return read_notices(collective) < 0 ? -1 : read_notices(collective);
}

int raise_left(const Collective *collective, int source) {
    char rank[RANK_TEXT];
    if (look_for_a_reason(collective, source) < 0)
        return -1;
    raise_error("Timeout", &collective->call,
                "%s has left this call before it was complete (by a time-out, a signal or an error), "
                "so that it cannot be completed here",
                rank_text(rank, &collective->call, source));
    return source == collective->comm->rank ? -1 : raised_by_another();
}

/* A wait for shared memory. */
struct memory_wait {
    Collective *collective;
    bool (*has_arrived)(void *context);
    void *context;
    const int *source;
    double look_at; /* when to look at what the others call; 0: not set yet */
    double work_at; /* when the library begins to get turns; set with look_at */
    unsigned polls; /* since its last turn, */
    double turn_at; /* which was at this time */
};

/* After a long wait: 1 if it has arrived, 0, or -1 with an exception. */
static int ask_why(struct memory_wait *wait) {
    wait->look_at = now() + PATIENCE_SECONDS;
    int source = *wait->source, left = look_around(wait->collective, source);
    if (left <= 0)
        return left;
    if (wait->has_arrived(wait->context))
        return 1;
    /* what it sent before it left has arrived now, and then this rank waits for another one */
    return *wait->source == source ? raise_left(wait->collective, source) : 0;
}

/* On an oversubscribed machine, the library gets no turn in the first FIRST_SECONDS of a wait, and then one
 * in POLLS_PER_TURN polls or FIRST_SECONDS, since it may yield by itself. In a barrier of 8 ranks of two
 * hosts on 2 processors (50 us, some 100) unneeded turns cost a tenth (Open MPI 5.0, TCP); a large message
 * that needs them waits only once. */
enum { POLLS_PER_TURN = 4 };
#define FIRST_SECONDS 250e-6

/* Another rank may wait for this one's library to make progress on an earlier message. */
static int let_library_work(struct memory_wait *wait, double time) {
    bool often = ++wait->polls < POLLS_PER_TURN && time < wait->turn_at + FIRST_SECONDS;
    if (state.oversubscribed && (often || time < wait->work_at))
        return 0;
    wait->polls = 0;
    wait->turn_at = time;
    const Collective *collective = wait->collective;
    int found;
    return checked_iprobe(MPI_ANY_SOURCE, 0, collective->comm->shadow, &found, MPI_STATUS_IGNORE,
                          &collective->call);
}

static int poll_memory(void *context) {
    struct memory_wait *wait = context;
    if (wait->has_arrived(wait->context))
        return 1;
    double time = now();
    if (!wait->look_at) {
        wait->look_at = time + PATIENCE_SECONDS;
        wait->work_at = time + FIRST_SECONDS;
    }
    if (let_library_work(wait, time) < 0)
        return -1;
    return time < wait->look_at ? 0 : ask_why(wait);
}

int wait_in_memory(Collective *collective, bool (*has_arrived)(void *context), void *context,
                   const int *source) {
    struct memory_wait wait = {
        .collective = collective, .has_arrived = has_arrived, .context = context, .source = source};
    if (wait_poll(poll_memory, &wait, &collective->call, collective_seconds(collective)) > 0)
        return 0;
    explain_timeout(collective, *source);
    return -1;
}

int wait_for_mail(Collective *collective, bool (*has_arrived)(void *context), void *context,
                  const int *source) {
    double began = 0;
    while (!state.oversubscribed) {
        for (int looks = 0; looks < LOOKS; looks++) {
            if (likely(has_arrived(context)))
                return 0;
            pause_briefly();
        }
        double time = now();
        if (!began)
            began = time;
        /* the library has work to do: with a window, what others access; they wait for that */
        if (time > began + SPIN_SECONDS || anything_pending() || open_windows)
            break;
    }
    return wait_in_memory(collective, has_arrived, context, source);
}
