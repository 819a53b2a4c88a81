#include "transport/sleepers.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "transport/calls.h"

/* A rank's part; its own cache line, since others read `asleep` with each message. */
typedef struct Sleeper {
    _Alignas(SHARED_UNIT) _Atomic uint32_t asleep; /* its threads that sleep, or will soon */
    _Atomic uint32_t woken;                        /* the word: how often */
    _Alignas(SHARED_UNIT) uint32_t any;            /* of the lowest rank: the threads of the machine */
} Sleeper;

static Sleeper alone; /* before there is shared memory, or without it */
static Sleeper *own = &alone;

static bool opened, complete; /* complete: the parts of all can be seen */
static MPI_Group neighbours;  /* the ranks of this machine */
static Sleeper **sleepers;    /* by rank there; NULL: its part can't be seen */
static int keyval;            /* of the Sleepers of a communicator */

/* ---- sleeping ---- */

void sleep_begin(Sleep *sleep) {
    sleep->own = own; /* which change when the world is made */
    sleep->any = state.any_asleep;
    atomic_fetch_add(&sleep->own->asleep, 1);
    __atomic_add_fetch(sleep->any, 1, __ATOMIC_SEQ_CST);
}

void sleep_look(Sleep *sleep) { sleep->woken = atomic_load(&sleep->own->woken); }

enum sleep_end sleep_for(const Sleep *sleep, double seconds) {
    struct timespec time = {.tv_sec = (time_t)seconds,
                            .tv_nsec = (long)(1e9 * (seconds - (double)(time_t)seconds))};
    if (syscall(SYS_futex, &sleep->own->woken, FUTEX_WAIT, sleep->woken, &time, NULL, 0) == 0 ||
        errno == EAGAIN)
        return WOKEN;
    return errno == EINTR ? BY_SIGNAL : TO_THE_END;
}

void sleep_end(const Sleep *sleep) {
    atomic_fetch_sub(&sleep->own->asleep, 1);
    __atomic_sub_fetch(sleep->any, 1, __ATOMIC_SEQ_CST);
}

/* ---- waking ---- */

