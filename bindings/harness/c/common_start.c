#define _GNU_SOURCE /* sched_getaffinity */
#include "common_start.h"

#include <mpi.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* From the agreement to the start. It has to be longer than ranks take to leave the agreement one after the
   other, about a message, and to make the call before the timed one. A rank that comes too late asks for
   twice as much, and for a little less with each start that it comes in time for. At most a tenth of a
   second: no margin helps against a processor that is taken away. */
enum { LEAST_MARGIN_NS = 4000, MOST_MARGIN_NS = 100000000, MARGIN_DECAY = 64 };

/* After this many starts in a row that a rank was late for, the next one counts in any case: on a machine
   this busy a launch would never end, and its times are those of the scheduler anyway. */
enum { MOST_REPEATS = 10 };

/* How late a rank may see the start: a few readings of the clock, or it was not waiting but doing something
 * else. */
enum { READINGS = 1000, READINGS_LATE = 4, LEAST_TOLERANCE_NS = 100 };

/* Round trips from which the shortest is taken: the others waited somewhere on their way (F. Cristian,
   "Probabilistic clock synchronization", Distributed Computing 3 (1989)). */
enum { ROUND_TRIPS = 20, CLOCK_TAG = 100 };

/* Bytes of what names a clock: an identity of 36 characters, and a name such as time:[4026531834]. */
enum { CLOCK_NAME = 128 };

/* Quartzes drift apart by some 10 us in a second, a part in 100,000. The drift is taken from two comparisons
   as soon as their errors are less than that part of the time between them: earlier, they would pass for
   drift. */
enum { DRIFT_PARTS = 100000 };

/* What a clock shows less than that of rank 0, as it was found at a moment of this rank's clock, and by how
 * much that may be wrong. */
struct offset {
    int64_t when;
    int64_t ns;
    int64_t error;
};

static struct {
    MPI_Comm comm;
    int rank, size;
    bool oversubscribed;
    bool one_clock;
    int64_t tolerance;
    int64_t margin;
    int64_t start; /* agreed, on the clock of rank 0 */
    bool late;     /* this rank, for the last start: it came late, or lost the processor while it waited */
    bool came_late;
    int in_a_row;
    int64_t repeated;
    struct offset first, last;
    int64_t clock_error;
} state;

static inline int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static bool drift_is_known(void) {
    return state.last.when - state.first.when > DRIFT_PARTS * (state.first.error + state.last.error);
}

/* How much more the clock of rank 0 advances while this one advances by 1. */
static double drift(void) {
    if (!drift_is_known())
        return 0;
    return (double)(state.last.ns - state.first.ns) / (double)(state.last.when - state.first.when);
}

/* What the clock of rank 0 shows when this one shows `when`; the other way round below. */
static int64_t of_rank_0(int64_t when) {
    return when + state.last.ns + (int64_t)(drift() * (double)(when - state.last.when));
}

static int64_t of_this_rank(int64_t shown) {
    const int64_t since = shown - state.last.ns - state.last.when;
    return state.last.when + since - (int64_t)(drift() / (1 + drift()) * (double)since);
}

#ifdef COMMON_START_POLLS
/* Another barrier, to show that no time depends on it. */
static void finish(MPI_Request *request) {
    int done = 0;
    while (!done)
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
}

static void exchange(const int64_t *mine, int to, int64_t *theirs, int from, int tag) {
    MPI_Request receiving, sending;
    MPI_Irecv(theirs, 2, MPI_INT64_T, from, tag, state.comm, &receiving);
    MPI_Isend(mine, 2, MPI_INT64_T, to, tag, state.comm, &sending);
    finish(&receiving);
    finish(&sending);
}
#else
static void exchange(const int64_t *mine, int to, int64_t *theirs, int from, int tag) {
    MPI_Sendrecv(mine, 2, MPI_INT64_T, to, tag, theirs, 2, MPI_INT64_T, from, tag, state.comm,
                 MPI_STATUS_IGNORE);
}
#endif

/* A dissemination barrier whose messages carry two numbers: in the end every rank has the largest of each.
   (D. Hensgen, R. Finkel, U. Manber, "Two algorithms for barrier synchronization", Int. J. Parallel
   Programming 17 (1988).) */
static void largest_of_all(int64_t values[2]) {
    for (int distance = 1, round = 0; distance < state.size; distance *= 2, round++) {
        const int to = (state.rank + distance) % state.size;
        const int from = (state.rank - distance + state.size) % state.size;
        int64_t theirs[2];
        exchange(values, to, theirs, from, round);
        for (int i = 0; i < 2; i++)
            if (theirs[i] > values[i])
                values[i] = theirs[i];
    }
}

