/* Ping-pong in all send modes and completions. In an iteration's name, ping is rank 0 and pong rank 1. */
#define _DEFAULT_SOURCE
#include "delay.h"
#include "exchange.h"

#include <stdbool.h>

/* Where the persistent requests lie; in the mode `ready` AHEAD is also the receive that rank 1 posts
   ahead. */
enum { SENDING, AHEAD };

#define WORLD MPI_COMM_WORLD
#define IGNORE MPI_STATUS_IGNORE

INLINED void receive(const struct exchange *x) {
    x->receive(x->incoming, x->count, x->type, x->peer, POLYMPI_PAYLOAD_TAG, WORLD, IGNORE);
}

INLINED void post(const struct exchange *x, MPI_Request *request) {
    MPI_Irecv(x->incoming, x->count, x->type, x->peer, POLYMPI_PAYLOAD_TAG, WORLD, request);
}

INLINED void send(const struct exchange *x) {
    planted_delay();
    x->send(x->outgoing, x->count, x->type, x->peer, POLYMPI_PAYLOAD_TAG, WORLD);
}

INLINED void send_and_wait(const struct exchange *x) {
    MPI_Request sending;
    planted_delay();
    x->start(x->outgoing, x->count, x->type, x->peer, POLYMPI_PAYLOAD_TAG, WORLD, &sending);
    x->wait(&sending, IGNORE);
}

INLINED void restart_send_and_wait(const struct exchange *x) {
    planted_delay();
    MPI_Start(&x->requests[SENDING]);
    x->wait(&x->requests[SENDING], IGNORE);
}

INLINED void ping(const struct exchange *x) {
    send(x);
    receive(x);
}

INLINED void pong(const struct exchange *x) {
    receive(x);
    send(x);
}

INLINED void ping_nonblocking(const struct exchange *x) {
    MPI_Request receiving;
    send_and_wait(x);
    post(x, &receiving);
    x->wait(&receiving, IGNORE);
}

INLINED void pong_nonblocking(const struct exchange *x) {
    MPI_Request receiving;
    post(x, &receiving);
    x->wait(&receiving, IGNORE);
    send_and_wait(x);
}

INLINED void ping_persistent(const struct exchange *x) {
    restart_send_and_wait(x);
    MPI_Start(&x->requests[AHEAD]);
    x->wait(&x->requests[AHEAD], IGNORE);
}

INLINED void pong_persistent(const struct exchange *x) {
    MPI_Start(&x->requests[AHEAD]);
    x->wait(&x->requests[AHEAD], IGNORE);
    restart_send_and_wait(x);
}

/* In the mode `ready` every receive is posted before the message that makes the other side send. */

INLINED void ping_ready(const struct exchange *x) {
    MPI_Request receiving;
    post(x, &receiving);
    send(x);
    x->wait(&receiving, IGNORE);
}

INLINED void pong_ready(const struct exchange *x) {
    x->wait(&x->requests[AHEAD], IGNORE);
    post(x, &x->requests[AHEAD]);
    send(x);
}

INLINED void ping_ready_nonblocking(const struct exchange *x) {
    MPI_Request receiving;
    post(x, &receiving);
    send_and_wait(x);
    x->wait(&receiving, IGNORE);
}

INLINED void pong_ready_nonblocking(const struct exchange *x) {
    x->wait(&x->requests[AHEAD], IGNORE);
    post(x, &x->requests[AHEAD]);
    send_and_wait(x);
}

INLINED void ping_ready_persistent(const struct exchange *x) {
    MPI_Start(&x->requests[AHEAD]);
    restart_send_and_wait(x);
    x->wait(&x->requests[AHEAD], IGNORE);
}

INLINED void pong_ready_persistent(const struct exchange *x) {
    x->wait(&x->requests[AHEAD], IGNORE);
    MPI_Start(&x->requests[AHEAD]);
    restart_send_and_wait(x);
}

INLINED void sendrecv(const struct exchange *x) {
    planted_delay();
    x->sendrecv(x->outgoing, x->count, x->type, x->peer, POLYMPI_PAYLOAD_TAG, x->incoming, x->count, x->type,
                x->peer, POLYMPI_PAYLOAD_TAG, WORLD, IGNORE);
}

DEFINE_LOOPS(ping);
DEFINE_LOOPS(pong);
DEFINE_LOOPS(ping_nonblocking);
DEFINE_LOOPS(pong_nonblocking);
DEFINE_LOOPS(ping_persistent);
DEFINE_LOOPS(pong_persistent);
DEFINE_LOOPS(ping_ready);
DEFINE_LOOPS(pong_ready);
DEFINE_LOOPS(ping_ready_nonblocking);
DEFINE_LOOPS(pong_ready_nonblocking);
DEFINE_LOOPS(ping_ready_persistent);
DEFINE_LOOPS(pong_ready_persistent);
DEFINE_LOOPS(sendrecv);

