/* Rank 0 accesses a window of rank 1: put, get, accumulate and put-bandwidth. The modes say how an access is
   completed: by a flush, while rank 1 makes no call but the one that it waits in, or by a fence of both. */
#define _DEFAULT_SOURCE
#include "delay.h"
#include "exchange.h"

enum { ORIGIN = 0, TARGET = 1 };

INLINED void put(const struct exchange *x) {
    planted_delay();
    MPI_Put(x->outgoing, x->count, x->type, TARGET, 0, x->count, x->type, x->exposed);
}

INLINED void get(const struct exchange *x) {
    planted_delay();
    MPI_Get(x->incoming, x->count, x->type, TARGET, 0, x->count, x->type, x->exposed);
}

INLINED void accumulate(const struct exchange *x) {
    planted_delay();
    MPI_Accumulate(x->outgoing, x->count, x->type, TARGET, 0, x->count, x->type, MPI_SUM, x->exposed);
}

INLINED void put_window(const struct exchange *x) {
    const char *slot = x->outgoing;
    MPI_Aint place = 0;
    for (int i = 0; i < x->window; i++, slot += x->stride, place += (MPI_Aint)x->stride) {
        planted_delay();
        MPI_Put(slot, x->count, x->type, TARGET, place, x->count, x->type, x->exposed);
    }
}

INLINED void fence(const struct exchange *x) { MPI_Win_fence(0, x->exposed); }

/* Rank 1 does nothing in an iteration whose access is completed by a flush. */
INLINED void nothing(const struct exchange *x) { (void)x; }

/* Makes the loops of rank 0 of an access. */
#define DEFINE_ACCESS(access)                                                                                \
    INLINED void access##_flush(const struct exchange *x) {                                                  \
        access(x);                                                                                           \
        MPI_Win_flush(TARGET, x->exposed);                                                                   \
    }                                                                                                        \
    INLINED void access##_fence(const struct exchange *x) {                                                  \
        access(x);                                                                                           \
        fence(x);                                                                                            \
    }                                                                                                        \
    DEFINE_LOOPS(access##_flush);                                                                            \
    DEFINE_LOOPS(access##_fence)

DEFINE_ACCESS(put);
DEFINE_ACCESS(get);
DEFINE_ACCESS(accumulate);
DEFINE_ACCESS(put_window);
DEFINE_LOOPS(fence);
DEFINE_LOOPS(nothing);

static bool is_fenced(const struct polympi_case *c) { return c->variant == POLYMPI_VARIANT_FENCE; }

static const struct loops *const origin_loops[POLYMPI_BENCHMARKS][2] = {
    [POLYMPI_PUT] = {&put_flush_loops, &put_fence_loops},
    [POLYMPI_GET] = {&get_flush_loops, &get_fence_loops},
    [POLYMPI_ACCUMULATE] = {&accumulate_flush_loops, &accumulate_fence_loops},
    [POLYMPI_PUT_BANDWIDTH] = {&put_window_flush_loops, &put_window_fence_loops}};

bool is_one_sided(int32_t benchmark) { return origin_loops[benchmark][0] != NULL; }

const struct loops *one_sided_loops(const struct polympi_case *c, int rank) {
    if (rank == TARGET)
        return is_fenced(c) ? &fence_loops : &nothing_loops;
    return origin_loops[c->benchmark][is_fenced(c)];
}

void window_make(const struct polympi_case *c, const struct polympi_buffers *buffers,
                 struct exchange *exchange) {
    MPI_Group all, both;
    void *const memory = buffers->incoming_messages ? buffers->incoming : buffers->outgoing;
    const int messages = buffers->incoming_messages + buffers->outgoing_messages;
    const MPI_Aint bytes = buffers->rank == TARGET ? (MPI_Aint)(messages * buffers->stride) : 0;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 2, (const int[]){ORIGIN, TARGET}, &both);
    MPI_Comm_create_group(MPI_COMM_WORLD, both, POLYMPI_ACKNOWLEDGEMENT_TAG, &exchange->pair);
    MPI_Group_free(&both);
    MPI_Group_free(&all);
    MPI_Win_create(memory, bytes, 1, MPI_INFO_NULL, exchange->pair, &exchange->exposed);
    if (!is_fenced(c))
        MPI_Win_lock_all(0, exchange->exposed);
}

/* Open MPI 5.0.11 crashes in a later call if a window is freed while one of its own messages is on its way:
   in up to half of all launches with large accesses, and in none of 40 with this pause. */
static void let_messages_arrive(MPI_Comm comm) {
    const double end = MPI_Wtime() + 3e-3;
    int there;
    while (MPI_Wtime() < end)
        MPI_Iprobe(MPI_ANY_SOURCE, POLYMPI_ACKNOWLEDGEMENT_TAG, comm, &there, MPI_STATUS_IGNORE);
}

void window_free(const struct polympi_case *c, struct exchange *exchange) {
    if (!is_fenced(c))
        MPI_Win_unlock_all(exchange->exposed);
    let_messages_arrive(exchange->pair);
    MPI_Win_free(&exchange->exposed);
    MPI_Comm_free(&exchange->pair);
}

static void inform(int rank) {
    MPI_Send(NULL, 0, MPI_BYTE, rank, POLYMPI_ACKNOWLEDGEMENT_TAG, MPI_COMM_WORLD);
}

static void await(int rank) {
    MPI_Recv(NULL, 0, MPI_BYTE, rank, POLYMPI_ACKNOWLEDGEMENT_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Rank 1 has written to its window, and rank 0 may access it. */
void window_begin(const struct polympi_case *c, const struct exchange *exchange, int rank) {
    if (is_fenced(c)) {
        fence(exchange);
    } else if (rank == TARGET) {
        MPI_Win_sync(exchange->exposed);
        inform(ORIGIN);
    } else {
        await(TARGET);
    }
}

/* Rank 1 waits in MPI, which may have to answer accesses meanwhile, until rank 0 has completed them all. */
void window_end(const struct polympi_case *c, const struct exchange *exchange, int rank) {
    if (is_fenced(c)) {
        fence(exchange);
    } else if (rank == TARGET) {
        await(ORIGIN);
        MPI_Win_sync(exchange->exposed);
    } else {
        inform(TARGET);
    }
}
