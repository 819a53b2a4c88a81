/* A program as other languages write one: on the header of the harness alone, with messages in memory of its
   own, which it reads from the harness and shows to it. One benchmark of two ranks, one of all.

       apart PLAN SAMPLES NAME */
#define _DEFAULT_SOURCE
#include "polympi_harness.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

struct messages {
    const struct polympi_buffers *buffers;
    void *outgoing;
    void *incoming;
    int bytes; /* of one message */
};

static void ping_pong(struct messages *m) {
    const int peer = 1 - m->buffers->rank;
    if (peer == 1)
        MPI_Send(m->outgoing, m->bytes, MPI_BYTE, peer, POLYMPI_PAYLOAD_TAG, MPI_COMM_WORLD);
    MPI_Recv(m->incoming, m->bytes, MPI_BYTE, peer, POLYMPI_PAYLOAD_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (peer == 0)
        MPI_Send(m->outgoing, m->bytes, MPI_BYTE, peer, POLYMPI_PAYLOAD_TAG, MPI_COMM_WORLD);
}

static void ping_pong_batch(void *context, int32_t iterations) {
    for (int i = 0; i < iterations; i++)
        ping_pong(context);
}

static void ping_pong_singly(void *context, int32_t iterations, int64_t *ns) {
    for (int i = 0; i < iterations; i++) {
        const int64_t start = polympi_clock();
        ping_pong(context);
        ns[i] = polympi_clock() - start;
    }
}

static void allgather(struct messages *m) {
    MPI_Allgather(m->outgoing, m->bytes, MPI_BYTE, m->incoming, m->bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static void allgather_batch(void *context, int32_t iterations) {
    for (int i = 0; i < iterations; i++)
        allgather(context);
}

static void allgather_singly(void *context, int32_t iterations, int64_t *ns) {
    common_start_agree();
    for (int i = 0; i < iterations;) {
        for (int k = 0; k < UNTIMED_CALLS; k++)
            allgather(context);
        const int64_t start = common_start_wait();
        allgather(context);
        ns[i] = polympi_clock() - start;
        i += common_start_agree();
    }
}

static void show(void *context) {
    struct messages *m = context;
    const size_t bytes = (size_t)m->bytes * (size_t)m->buffers->incoming_messages;
    memcpy(m->buffers->incoming, m->incoming, bytes);
    memset(m->incoming, 0, bytes);
}

static void release(void *context) {
    struct messages *m = context;
    free(m->outgoing);
    free(m->incoming);
    free(m);
}

static const char *refuse(void *context, const struct polympi_case *c) {
    (void)context;
    if (strcmp(polympi_benchmark_name(c->benchmark), "latency") == 0)
        return strcmp(polympi_mode_name(c->mode), "standard") == 0 ? NULL : "it has one mode only";
    return strcmp(polympi_benchmark_name(c->benchmark), "allgather") == 0 ? NULL
                                                                          : "it has two benchmarks only";
}

static void prepare(void *context, const struct polympi_case *c, const struct polympi_buffers *buffers,
                    struct polympi_callbacks *callbacks) {
    (void)context;
    struct messages *m = malloc(sizeof *m);
    *m = (struct messages){.buffers = buffers, .bytes = (int)c->bytes};
    m->outgoing = calloc(1, (size_t)c->bytes + 1);
    m->incoming = calloc((size_t)buffers->incoming_messages, (size_t)c->bytes + 1);
    memcpy(m->outgoing, buffers->outgoing, (size_t)c->bytes);
    callbacks->context = m;
    callbacks->batch = c->kind == POLYMPI_PAIR ? ping_pong_batch : allgather_batch;
    callbacks->singly = c->kind == POLYMPI_PAIR ? ping_pong_singly : allgather_singly;
    callbacks->show = show;
    callbacks->release = release;
}

int main(int argc, char **argv) {
    struct polympi_launch launch = {.complaint = argc == 4 ? NULL : "Usage: apart PLAN SAMPLES NAME."};
    if (argc == 4) {
        launch.plan = argv[1];
        launch.samples = argv[2];
        launch.binding = argv[3];
    }
    const int64_t start = polympi_clock();
    MPI_Init(&argc, &argv);
    launch.init_ns = polympi_clock() - start;
    MPI_Barrier(MPI_COMM_WORLD);
    launch.ready_ns = polympi_clock();
    polympi_memory(&launch.pss_bytes, &launch.rss_bytes);
    const struct polympi_program program = {.refuse = refuse, .prepare = prepare};
    const int32_t code = polympi_run(&launch, &program);
    MPI_Finalize();
    return code;
}