const struct loops *latency_loops(const struct polympi_case *c, int rank) {
    static const struct loops *const loops[POLYMPI_COMPLETIONS][2] = {
        [POLYMPI_BLOCKING] = {&ping_loops, &pong_loops},
        [POLYMPI_NONBLOCKING] = {&ping_nonblocking_loops, &pong_nonblocking_loops},
        [POLYMPI_PERSISTENT] = {&ping_persistent_loops, &pong_persistent_loops}};
    static const struct loops *const ready_loops[POLYMPI_COMPLETIONS][2] = {
        [POLYMPI_BLOCKING] = {&ping_ready_loops, &pong_ready_loops},
        [POLYMPI_NONBLOCKING] = {&ping_ready_nonblocking_loops, &pong_ready_nonblocking_loops},
        [POLYMPI_PERSISTENT] = {&ping_ready_persistent_loops, &pong_ready_persistent_loops}};
    if (c->send_mode == POLYMPI_SENDRECV)
        return &sendrecv_loops;
    return c->send_mode == POLYMPI_READY ? ready_loops[c->completion][rank] : loops[c->completion][rank];
}

void latency_choose(const struct polympi_case *c, const struct waiting *waiting, struct exchange *x) {
    static start_call *const starts[POLYMPI_SEND_MODES] = {MPI_Isend, MPI_Issend, MPI_Ibsend, MPI_Irsend,
                                                           NULL};
    static start_call *const inits[POLYMPI_SEND_MODES] = {MPI_Send_init, MPI_Ssend_init, MPI_Bsend_init,
                                                          MPI_Rsend_init, NULL};
    const bool acknowledges = c->benchmark == POLYMPI_STREAM && x->peer == 0;
    x->send = waiting->sends[acknowledges ? POLYMPI_STANDARD : c->send_mode];
    x->receive = waiting->receive;
    x->sendrecv = waiting->sendrecv;
    x->wait = waiting->wait;
    x->waitall = waiting->waitall;
    x->start = (c->completion == POLYMPI_PERSISTENT ? inits : starts)[c->send_mode];
}

/* Rank 1 posts its first receive and tells rank 0, which may send in the mode `ready` from then on. */
static void begin_ready(const struct polympi_case *c, const struct exchange *x, int rank) {
    if (rank == 0) {
        MPI_Recv(NULL, 0, MPI_BYTE, x->peer, POLYMPI_ACKNOWLEDGEMENT_TAG, WORLD, IGNORE);
        return;
    }
    if (c->completion == POLYMPI_PERSISTENT)
        MPI_Start(&x->requests[AHEAD]);
    else
        post(x, &x->requests[AHEAD]);
    MPI_Send(NULL, 0, MPI_BYTE, x->peer, POLYMPI_ACKNOWLEDGEMENT_TAG, WORLD);
}

/* An empty message completes the receive that rank 1 has posted ahead and no iteration answers. */
static void end_ready(const struct exchange *x, int rank) {
    if (rank == 0)
        MPI_Send(NULL, 0, x->type, x->peer, POLYMPI_PAYLOAD_TAG, WORLD);
    else
        MPI_Wait(&x->requests[AHEAD], IGNORE);
}

/* Whether rank 1 has a receive posted before the first iteration; a stream posts all of its own. */
static bool posts_ahead(const struct polympi_case *c) {
    return c->send_mode == POLYMPI_READY && c->benchmark != POLYMPI_STREAM;
}

void latency_begin(const struct polympi_case *c, const struct exchange *x, int rank) {
    if (c->send_mode == POLYMPI_BUFFERED)
        MPI_Buffer_attach(x->attached, x->attached_bytes);
    if (c->completion == POLYMPI_PERSISTENT) {
        x->start(x->outgoing, x->count, x->type, x->peer, POLYMPI_PAYLOAD_TAG, WORLD, &x->requests[SENDING]);
        MPI_Recv_init(x->incoming, x->count, x->type, x->peer, POLYMPI_PAYLOAD_TAG, WORLD,
                      &x->requests[AHEAD]);
    }
    if (posts_ahead(c))
        begin_ready(c, x, rank);
}

void latency_end(const struct polympi_case *c, const struct exchange *x, int rank) {
    if (posts_ahead(c))
        end_ready(x, rank);
    if (c->completion == POLYMPI_PERSISTENT) {
        MPI_Request_free(&x->requests[SENDING]);
        MPI_Request_free(&x->requests[AHEAD]);
    }
    if (c->send_mode == POLYMPI_BUFFERED) {
        void *buffer;
        int bytes;
        MPI_Buffer_detach(&buffer, &bytes);
    }
}