static void wake(Sleeper *sleeper) {
    atomic_fetch_add(&sleeper->woken, 1);
    syscall(SYS_futex, &sleeper->woken, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void wake_own(void) { wake(own); }

/* The parts of a communicator's ranks, of an intercommunicator's remote ones. */
typedef struct {
    int size;
    Sleeper *of[];
} Sleepers;

static int forget(MPI_Comm Py_UNUSED(comm), int Py_UNUSED(key), void *value, void *Py_UNUSED(unused)) {
    free(value);
    return MPI_SUCCESS;
}

/* NULL without memory. */
static Sleepers *find_all(MPI_Group group, int size) {
    Sleepers *found = malloc(sizeof *found + (size_t)size * sizeof *found->of);
    int *ranks = malloc(2 * (size_t)size * sizeof *ranks), *there = ranks + size;
    for (int rank = 0; ranks && rank < size; rank++)
        ranks[rank] = rank;
    if (!found || !ranks || MPI_Group_translate_ranks(group, size, ranks, neighbours, there) != MPI_SUCCESS) {
        free(found);
        found = NULL;
    }
    for (int rank = 0; found && rank < size; rank++)
        found->of[rank] = there[rank] == MPI_UNDEFINED ? NULL : sleepers[there[rank]];
    if (found)
        found->size = size;
    free(ranks);
    return found;
}

static Sleepers *keep_all(MPI_Comm comm) {
    MPI_Group group;
    int size;
    if (peers_of(comm, &group) != MPI_SUCCESS)
        return NULL;
    Sleepers *found = MPI_Group_size(group, &size) == MPI_SUCCESS ? find_all(group, size) : NULL;
    MPI_Group_free(&group);
    if (found && MPI_Comm_set_attr(comm, keyval, found) != MPI_SUCCESS) {
        free(found);
        return NULL;
    }
    return found;
}

/* Kept with MPI's communicator, which tells when it is freed: messages of all kinds know that one alone. */
static Sleepers *sleepers_of(MPI_Comm comm) {
    Sleepers *kept = NULL;
    int found = 0;
    if (!opened || MPI_Comm_get_attr(comm, keyval, &kept, &found) != MPI_SUCCESS)
        return NULL;
    return found ? kept : keep_all(comm);
}

static void wake_if_asleep(Sleeper *sleeper) {
    if (sleeper && atomic_load_explicit(&sleeper->asleep, memory_order_relaxed))
        wake(sleeper);
}

/* Not inlined, so that the callers of wake_rank stay short. */
__attribute__((noinline, cold)) void wake_sleeper(MPI_Comm comm, int rank) {
    const Sleepers *all = rank >= 0 ? sleepers_of(comm) : NULL;
    if (all)
        wake_if_asleep(all->of[rank]);
}

__attribute__((noinline, cold)) void wake_sleepers(MPI_Comm comm) {
    const Sleepers *all = sleepers_of(comm);
    for (int rank = 0; all && rank < all->size; rank++)
        wake_if_asleep(all->of[rank]);
}

bool is_asleep(MPI_Comm comm, int rank) {
    const Sleepers *all = sleepers_of(comm);
    return all && all->of[rank] && atomic_load(&all->of[rank]->asleep);
}

void sleeper_ended(MPI_Comm comm, int rank) {
    const Sleepers *all = sleepers_of(comm);
    if (all && all->of[rank])
        __atomic_sub_fetch(state.any_asleep, atomic_exchange(&all->of[rank]->asleep, 0), __ATOMIC_SEQ_CST);
}

uint32_t sleeper_woken(void) { return atomic_load(&own->woken); }

bool is_own_asleep(void) { return atomic_load(&own->asleep); }

bool can_neighbours_wake(void) { return complete && !state.connected && state.job_size == state.world_size; }

SharedPlace sleeper_place(void) { return own == &alone ? NOWHERE : shared_place(own); }

__attribute__((noinline, cold)) void wake_sleeper_at(SharedPlace place) {
    if (place != NOWHERE)
        wake_if_asleep(shared_at(place));
}

/* ---- setting up ---- */

/* The places of all; NOWHERE: a rank has none, as all do without shared memory. False without memory. */
static bool find_neighbours(const SharedPlace *places, int rank, int size) {
    sleepers = calloc((size_t)size, sizeof *sleepers);
    if (!sleepers)
        return false;
    complete = true;
    for (int other = 0; other < size; other++) {
        complete &= size == 1 || places[other] != NOWHERE;
        sleepers[other] = places[other] == NOWHERE ? NULL : shared_at(places[other]);
    }
    if (sleepers[0])
        state.any_asleep = &sleepers[0]->any;
    if (sleepers[rank])
        own = sleepers[rank];
    sleepers[rank] = own;
    return true;
}

int sleepers_open(MPI_Comm machine) {
    int rank, size, code = MPI_Comm_rank(machine, &rank);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_size(machine, &size);
    if (code != MPI_SUCCESS)
        return code;
    SharedPlace mine = shared_take(sizeof(Sleeper), SHARED_UNIT),
                *places = malloc((size_t)size * sizeof *places);
    if (mine != NOWHERE)
        *(Sleeper *)shared_at(mine) = (Sleeper){.woken = alone.woken};
    code = places
               ? MPI_Allgather(&mine, (int)sizeof mine, MPI_BYTE, places, (int)sizeof mine, MPI_BYTE, machine)
               : MPI_ERR_OTHER;
    if (code == MPI_SUCCESS && !find_neighbours(places, rank, size))
        code = MPI_ERR_OTHER;
    free(places);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_group(machine, &neighbours);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &keyval, NULL);
    opened = code == MPI_SUCCESS;
    return code;
}
