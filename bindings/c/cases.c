#define _DEFAULT_SOURCE
#include "cases.h"
#include "clock.h"
#include "common_start.h"
#include "exchange.h"
#include "faces.h"
#include "payload.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Messages that a rank sends and receives in one iteration. */
struct messages {
    int outgoing;
    int incoming;
};

static struct messages count_messages(enum benchmark benchmark, int window, struct ranks ranks) {
    const bool root = ranks.rank == 0;
    const int all = ranks.size;
    if (is_point_to_point(benchmark) && ranks.rank > 1)
        return (struct messages){0, 0};
    switch (benchmark) {
    case BIBANDWIDTH:
        return (struct messages){window, window};
    case BANDWIDTH:
    case STREAM:
        return root ? (struct messages){window, 0} : (struct messages){0, window};
    case BARRIER:
    case FACES: /* which lie in a cube */
        return (struct messages){0, 0};
    case BCAST:
        return root ? (struct messages){1, 0} : (struct messages){0, 1};
    case REDUCE:
        return (struct messages){1, root ? 1 : 0};
    case GATHER:
        return (struct messages){1, root ? all : 0};
    case SCATTER:
        return (struct messages){root ? all : 0, 1};
    case ALLGATHER:
        return (struct messages){1, all};
    case ALLTOALL:
        return (struct messages){all, all};
    default: /* latency and allreduce */
        return (struct messages){1, 1};
    }
}

static int larger(int a, int b) { return a > b ? a : b; }

/* Why this program cannot run a case, or NULL. */
static const char *refusal(const struct plan_case *c, enum way way, struct ranks ranks) {
    if (is_point_to_point(c->benchmark) && ranks.size < 2)
        return "it takes two ranks to exchange messages";
    if ((c->benchmark == BARRIER) != (c->payload == NONE))
        return "a barrier has the payload none, and no other benchmark has";
    if (way == BY_SPINNING && !is_point_to_point(c->benchmark))
        return "a nonblocking collective is another algorithm, not another way to wait";
    if (way == BY_PACKING && (c->benchmark != FACES || c->face == CONTIGUOUS))
        return "this arm packs faces that are not contiguous, and nothing else";
    if (c->benchmark == FACES && c->payload != FLOAT64)
        return "a face has the payload float64";
    if ((c->benchmark == REDUCE || c->benchmark == ALLREDUCE) && (c->payload == BYTES || c->payload == DICT))
        return "MPI_SUM is not defined for this payload";
    if (payload_count(c) > INT_MAX || latency_attached_bytes(c) > INT_MAX)
        return "the message has more elements than an int of MPI counts";
    if (is_rooted(c->benchmark) && c->iterations > INT_MAX / larger(c->batches, 1))
        return "its batches have more iterations than an int of MPI counts";
    return NULL;
}

/* Bytes from one message to the next: slots of a window have pages of their own, pieces of a collective
 * touch. */
static size_t spacing(const struct plan_case *c) {
    return is_point_to_point(c->benchmark) ? arena_stride(c->bytes) : c->bytes;
}

/* Messages in a row, which take a place even when they are empty; no messages take none. */
static char *carve_messages(struct arena *arena, int messages, size_t stride) {
    return messages ? arena_carve(arena, 1, (size_t)messages * stride) : NULL;
}

/* Carves the cube, in which both faces lie, and room to pack them. */
static void place_faces(const struct plan_case *c, struct arena *arena, struct exchange *x) {
    x->edge = face_edge(c->bytes);
    x->outgoing = arena_carve(arena, 1, x->edge * c->bytes);
    x->incoming = x->outgoing ? x->outgoing + face_distance(c, x->edge) : NULL;
    for (int i = 0; i < 2; i++)
        x->packed[i] = arena_carve(arena, 1, c->bytes);
}

/* Carves the buffers of a case out of an arena; with an arena without memory this counts what they take.
 * Every program lays them out alike: distances in memory change times, too. */
static struct exchange place(const struct plan_case *c, const struct waiting *waiting, int window,
                             struct ranks ranks, struct arena *arena) {
    const struct messages messages = count_messages(c->benchmark, window, ranks);
    struct exchange x = {.type = payload_datatype(c->payload),
                         .count = (int)payload_count(c),
                         .peer = 1 - ranks.rank,
                         .window = window,
                         .stride = spacing(c)};
    latency_choose(c, waiting, &x);
    x.outgoing = carve_messages(arena, messages.outgoing, x.stride);
    x.incoming = carve_messages(arena, messages.incoming, x.stride);
    if (c->benchmark == FACES && ranks.rank < 2)
        place_faces(c, arena, &x);
    x.acknowledgement = arena_carve(arena, 1, 1);
    arena_carve(arena, 1, 0); /* other languages need an address for an empty message */
    x.attached_bytes = (int)latency_attached_bytes(c);
    x.attached = arena_carve(arena, 1, (size_t)x.attached_bytes);
    if (c->benchmark == BCAST && ranks.rank == 0)
        x.incoming = x.outgoing; /* the argument of MPI_Bcast is one buffer, filled on the root */
    return x;
}

