#include "collectives/collectives.h"

#include "base/errors.h"
#include "collectives/async_collective.h"
#include "transfer/transfer.h"

int parse_root(Communicator *comm, PyObject *value, const char *operation, int *root) {
    const Call call = {.operation = operation, .rank = comm->rank, .peer = NO_PEER, .tag = NO_TAG};
    *root = 0;
    if (value && parse_int(value, root, operation, "root") < 0)
        return -1;
    if (!is_usable(comm))
        return -1;
    return check_rank(*root, comm->size, ROOT, &call);
}

/* ---- barrier ---- */

Signature barrier_signature = {"barrier", 0, 0, 1, {"timeout"}, {NULL}};

typedef struct {
    union {
        Rounds rounds;     /* of dissemination */
        Doubling doubling; /* of ranks on several machines; it begins with its rounds */
    };
    Head *head; /* the message; room for that of another rank follows */
    int distance;
} Barrier;

/* Dissemination (Hensgen, Finkel, Manber 1988): after round k each rank has heard from 2^k ranks before it.
 */
static int disseminate(Rounds *rounds) {
    Barrier *barrier = (Barrier *)rounds;
    const Communicator *comm = rounds->collective->comm;
    int rank = comm->rank, size = comm->size, distance = barrier->distance;
    if (distance >= size)
        return 0;
    barrier->distance <<= 1;
    int dest = rank + distance < size ? rank + distance : rank + distance - size;
    int source = rank >= distance ? rank - distance : rank - distance + size;
    return round_exchange(rounds, barrier->head, sizeof *barrier->head, dest, barrier->head + 1,
                          PACKET_BYTES - (Py_ssize_t)sizeof *barrier->head, source);
}

static void combine_nothing(Doubling *Py_UNUSED(doubling), bool Py_UNUSED(below)) {}

/* The memory has room for the message of a rank that calls another collective by mistake. 0 or -1. */
static int barrier_open(Barrier *barrier, Collective *collective) {
    barrier->head = (Head *)collective_memory(collective, PACKET_BYTES);
    if (!barrier->head)
        return -1;
    *barrier->head = (Head){.verb = BARRIER, .nbytes = sizeof *barrier->head};
    if (likely(!collective->comm->placement)) {
        rounds_open(&barrier->rounds, collective, disseminate);
        barrier->distance = 1;
        return 0;
    }
    barrier->doubling = (Doubling){.mine = (char *)barrier->head,
                                   .theirs = (char *)(barrier->head + 1),
                                   .most = PACKET_BYTES - (Py_ssize_t)sizeof *barrier->head,
                                   .combine = combine_nothing};
    doubling_open(&barrier->doubling, collective);
    return 0;
}

int barrier_run(Communicator *comm, const char *operation, PyObject *timeout) {
    Collective collective;
    Barrier barrier;
    if (collective_open(&collective, comm, BARRIER, 0, timeout) < 0)
        return -1;
    collective.call.operation = operation;
    if (barrier_open(&barrier, &collective) == 0)
        rounds_run(&barrier.rounds);
    return collective_close(&collective);
}

PyObject *communicator_barrier(Communicator *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    if (signature_parse(&barrier_signature, args, nargs, kwnames, values) < 0 ||
        barrier_run(self, barrier_signature.function, values[0]) < 0)
        return NULL;
    Py_RETURN_NONE;
}

typedef struct {
    AsyncCollective async;
    Barrier barrier;
} AsyncBarrier;

static PyObject *finish_barrier(AsyncCollective *Py_UNUSED(async)) { Py_RETURN_NONE; }

AsyncCollective *barrier_start(Communicator *comm) {
    AsyncBarrier *started = (AsyncBarrier *)async_new(sizeof *started, sizeof started->async);
    if (!started || async_begin(&started->async, comm, BARRIER, 0) < 0)
        return NULL;
    started->async.finish = finish_barrier;
    bool opened = barrier_open(&started->barrier, &started->async.collective) == 0;
    if (opened)
        started->async.phase = (PhaseOp){&rounds_phase, &started->barrier.rounds};
    async_start(&started->async, !opened);
    return &started->async;
}
