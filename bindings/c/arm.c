#define _DEFAULT_SOURCE
#include "arm.h"
#include "exchange.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The case that is running: one after the other. */
static struct {
    enum way way;
    char path[PATH_MAX]; /* of a file for those that take one */
    bool one_host;
    MPI_Request *requests; /* what a case sends and receives at a time; those of the largest so far */
    int room;              /* for this many of them */
    const struct polympi_case *c;
    int rank;
    struct exchange exchange;
} arm;

static bool takes_faces(void) { return arm.c->benchmark == POLYMPI_FACES; }
static bool takes_halo(void) { return arm.c->benchmark == POLYMPI_HALO; }
static bool takes_layouts(void) { return arm.c->benchmark == POLYMPI_DATATYPE; }
static bool takes_memory(void) { return arm.c->benchmark == POLYMPI_SHARED; }
static bool takes_file(void) { return file_loops(arm.c->benchmark) != NULL; }
static bool takes_window(void) { return is_one_sided(arm.c->benchmark); }

/* Messages with gaps, which can be packed. */
static bool can_be_packed(const struct polympi_case *c) {
    return (c->benchmark == POLYMPI_FACES && c->face != POLYMPI_CONTIGUOUS) ||
           (c->benchmark == POLYMPI_DATATYPE && c->layout != POLYMPI_LAYOUT_CONTIGUOUS) ||
           c->benchmark == POLYMPI_HALO;
}

static const char *refuse(void *context, const struct polympi_case *c) {
    (void)context;
    if (arm.way == BY_SPINNING && (c->kind == POLYMPI_JOINT || c->kind == POLYMPI_ROOTED))
        return "a nonblocking collective is another algorithm, not another way to wait";
    if (arm.way == BY_SPINNING && is_one_sided(c->benchmark))
        return "an access of a window has no request to test";
    if (c->benchmark == POLYMPI_SHARED && !arm.one_host)
        return "the ranks are on several hosts, which share no memory";
    if (arm.way == BY_PACKING && !can_be_packed(c))
        return "this arm packs messages that are not contiguous, and nothing else";
    if (arm.way == UNACKNOWLEDGED && (c->benchmark != POLYMPI_STREAM || c->send_mode == POLYMPI_READY))
        return "this arm times the sends of streams, and nothing else";
    return NULL;
}

static const struct loops *choose_loops(const struct polympi_case *c, int rank) {
    if (takes_halo())
        return arm.way == BY_PACKING ? halo_packing_loops() : halo_loops();
    if (arm.way == BY_PACKING)
        return takes_faces() ? packing_loops(c, rank) : layout_packing_loops(c, rank);
    if (arm.way == UNACKNOWLEDGED)
        return unacknowledged_loops(rank);
    if (takes_window())
        return one_sided_loops(c, rank);
    if (takes_memory())
        return shared_memory_loops();
    if (takes_file())
        return file_loops(c->benchmark);
    switch (c->benchmark) {
    case POLYMPI_LATENCY:
    case POLYMPI_PINGPONG_INT:
    case POLYMPI_OBJECT:
    case POLYMPI_FACES:
    case POLYMPI_DATATYPE:
        return latency_loops(c, rank);
    case POLYMPI_RING:
        return ring_loops(rank);
    default:
        return c->kind == POLYMPI_PAIR ? window_loops(c, rank) : collective_loops(c->benchmark);
    }
}

/* Room for the requests of this many sends and receives, written to, so that no loop meets a new page. */
static void make_requests(int messages) {
    const size_t bytes = 2 * (size_t)messages * sizeof *arm.requests;
    if (messages <= arm.room)
        return;
    free(arm.requests);
    arm.requests = malloc(bytes);
    if (!arm.requests) {
        fprintf(stderr, "There is no memory for the requests of %d messages each way.\n", messages);
        polympi_abort(POLYMPI_NO_MEMORY);
    }
    memset(arm.requests, 1, bytes);
    arm.room = messages;
}

/* Messages that are on their way at a time, each way. */
static int in_flight(const struct polympi_case *c, const struct polympi_buffers *buffers) {
    if (c->benchmark == POLYMPI_HALO)
        return POLYMPI_HALO_FACES;
    return c->benchmark == POLYMPI_PLAN ? buffers->outgoing_messages : buffers->window;
}

/* What a rank sends or receives in each message. */
static struct pieces
make_pieces(const struct polympi_case *c, const struct polympi_buffers *buffers, int messages,
            int64_t count(const struct polympi_case *, const struct polympi_buffers *, int32_t)) {
    const size_t bytes = (size_t)(messages + 1) * sizeof(int); /* the last place is that of the end */
    const struct pieces pieces = {malloc(bytes), malloc(bytes)};
    if (!pieces.counts || !pieces.places) {
        fprintf(stderr, "There is no memory for the counts of %d messages.\n", messages);
        polympi_abort(POLYMPI_NO_MEMORY);
    }
    pieces.places[0] = 0;
    for (int i = 0; i < messages; i++) {
        pieces.counts[i] = (int)count(c, buffers, i);
        pieces.places[i + 1] = pieces.places[i] + pieces.counts[i];
    }
    return pieces;
}

