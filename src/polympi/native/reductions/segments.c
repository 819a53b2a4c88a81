#include "reductions/segments.h"

#include <stdlib.h>

#include "base/errors.h"
#include "collectives/board.h"
#include "collectives/pieces.h"
#include "collectives/rounds.h"

bool reduces_in_segments(const Collective *collective, Py_ssize_t nbytes) {
#ifdef OPEN_MPI
    (void)collective, (void)nbytes; /* Open MPI 5.0 reduces 1 MiB in 41 us, this takes 64 */
    return false;
#else
    /* Messages copy memory once, but have to pin its pages, and MPICH's shared memory copies it twice, in
     * steps. On processors that share a cache, messages take 1.5 times as long for 64 KiB, and 0.55 times for
     * 4 MiB; on others 0.8 times for 64 KiB, and half as long from 256 KiB on. */
    enum { LEAST_SEGMENT = 8 * 1024, MOST_THROUGH_LIBRARY = 128 * 1024 };
    const Communicator *comm = collective->comm;
    return (collective->verb == ALLREDUCE || collective->verb == REDUCE) && !collective->in_flight &&
           comm->together && nbytes > MOST_THROUGH_LIBRARY && nbytes / comm->size >= LEAST_SEGMENT &&
           nbytes <= CHUNK_BYTES && !(state.oversubscribed && nbytes <= MOST_ON_BOARDS);
#endif
}

Py_ssize_t segment_of(Py_ssize_t count, Py_ssize_t itemsize, int size, int rank, Py_ssize_t *first) {
    Py_ssize_t elements;
    split_rows(count, size, rank, first, &elements);
    *first *= itemsize;
    return elements * itemsize;
}

static Py_ssize_t segment(const SegmentReduction *reduction, int rank, Py_ssize_t *first) {
    return segment_of(reduction->count, reduction->itemsize, reduction->collective->comm->size, rank, first);
}

/* Ranks send to the next ones first, so that not all send to the same. */
static int neighbour(const Communicator *comm, int distance) { return (comm->rank + distance) % comm->size; }

static bool wants_result(const SegmentReduction *reduction, int rank) {
    return reduction->root == NOBODY || reduction->root == rank;
}

/* Where this rank combines its segment: in the result, if it has one. */
static char *own_place(const SegmentReduction *reduction) {
    Py_ssize_t first;
    segment(reduction, reduction->collective->comm->rank, &first);
    return reduction->result ? reduction->result + first : reduction->segments;
}

static bool in_place(const SegmentReduction *reduction) { return reduction->source == reduction->result; }

/* Where the segment of the i-th other rank is received: the first one where it is combined, unless this
 * rank's own elements are there. */
static char *place_of(const SegmentReduction *reduction, int i, Py_ssize_t nbytes) {
    return i == 0 && !in_place(reduction) ? own_place(reduction) : reduction->segments + i * nbytes;
}

/* ---- the messages of a step ---- */

static int receive(SegmentReduction *reduction, char *place, Py_ssize_t nbytes, int source) {
    return start_receive(reduction->collective, place, nbytes, source,
                         &reduction->requests[reduction->request_count++]);
}

static int send(SegmentReduction *reduction, const char *segment, Py_ssize_t nbytes, int dest) {
    return start_send(reduction->collective, segment, nbytes, dest,
                      &reduction->requests[reduction->request_count++]);
}

static int exchange_segments(SegmentReduction *reduction) {
    const Communicator *comm = reduction->collective->comm;
    Py_ssize_t first, own_bytes = segment(reduction, comm->rank, &first);
    reduction->request_count = 0;
    for (int i = 0; i < comm->size - 1; i++)
        if (receive(reduction, place_of(reduction, i, own_bytes), own_bytes,
                    neighbour(comm, comm->size - 1 - i)) < 0)
            return -1;
    for (int i = 1; i < comm->size; i++) {
        Py_ssize_t nbytes = segment(reduction, neighbour(comm, i), &first);
        if (send(reduction, reduction->source + first, nbytes, neighbour(comm, i)) < 0)
            return -1;
    }
    return 0;
}

/* Combine this rank's segment, in its place. */
static int combine(const SegmentReduction *reduction) {
    const Collective *collective = reduction->collective;
    const Communicator *comm = collective->comm;
    Py_ssize_t first, nbytes = segment(reduction, comm->rank, &first);
    char *place = own_place(reduction);
    int code = MPI_SUCCESS;
    for (int i = 0; i < comm->size - 1 && code == MPI_SUCCESS; i++) {
        const char *other = place_of(reduction, i, nbytes);
        code = IN_TURN(MPI_Reduce_local(other == place ? reduction->source + first : other, place,
                                        (int)(nbytes / reduction->itemsize), reduction->native.type,
                                        reduction->native.op));
    }
    return check_code(code, &collective->call);
}

static int exchange_results(SegmentReduction *reduction) {
    const Communicator *comm = reduction->collective->comm;
    Py_ssize_t first;
    reduction->request_count = 0;
    for (int i = 1; reduction->result && i < comm->size; i++) {
        int source = neighbour(comm, comm->size - i);
        Py_ssize_t nbytes = segment(reduction, source, &first);
        if (receive(reduction, reduction->result + first, nbytes, source) < 0)
            return -1;
    }
    const char *own = own_place(reduction);
    Py_ssize_t own_bytes = segment(reduction, comm->rank, &first);
    for (int i = 1; i < comm->size; i++)
        if (wants_result(reduction, neighbour(comm, i)) &&
            send(reduction, own, own_bytes, neighbour(comm, i)) < 0)
            return -1;
    return 0;
}

/* ---- as a phase ---- */

static int step_messages(void *state) {
    SegmentReduction *reduction = state;
    return test_requests(reduction->requests, reduction->request_count, MPI_STATUSES_IGNORE,
                         &reduction->collective->call);
}

static int wait_for_messages(void *state) {
    SegmentReduction *reduction = state;
    const Collective *collective = reduction->collective;
    if (wait_for(reduction->requests, reduction->request_count, MPI_STATUSES_IGNORE, &collective->call,
                 collective_seconds(collective)) == 0)
        return 1;
    return under_way(reduction->requests, reduction->request_count) ? 0 : -1;
}

/* Others may still read and write the memory. */
static void give_up_messages(void *state) {
    SegmentReduction *reduction = state;
    if (under_way(reduction->requests, reduction->request_count))
        reduction->collective->lost = true;
}

const PhaseKind segments_phase = {
    .step = step_messages, .wait = wait_for_messages, .give_up = give_up_messages, .goes_on = true};

/* ---- the steps ---- */

/* After the messages of a step were begun, or not all of them: 1 if it goes on, 0 if it is over, or -1. */
static int begun(SegmentReduction *reduction, int failed) {
    if (failed)
        give_up_messages(reduction);
    if (failed || !reduction->blocking)
        return failed ? -1 : 1;
    enum step done;
    while ((done = step_messages(reduction)) == PENDING)
        continue;
    return done == FAILED ? -1 : 0;
}

int segments_bring(SegmentReduction *reduction) {
    size_t ranks = (size_t)reduction->collective->comm->size;
    reduction->requests = malloc(2 * ranks * sizeof *reduction->requests);
    return reduction->requests ? begun(reduction, exchange_segments(reduction)) : no_memory();
}

int segments_spread(SegmentReduction *reduction) {
    return combine(reduction) < 0 ? -1 : begun(reduction, exchange_results(reduction));
}

void segments_close(SegmentReduction *reduction) { free(reduction->requests); }
