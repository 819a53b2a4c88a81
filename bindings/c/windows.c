/* Many messages in flight: bandwidth, bibandwidth, stream and plan. `a` is rank 0 and `b` rank 1. */
#define _DEFAULT_SOURCE
#include "delay.h"
#include "exchange.h"

/* MPICH before 4.1 declares the statuses as an array, for which GCC takes MPI_STATUSES_IGNORE, an address
   that only MPI reads anything into, to be one of size 0. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif

#define WORLD MPI_COMM_WORLD
#define IGNORE MPI_STATUS_IGNORE

INLINED void post_receives(const struct exchange *x, MPI_Request *requests) {
    char *slot = x->incoming;
    for (int i = 0; i < x->window; i++, slot += x->stride)
        MPI_Irecv(slot, x->count, x->type, x->peer, POLYMPI_PAYLOAD_TAG, WORLD, &requests[i]);
}

INLINED void start_sends(const struct exchange *x, MPI_Request *requests) {
    char *slot = x->outgoing;
    for (int i = 0; i < x->window; i++, slot += x->stride) {
        planted_delay();
        MPI_Isend(slot, x->count, x->type, x->peer, POLYMPI_PAYLOAD_TAG, WORLD, &requests[i]);
    }
}

INLINED void acknowledge(const struct exchange *x) {
    x->send(x->acknowledgement, 1, MPI_BYTE, x->peer, POLYMPI_ACKNOWLEDGEMENT_TAG, WORLD);
}

INLINED void await_acknowledgement(const struct exchange *x) {
    x->receive(x->acknowledgement, 1, MPI_BYTE, x->peer, POLYMPI_ACKNOWLEDGEMENT_TAG, WORLD, IGNORE);
}

INLINED void bandwidth_a(const struct exchange *x) {
    start_sends(x, x->requests);
    x->waitall(x->window, x->requests, MPI_STATUSES_IGNORE);
    await_acknowledgement(x);
}

INLINED void bandwidth_b(const struct exchange *x) {
    post_receives(x, x->requests);
    x->waitall(x->window, x->requests, MPI_STATUSES_IGNORE);
    acknowledge(x);
}

INLINED void bibandwidth(const struct exchange *x) {
    post_receives(x, x->requests);
    start_sends(x, x->requests + x->window);
    x->waitall(2 * x->window, x->requests, MPI_STATUSES_IGNORE);
}

INLINED void send_all(const struct exchange *x) {
    char *slot = x->outgoing;
    for (int i = 0; i < x->window; i++, slot += x->stride) {
        planted_delay();
        x->send(slot, x->count, x->type, x->peer, POLYMPI_PAYLOAD_TAG, WORLD);
    }
}

INLINED void stream_a(const struct exchange *x) {
    send_all(x);
    await_acknowledgement(x);
}

INLINED void stream_b(const struct exchange *x) {
    char *slot = x->incoming;
    for (int i = 0; i < x->window; i++, slot += x->stride)
        x->receive(slot, x->count, x->type, x->peer, POLYMPI_PAYLOAD_TAG, WORLD, IGNORE);
    acknowledge(x);
}

/* In the mode `ready` all receives are posted before the message that makes the other side send. */

INLINED void stream_ready_a(const struct exchange *x) {
    await_acknowledgement(x);
    stream_a(x);
}

INLINED void stream_ready_b(const struct exchange *x) {
    post_receives(x, x->requests);
    acknowledge(x);
    x->waitall(x->window, x->requests, MPI_STATUSES_IGNORE);
    acknowledge(x);
}

DEFINE_LOOPS(bandwidth_a);
DEFINE_LOOPS(bandwidth_b);
DEFINE_LOOPS(bibandwidth);
DEFINE_LOOPS(stream_a);
DEFINE_LOOPS(stream_b);
DEFINE_LOOPS(stream_ready_a);
DEFINE_LOOPS(stream_ready_b);

static void send_all_singly(void *given, int32_t iterations, int64_t *ns) {
    const struct exchange exchange = *(const struct exchange *)given;
    for (int i = 0; i < iterations; i++) {
        const int64_t start = polympi_now();
        send_all(&exchange);
        ns[i] = polympi_now() - start;
        await_acknowledgement(&exchange); /* so that the next messages do not wait for these */
    }
}

const struct loops *unacknowledged_loops(int rank) {
    static const struct loops send_all_loops = {stream_a_batch, send_all_singly};
    return rank == 0 ? &send_all_loops : &stream_b_loops;
}

const struct loops *window_loops(const struct polympi_case *c, int rank) {
    static const struct loops *const bandwidth_loops[2] = {&bandwidth_a_loops, &bandwidth_b_loops};
    static const struct loops *const stream_loops[2] = {&stream_a_loops, &stream_b_loops};
    static const struct loops *const ready_loops[2] = {&stream_ready_a_loops, &stream_ready_b_loops};
    switch (c->benchmark) {
    case POLYMPI_BANDWIDTH:
        return bandwidth_loops[rank];
    case POLYMPI_STREAM:
        return (c->send_mode == POLYMPI_READY ? ready_loops : stream_loops)[rank];
    default: /* bibandwidth, and plan: its messages are posted again each time, which persistent requests are
                not faster than (docs/protocol.md) */
        return &bibandwidth_loops;
    }
}