/* Allocated and written to, so that no page is served first inside a loop. */
static void *allocate(int count, size_t bytes) {
    void *memory = malloc((size_t)count * bytes);
    if (memory)
        memset(memory, 1, (size_t)count * bytes);
    return memory;
}

/* Iterations of a case that are timed alone in one series. */
static int single_times(const struct plan_case *c) {
    const int batches = c->batches * c->iterations;
    return is_rooted(c->benchmark) ? larger(larger(batches, c->warmup), c->events) : c->events;
}

bool workspace_create(struct workspace *workspace, enum way way, const struct plan *plan,
                      struct ranks ranks) {
    size_t most_bytes = 0;
    int most_times = 1, most_batches = 1;
    workspace->way = way;
    workspace->waiting = way == BY_SPINNING ? waiting_by_spinning() : waiting_by_library();
    for (size_t i = 0; i < plan->count; i++) {
        const struct plan_case *c = &plan->cases[i];
        struct arena counting = {0};
        if (refusal(c, way, ranks))
            continue;
        place(c, workspace->waiting, plan->window, ranks, &counting);
        if (counting.used > most_bytes)
            most_bytes = counting.used;
        most_times = larger(most_times, single_times(c));
        most_batches = larger(most_batches, c->batches);
    }
    workspace->ns = allocate(most_times, sizeof *workspace->ns);
    workspace->batches = allocate(most_batches, sizeof *workspace->batches);
    workspace->requests = allocate(larger(2, 2 * plan->window), sizeof *workspace->requests);
    return workspace->ns && workspace->batches && workspace->requests &&
           arena_map(&workspace->arena, most_bytes, plan->pages);
}

void workspace_free(struct workspace *workspace) {
    arena_unmap(&workspace->arena);
    free(workspace->ns);
    free(workspace->batches);
    free(workspace->requests);
}

static const struct loops *choose_loops(const struct plan_case *c, enum way way, int rank) {
    if (way == BY_PACKING)
        return packing_loops(c, rank);
    if (c->benchmark == LATENCY || c->benchmark == FACES)
        return latency_loops(c, rank);
    return is_point_to_point(c->benchmark) ? window_loops(c->benchmark, rank)
                                           : collective_loops(c->benchmark);
}

/* Checks message number `i` of those that a rank received. */
static void check_message(const struct plan_case *c, struct ranks ranks, const struct exchange *x, int i,
                          char *complaint) {
    const char *message = x->incoming + (size_t)i * x->stride;
    int origin = i, slot = 0; /* gather and allgather: one piece of each rank */
    if (is_point_to_point(c->benchmark)) {
        origin = 1 - ranks.rank;
        slot = i;
    } else if (c->benchmark == BCAST || c->benchmark == SCATTER) {
        origin = 0;
    }
    if (c->benchmark == SCATTER || c->benchmark == ALLTOALL)
        slot = ranks.rank;
    char fault[COMPLAINT_BYTES] = "";
    if (c->benchmark == FACES)
        faces_check(c, x, origin, fault);
    else if (c->benchmark == REDUCE || c->benchmark == ALLREDUCE)
        payload_check_sum(message, c, ranks.size, fault);
    else
        payload_check(message, c, origin, slot, fault);
    if (fault[0])
        snprintf(complaint, COMPLAINT_BYTES, "message %d that rank %d received: %.200s", i, ranks.rank,
                 fault);
}

/* One iteration as a batch makes it, or as an event makes it, whose messages are checked. */
static void validate_loop(const struct plan_case *c, struct ranks ranks, const struct loops *loops,
                          bool singly, const struct exchange *x, char *complaint) {
    const struct messages messages = count_messages(c->benchmark, x->window, ranks);
    int64_t ns;
    if (messages.incoming)
        payload_poison(x->incoming, (size_t)messages.incoming * x->stride);
    if (c->benchmark == FACES)
        faces_fill(c, x, ranks.rank);
    latency_begin(c, x, ranks.rank);
    if (singly)
        loops->singly(x, 1, &ns);
    else
        loops->batch(x, 1);
    latency_end(c, x, ranks.rank);
    for (int i = 0; i < messages.incoming && !complaint[0]; i++)
        check_message(c, ranks, x, i, complaint);
    if (c->benchmark == FACES && !complaint[0])
        check_message(c, ranks, x, 0, complaint);
}

/* One iteration of each of the very loops that will be timed: rooted collectives have no other than the one
 * that times each iteration alone, and rank 1 answers both of rank 0 in the same way. */