/* What is counted in the calls. */
static struct {
    int64_t (*read)(void *context);
    void *context;
    int64_t *sum;
    int32_t calls, counted; /* of a sum, and in this one so far */
    bool started;           /* `before` was read for the call that is made now */
    int64_t before;
} watch;

void common_start_watch(int64_t (*read)(void *context), void *context, int64_t *sums, int32_t calls) {
    watch.read = read;
    watch.context = context;
    watch.sum = sums;
    watch.calls = calls;
    watch.counted = 0;
    watch.started = false;
}

static void count(int64_t passed) {
    *watch.sum = (watch.counted ? *watch.sum : 0) + passed;
    if (++watch.counted < watch.calls)
        return;
    watch.counted = 0;
    watch.sum++;
}

/* Holds the ranks together until the last has arrived, and agrees on a start soon after; whether one was late
   for the start before. */
static bool agree_on_start(void) {
    const int64_t ready = now();
    int64_t values[2] = {of_rank_0(ready) + state.margin, state.late};
    largest_of_all(values);
    state.start = values[0];
    return values[1] != 0;
}

int32_t common_start_agree(void) {
    const bool watched = watch.read && watch.started;
    const int64_t passed = watched ? watch.read(watch.context) - watch.before : 0;
    watch.started = false;
    if (state.came_late)
        state.margin = state.margin < MOST_MARGIN_NS / 2 ? 2 * state.margin : MOST_MARGIN_NS;
    else
        state.margin -= (state.margin - LEAST_MARGIN_NS) / MARGIN_DECAY;
    const bool was_late = agree_on_start();
    state.late = state.came_late = false;
    const bool in_time = !was_late || state.in_a_row == MOST_REPEATS;
    state.in_a_row = in_time ? 0 : state.in_a_row + 1;
    state.repeated += !in_time;
    if (watched && in_time)
        count(passed);
    return in_time;
}

int64_t common_start_wait(void) {
    /* Where ranks wait for a processor, no margin covers the calls before the timed one, and what they take
       would count as a part of it: the ranks agree behind them. */
    if (state.oversubscribed)
        agree_on_start();
    if (watch.read) {
        watch.before = watch.read(watch.context);
        watch.started = true;
    }
    const int64_t start = of_this_rank(state.start);
    int64_t time = now();
    state.came_late = !state.oversubscribed && time >= start;
    while (time < start) {
        if (state.oversubscribed)
            sched_yield();
        time = now();
    }
    state.late = time - start > state.tolerance;
    return start;
}

/* Whether ranks outnumber the CPUs that any of them may use: a launcher may give each rank CPUs of its own.
   They are all on one machine. */
static bool is_oversubscribed(MPI_Comm comm, int ranks) {
    cpu_set_t mine, ours;
    CPU_ZERO(&mine);
    const bool known = sched_getaffinity(0, sizeof mine, &mine) == 0;
    MPI_Allreduce(&mine, &ours, sizeof mine, MPI_BYTE, MPI_BOR, comm);
    return known && ranks > CPU_COUNT(&ours);
}

/* Longest that a rank may be late: with more ranks than processors no rank counts as late. */
static int64_t tolerance(void) {
    if (state.oversubscribed)
        return INT64_MAX;
    const int64_t begin = now();
    int64_t end = begin;
    for (int i = 0; i < READINGS; i++)
        end = now();
    const int64_t readings = READINGS_LATE * (end - begin) / READINGS;
    return readings > LEAST_TOLERANCE_NS ? readings : LEAST_TOLERANCE_NS;
}

/* The monotonic clock is that of a kernel, which has another identity each time it is booted (random(4)), and
   of a time namespace where kernels have such (time_namespaces(7)). Empty if that cannot be read. */
static void name_clock(char name[CLOCK_NAME]) {
    memset(name, 0, CLOCK_NAME);
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (!file)
        return;
    const bool read = fgets(name, CLOCK_NAME / 2, file) != NULL;
    fclose(file);
    if (!read)
        name[0] = 0;
    else if (readlink("/proc/self/ns/time", name + CLOCK_NAME / 2, CLOCK_NAME / 2) < 0)
        name[CLOCK_NAME / 2] = 0;
}

/* Whether hosts have the clock of one machine, as containers on it and hosts of a test cluster do. Virtual
   machines that are copies of a running one may have the same names, and other clocks: the comparison, which
   is never farther off than its error, shows that. */