static void free_pieces(struct pieces pieces) {
    free(pieces.counts);
    free(pieces.places);
}

static void begin(void *context) {
    (void)context;
    latency_begin(arm.c, &arm.exchange, arm.rank);
    if (takes_window())
        window_begin(arm.c, &arm.exchange, arm.rank);
}

static void end(void *context) {
    (void)context;
    if (takes_window())
        window_end(arm.c, &arm.exchange, arm.rank);
    latency_end(arm.c, &arm.exchange, arm.rank);
}

static void show(void *context) {
    (void)context;
    if (takes_file())
        file_show(arm.c, &arm.exchange);
}

static void release(void *context) {
    (void)context;
    if (takes_faces())
        faces_end(arm.c, &arm.exchange);
    if (takes_halo())
        halo_end(&arm.exchange);
    if (takes_layouts())
        layouts_end(&arm.exchange);
    if (takes_window())
        window_free(arm.c, &arm.exchange);
    if (takes_memory())
        shared_memory_free(&arm.exchange);
    if (takes_file())
        file_close(&arm.exchange);
    free_pieces(arm.exchange.sent);
    free_pieces(arm.exchange.received);
    if (arm.exchange.ring != MPI_COMM_NULL)
        MPI_Comm_free(&arm.exchange.ring);
}

/* All ranks as a ring for a collective of neighbours; MPI_COMM_NULL for other benchmarks. */
static MPI_Comm make_ring(const struct polympi_case *c, int ranks) {
    MPI_Comm ring = MPI_COMM_NULL;
    if (c->benchmark == POLYMPI_NEIGHBOR_ALLTOALL)
        MPI_Cart_create(MPI_COMM_WORLD, 1, (const int[]){ranks}, (const int[]){true}, false, &ring);
    return ring;
}

static void prepare(void *context, const struct polympi_case *c, const struct polympi_buffers *buffers,
                    struct polympi_callbacks *callbacks) {
    (void)context;
    make_requests(in_flight(c, buffers));
    arm.c = c;
    arm.rank = buffers->rank;
    arm.exchange = (struct exchange){
        .type = payload_datatype(c->payload),
        .count = (int)buffers->count,
        .elements = (size_t)buffers->count,
        .rank = buffers->rank,
        .bytes = (size_t)c->bytes,
        .peer = 1 - buffers->rank,
        .next = (buffers->rank + 1) % buffers->ranks,
        .previous = (buffers->rank + buffers->ranks - 1) % buffers->ranks,
        .window = in_flight(c, buffers),
        .stride = (size_t)buffers->stride,
        .outgoing = buffers->outgoing,
        .incoming = buffers->incoming,
        .acknowledgement = buffers->acknowledgement,
        .sent = make_pieces(c, buffers, buffers->outgoing_messages, polympi_outgoing_count),
        .received = make_pieces(c, buffers, buffers->incoming_messages, polympi_incoming_count),
        .requests = arm.requests,
        .ring = make_ring(c, buffers->ranks),
        .attached = buffers->attached,
        .attached_bytes = (int)buffers->attached_bytes,
        .edge = (size_t)buffers->edge,
        .packed = {buffers->packed[0], buffers->packed[1]}};
    latency_choose(c, arm.way == BY_SPINNING ? waiting_by_spinning() : waiting_by_library(), &arm.exchange);
    if (takes_faces())
        faces_begin(c, &arm.exchange);
    if (takes_halo())
        halo_begin(&arm.exchange);
    if (takes_layouts())
        layouts_begin(c, &arm.exchange);
    if (takes_window())
        window_make(c, buffers, &arm.exchange);
    if (takes_memory())
        shared_memory_make(c, &arm.exchange);
    if (takes_file())
        file_open(c, arm.path, &arm.exchange);
    const struct loops *loops = choose_loops(c, buffers->rank);
    *callbacks = (struct polympi_callbacks){.context = &arm.exchange,
                                            .begin = begin,
                                            .end = end,
                                            .show = show,
                                            .batch = loops->batch,
                                            .singly = loops->singly,
                                            .release = release};
}

struct polympi_program arm_begin(enum way way, const char *plan) {
    datatypes_begin();
    arm.way = way;
    arm.one_host = all_on_one_host();
    snprintf(arm.path, sizeof arm.path, "%s.file", plan);
    return (struct polympi_program){.refuse = refuse, .prepare = prepare};
}

int64_t arm_opts_in(void) {
    int64_t benchmarks = POLYMPI_OPT_IN(POLYMPI_STREAM) | POLYMPI_OPT_IN(POLYMPI_PLAN) |
                         POLYMPI_OPT_IN(POLYMPI_HALO) | POLYMPI_OPT_IN(POLYMPI_SHARED);
    for (int32_t benchmark = 0; benchmark < POLYMPI_BENCHMARKS; benchmark++)
        if (collective_loops(benchmark) || file_loops(benchmark) || is_one_sided(benchmark))
            benchmarks |= POLYMPI_OPT_IN(benchmark);
    return benchmarks;
}

void arm_end(void) {
    free(arm.requests);
    datatypes_end();
}