static void validate(const struct plan_case *c, struct ranks ranks, const struct loops *loops,
                     const struct exchange *x, char *complaint) {
    const struct messages messages = count_messages(c->benchmark, x->window, ranks);
    for (int i = 0; i < messages.outgoing; i++)
        payload_fill(x->outgoing + (size_t)i * x->stride, c, ranks.rank, i);
    if (!is_rooted(c->benchmark))
        validate_loop(c, ranks, loops, false, x, complaint);
    validate_loop(c, ranks, loops, !is_point_to_point(c->benchmark) || ranks.rank == 0, x, complaint);
}

/* Ranks 0 and 1 only; the figures of rank 0 count. */
static void time_point_to_point(const struct plan_case *c, struct ranks ranks, const struct loops *loops,
                                const struct exchange *x, struct workspace *workspace) {
    latency_begin(c, x, ranks.rank);
    loops->batch(x, c->warmup);
    for (int i = 0; i < c->batches; i++) {
        const int64_t start = now_ns();
        loops->batch(x, c->iterations);
        workspace->batches[i] = now_ns() - start;
    }
    if (ranks.rank == 0)
        loops->singly(x, c->events, workspace->ns);
    else
        loops->batch(x, c->events);
    latency_end(c, x, ranks.rank);
}

/* Calls that hold the ranks together: a batch is one stretch of time from a common start, and one that a rank
 * began too late is made again. */
static void time_joint_batches(const struct plan_case *c, const struct loops *loops, const struct exchange *x,
                               int64_t *batches) {
    loops->batch(x, c->warmup);
    common_start_agree();
    for (int i = 0; i < c->batches;) {
        const int64_t start = common_start_wait();
        loops->batch(x, c->iterations);
        batches[i] = now_ns() - start;
        i += common_start_agree();
    }
}

/* Calls in which ranks would run ahead: every iteration has a start of its own, and a batch is the sum over
 * its iterations of the time of the last rank. */
static void time_rooted_batches(const struct plan_case *c, struct ranks ranks, const struct loops *loops,
                                const struct exchange *x, struct workspace *workspace) {
    const int iterations = c->batches * c->iterations;
    loops->singly(x, c->warmup, workspace->ns);
    loops->singly(x, iterations, workspace->ns);
    largest_over_ranks(ranks, workspace->ns, iterations);
    for (int i = 0; i < c->batches; i++) {
        workspace->batches[i] = 0;
        for (int k = 0; k < c->iterations; k++)
            workspace->batches[i] += workspace->ns[i * c->iterations + k];
    }
}

static void time_collective(const struct plan_case *c, struct ranks ranks, const struct loops *loops,
                            const struct exchange *x, struct workspace *workspace) {
    if (is_rooted(c->benchmark)) {
        time_rooted_batches(c, ranks, loops, x, workspace);
    } else {
        time_joint_batches(c, loops, x, workspace->batches);
        largest_over_ranks(ranks, workspace->batches, c->batches);
    }
    loops->singly(x, c->events, workspace->ns);
    largest_over_ranks(ranks, workspace->ns, c->events);
}

void case_run(const struct plan_case *c, int window, struct ranks ranks, struct workspace *workspace,
              struct samples *samples) {
    const char *reason = refusal(c, workspace->way, ranks);
    samples_record(samples, "case %d", c->id);
    samples_flush(samples); /* before anything can crash */
    if (reason) {
        samples_record(samples, "skip %d %s", c->id, reason);
        return;
    }
    struct arena arena = workspace->arena; /* a copy: every case begins at the beginning */
    struct exchange x = place(c, workspace->waiting, window, ranks, &arena);
    x.requests = workspace->requests;
    const bool point_to_point = is_point_to_point(c->benchmark);
    const bool taking_part = !point_to_point || ranks.rank < 2;
    const struct loops *loops = taking_part ? choose_loops(c, workspace->way, ranks.rank) : NULL;
    const bool of_faces = c->benchmark == FACES && taking_part;
    if (of_faces)
        faces_begin(c, &x);
    char complaint[COMPLAINT_BYTES] = "";
    if (!point_to_point)
        common_start_next_case();
    if (taking_part)
        validate(c, ranks, loops, &x, complaint);
    if (share_complaint(ranks, complaint)) {
        samples_record(samples, "valid %d failed %s", c->id, complaint);
    } else {
        samples_record(samples, "valid %d ok", c->id);
        const int64_t repeated = common_start_repeated();
        if (!point_to_point)
            time_collective(c, ranks, loops, &x, workspace);
        else if (taking_part)
            time_point_to_point(c, ranks, loops, &x, workspace);
        if (common_start_repeated() > repeated)
            samples_record(samples, "repeated %d %" PRId64, c->id, common_start_repeated() - repeated);
        samples_times(samples, "batch", c->id, workspace->batches, c->batches);
        samples_times(samples, "event", c->id, workspace->ns, c->events);
    }
    if (of_faces)
        faces_end(c, &x);
    samples_flush(samples);
    common_start_agree(); /* ranks without a part in the case wait here for those that have one */
}