static bool have_one_clock(void) {
    char mine[CLOCK_NAME], first[CLOCK_NAME];
    name_clock(mine);
    memcpy(first, mine, CLOCK_NAME);
    MPI_Bcast(first, CLOCK_NAME, MPI_BYTE, 0, state.comm);
    int same = mine[0] && memcmp(mine, first, CLOCK_NAME) == 0 && llabs(state.last.ns) <= state.last.error;
    MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_LAND, state.comm);
    return same;
}

void common_start_begin(void) {
    MPI_Comm machine;
    int ranks;
    MPI_Comm_dup(MPI_COMM_WORLD, &state.comm);
    MPI_Comm_rank(state.comm, &state.rank);
    MPI_Comm_size(state.comm, &state.size);
    MPI_Comm_split_type(state.comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_size(machine, &ranks);
    int facts[2] = {is_oversubscribed(machine, ranks), ranks < state.size};
    MPI_Allreduce(MPI_IN_PLACE, facts, 2, MPI_INT, MPI_MAX, state.comm);
    MPI_Comm_free(&machine);
    state.oversubscribed = facts[0];
    state.one_clock = !facts[1];
    state.late = state.came_late = false;
    state.in_a_row = 0;
    state.repeated = 0;
    state.first = state.last = (struct offset){0, 0, 0};
    state.clock_error = 0;
    common_start_next_case();
    if (!state.one_clock && have_one_clock()) {
        state.one_clock = true;
        state.first = state.last = (struct offset){0, 0, 0};
        state.clock_error = 0;
        /* The hosts are one machine, whose CPUs they share. */
        int oversubscribed = is_oversubscribed(state.comm, state.size);
        MPI_Allreduce(MPI_IN_PLACE, &oversubscribed, 1, MPI_INT, MPI_MAX, state.comm);
        state.oversubscribed = oversubscribed;
    }
    state.tolerance = tolerance();
}

void common_start_mark(void) { MPI_Comm_set_name(state.comm, COMMON_START_NAME); }

void common_start_end(void) { MPI_Comm_free(&state.comm); }

/* Rank 0 answers with its time. */
static void answer(int rank) {
    for (int i = 0; i < ROUND_TRIPS; i++) {
        int64_t time;
        MPI_Recv(&time, 1, MPI_INT64_T, rank, CLOCK_TAG, state.comm, MPI_STATUS_IGNORE);
        time = now();
        MPI_Send(&time, 1, MPI_INT64_T, rank, CLOCK_TAG, state.comm);
    }
}

/* Another rank asks: its clock stood in the middle of the round trip when rank 0 read its own, or half a
   round trip from there. */
static struct offset ask(void) {
    struct offset offset = {0, 0, 0};
    int64_t shortest = INT64_MAX;
    for (int i = 0; i < ROUND_TRIPS; i++) {
        int64_t time;
        const int64_t asked = now();
        MPI_Send(&asked, 1, MPI_INT64_T, 0, CLOCK_TAG, state.comm);
        MPI_Recv(&time, 1, MPI_INT64_T, 0, CLOCK_TAG, state.comm, MPI_STATUS_IGNORE);
        const int64_t answered = now();
        if (answered - asked < shortest) {
            shortest = answered - asked;
            const int64_t middle = asked + shortest / 2;
            offset = (struct offset){middle, time - middle, shortest - shortest / 2};
        }
    }
    return offset;
}

void common_start_next_case(void) {
    state.margin = LEAST_MARGIN_NS;
    if (state.one_clock)
        return;
    for (int rank = 1; rank < state.size; rank++)
        if (state.rank == 0)
            answer(rank);
        else if (state.rank == rank)
            state.last = ask();
    /* The very first messages are slow: with the error of their comparison the drift would not be known for
     * minutes. */
    if (state.first.when == 0 || (!drift_is_known() && state.last.error < state.first.error / 2))
        state.first = state.last;
    int64_t error;
    MPI_Allreduce(&state.last.error, &error, 1, MPI_INT64_T, MPI_MAX, state.comm);
    if (error > state.clock_error)
        state.clock_error = error;
}

int64_t common_start_latest(int64_t when) {
    int64_t values[2] = {of_rank_0(when), 0};
    largest_of_all(values);
    return values[0];
}

int64_t common_start_repeated(void) { return state.repeated; }
int64_t common_start_clock_error(void) { return state.clock_error; }
int32_t common_start_oversubscribed(void) { return state.oversubscribed; }
