#include "collectives/large_bcast.h"

#include <stdlib.h>

#include "base/errors.h"
#include "collectives/board.h"
#include "memory/pool.h"
#include "memory/strided.h"
#include "transfer/transfer.h"

static const char OUT_OF_MEMORY[] = "MemoryError";

struct LargeBcast {
    AsyncCollective async; /* first, so that its address is that of the call */
    enum bcast_kind kind;
    bool is_root, blocking, able, complete;
    char *message;   /* the collective's */
    Stream stream;   /* root */
    PyObject *value; /* root, of a nonblocking call */
    char *body;      /* in the message, or `body_memory` */
    char *body_memory;
    uint64_t part_count, body_bytes, page; /* the latter is an enum way without a board */
    Arrived *parts;                        /* what is sent or received, in contiguous memory */
    bool *pooled;                          /* whether that is memory of the pool, to be released here */
    const Target *into;
    bool filled;   /* part 0 is received in the target */
    char *scratch; /* for a part that this rank only passes on */
    enum { BEGUN, ANNOUNCED, BODY_ASKED, BODY, PARTS_ASKED, PARTS, HANDING_DOWN, ON_BOARD } phase;
    int part;
    Py_ssize_t done; /* bytes of it, or of the body */
    union {          /* state of the phase */
        Spread spread;
        Agreement agreement;
        LibraryCall library;
        BoardExchange exchange;
    };
    BoardWrite write;
    BoardRead read;
    Target target; /* open if it has an object */
};

static const char *stream_bytes(const LargeBcast *large) {
    return large->body + sizes_of_parts(large->part_count);
}
static Py_ssize_t stream_length(const LargeBcast *large) {
    return (Py_ssize_t)large->body_bytes - sizes_of_parts(large->part_count);
}

/* ---- memory for the parts ---- */

/* Memory of the pool for part i; 0 or -1. */
static int take_memory(LargeBcast *large, int i) {
    large->parts[i].data = pool_allocate(large->parts[i].nbytes);
    large->pooled[i] = large->parts[i].data != NULL;
    return large->pooled[i] ? 0 : -1;
}

/* The root's parts are those of the object; strided ones are packed. */
static int offer_parts(LargeBcast *large) {
    for (int i = 0; i < large->stream.part_count; i++) {
        const Part *part = &large->stream.parts[i];
        large->parts[i] = (Arrived){.data = part->data, .nbytes = part->nbytes};
        if (!part->strided)
            continue;
        if (take_memory(large, i) < 0)
            return -1;
        Layout layout;
        array_layout(part->owner, &layout);
        strided_pack(&layout, large->parts[i].data);
    }
    return 0;
}

/* Memory for what the root has announced. What doesn't fit the target is received nevertheless. The target
 * isn't used if the call was left, or the interpreter is gone. */
static int await_parts(LargeBcast *large) {
    for (int i = 0; i < (int)large->part_count; i++)
        large->parts[i].nbytes = (Py_ssize_t)wire_get_size(large->body, (uint64_t)i);
    if (large->into && !large->async.left && !state.without_python) {
        int straight = fills_target(large->into, stream_bytes(large), stream_length(large), large->parts,
                                    (int)large->part_count, &large->async.collective.call);
        if (straight < 0) {
            collective_defer(&large->async.collective);
            large->into = NULL;
        } else if (straight) {
            large->parts[0].data = large->into->layout.data;
            large->filled = true;
        }
    }
    for (int i = large->filled; i < (int)large->part_count; i++)
        if (take_memory(large, i) < 0)
            return -1;
    return 0;
}

/* Memory for all parts, once: 0 or -1. */
static int prepare_parts(LargeBcast *large) {
    large->parts = calloc((size_t)large->part_count + 1, sizeof *large->parts);
    large->pooled = calloc((size_t)large->part_count + 1, sizeof *large->pooled);
    if (!large->parts || !large->pooled)
        return no_memory();
    return large->is_root ? offer_parts(large) : await_parts(large);
}

/* Whether there is memory for all parts; an exception is deferred. */
static bool get_ready(LargeBcast *large) {
    if (large->parts)
        return large->able;
    large->able = prepare_parts(large) == 0;
    if (!large->able && !state.without_python)
        collective_defer(&large->async.collective);
    return large->able;
}

/* ---- asking all ranks ---- */

static int ask(LargeBcast *large, bool able, int phase) {
    if (agreement_open(&large->agreement, &large->async.collective, able) < 0)
        return -1;
    large->phase = phase;
    large->async.phase = (PhaseOp){&promise_phase, &large->agreement.doubling.rounds};
    return 1;
}

static int answered(LargeBcast *large, int phase) {
    int failed = agreement_end(&large->agreement, &large->blocking);
    agreement_close(&large->agreement);
    large->phase = phase;
    large->done = large->part = 0;
    return failed;
}

/* ---- by the library ---- */

enum way { BY_LIBRARY, DOWN_THE_TREE, WAYS };
/* Of each way; the least time counts, since the first calls touch memory for the first time, and in others a
 * rank may have lost its processor. After so many calls they are tried again: a program may have other memory
 * now, or run on other processors. */
enum { TRIES = 8, CALLS = 1024 };

/* Whether messages down the tree may take less time than MPI_Bcast; the same on all ranks. Below
 * MPI_THREAD_MULTIPLE, MPICH 5.0 copies data twice in MPI_Bcast, through 32 KiB of shared memory, and waits
 * for room there at every 8 KiB. Messages are copied once, from one process to the other, which pins their
 * pages. So it depends on the pages and on the caches: of 1 MiB to another rank, MPI_Bcast took 24 us and a
 * message 69 us where both processors share a cache, and 60 us and 21 us where they don't and pages are huge.
 * From 8 ranks on libraries let all ranks pass on parts, which a tree doesn't. */
static bool has_two_ways(const Communicator *comm, Py_ssize_t nbytes) {
#ifdef OPEN_MPI
    (void)comm, (void)nbytes; /* Open MPI 5.0 takes as long as messages */
    return false;
#else
    enum { MOST_AT_ONCE = 32 * 1024, FEW_RANKS = 7 };
    return comm->together && comm->size <= FEW_RANKS && nbytes > MOST_AT_ONCE;
#endif
}

static BcastTimes *times_of(Communicator *comm, Py_ssize_t nbytes) {
    int class = 0;
    while (class < BCAST_CLASSES - 1 && nbytes >> (16 + class)) /* below 64 KiB, 128 KiB, ... */
        class ++;
    return &comm->bcast_times[class];
}

/* The way that took the root less time; at first each in turn. */
static enum way quicker_way(Communicator *comm, Py_ssize_t nbytes) {
    if (!has_two_ways(comm, nbytes))
        return BY_LIBRARY;
    const BcastTimes *times = times_of(comm, nbytes);
    if (times->tried < WAYS * TRIES)
        return (enum way)(times->tried % WAYS);
    return times->least[DOWN_THE_TREE] < times->least[BY_LIBRARY] ? DOWN_THE_TREE : BY_LIBRARY;
}

static Py_ssize_t bytes_of_parts(const LargeBcast *large) {
    Py_ssize_t nbytes = 0;
    for (int i = 0; i < large->stream.part_count; i++)
        nbytes += large->stream.parts[i].nbytes;
    return nbytes;
}

/* The root has sent the parts by the way that it has announced. */
static void note_time(const LargeBcast *large, double seconds) {
    Communicator *comm = large->async.collective.comm;
    Py_ssize_t nbytes = bytes_of_parts(large);
    BcastTimes *times = times_of(comm, nbytes);
    if (!has_two_ways(comm, nbytes))
        return;
    float mine = (float)(seconds / (double)nbytes), *least = &times->least[large->page];
    if (times->tried < WAYS || (times->tried < WAYS * TRIES && mine < *least))
        *least = mine;
    times->tried = (times->tried + 1) % CALLS;
}

/* Wait as a blocking call of the library does, without sleeping. 0 or -1. */
static int block_down_the_tree(LargeBcast *large, char *piece, int count) {
    Collective *collective = &large->async.collective;
    Rounds *rounds = &large->spread.rounds;
    int done;
    spread_open_data(&large->spread, collective, piece, count, collective->root);
    while ((done = rounds_step(rounds)) == 0)
        continue;
    if (done < 0)
        rounds_phase.give_up(rounds);
    return done < 0 ? -1 : 0;
}

/* The next piece of contiguous memory, of at most CHUNK_BYTES: 1; 0 if there is none, or -1. */
static int next_piece(LargeBcast *large, char *data, Py_ssize_t nbytes) {
    const Collective *collective = &large->async.collective;
    MPI_Comm comm = collective->comm->comm;
    while (large->done < nbytes) {
        int count = (int)(nbytes - large->done < CHUNK_BYTES ? nbytes - large->done : CHUNK_BYTES);
        char *piece = data + large->done;
        if (large->blocking && large->page == DOWN_THE_TREE) {
            if (block_down_the_tree(large, piece, count) < 0)
                return -1;
            large->done += count;
            continue;
        }
        MPI_Request request = MPI_REQUEST_NULL;
        int code = IN_TURN(
            large->blocking
                ? MPI_Bcast(piece, count, MPI_BYTE, collective->root, comm)
                : and_wake_all(MPI_Ibcast(piece, count, MPI_BYTE, collective->root, comm, &request), comm));
        if (unlikely(code != MPI_SUCCESS))
            return raise_mpi(code, &collective->call);
        large->done += count;
        if (large->blocking)
            continue;
        large->async.collective.call.large = count;
        large->library = (LibraryCall){&large->async.collective, request};
        large->async.phase = (PhaseOp){&library_phase, &large->library};
        return 1;
    }
    return 0;
}

static int next_piece_of_parts(LargeBcast *large) {
    for (; large->part < (int)large->part_count; large->part++, large->done = 0) {
        const Arrived *part = &large->parts[large->part];
        int more = next_piece(large, part->data, part->nbytes);
        if (more)
            return more;
    }
    return 0;
}

/* All parts, which the calls wait for. */
static int block_for_parts(LargeBcast *large) {
    double began = now();
    int more = next_piece_of_parts(large);
    if (!more && large->is_root)
        note_time(large, now() - began);
    return more;
}

/* ---- from rank to rank ---- */

/* The next part, down the tree. A rank without memory of the pool for it passes it on nevertheless; a root
 * without memory sends 0 bytes. */
static int hand_down_next(LargeBcast *large) {
    Collective *collective = &large->async.collective;
    if (large->part == (int)large->part_count) {
        if (!large->complete && !large->is_root)
            raise_failed(collective, collective->root, OUT_OF_MEMORY, sizeof OUT_OF_MEMORY - 1);
        return large->able && large->complete ? 0 : -1;
    }
    const Arrived *part = &large->parts[large->part];
    if (!part->data && !(large->scratch = malloc((size_t)part->nbytes)))
        return no_memory();
    spread_open_data(&large->spread, collective, part->data ? part->data : large->scratch,
                     large->able || !large->is_root ? part->nbytes : 0, collective->root);
    large->phase = HANDING_DOWN;
    large->async.phase = (PhaseOp){&rounds_phase, &large->spread.rounds};
    return 1;
}

static int handed_down(LargeBcast *large) {
    large->complete &= large->spread.nbytes == large->parts[large->part++].nbytes;
    free(large->scratch);
    large->scratch = NULL;
    return hand_down_next(large);
}

/* ---- over the root's board ---- */

/* The next part. A rank without memory for it skips it. */
static int exchange_next(LargeBcast *large) {
    if (large->part == (int)large->part_count)
        return large->able ? 0 : -1;
    const Arrived *part = &large->parts[large->part];
    large->write = (BoardWrite){.data = part->data, .nbytes = part->nbytes, .reader = EVERYBODY};
    large->read = (BoardRead){.data = part->data,
                              .end = part->nbytes,
                              .nbytes = part->nbytes,
                              .writer = large->async.collective.root,
                              .page = large->page};
    board_open(&large->exchange, &large->async.collective, &large->write, large->is_root, &large->read,
               !large->is_root);
    large->phase = ON_BOARD;
    large->async.phase = (PhaseOp){&board_phase, &large->exchange};
    return 1;
}

static int exchanged(LargeBcast *large) {
    large->page = large->read.page;
    large->part++;
    return exchange_next(large);
}

/* ---- phase by phase ---- */

/* Read an announcement. */
static void read_message(LargeBcast *large, const char *message) {
    BcastHead announced;
    memcpy(&announced, message, sizeof announced);
    large->kind = (enum bcast_kind)announced.head.kind;
    large->part_count = announced.part_count;
    large->body_bytes = announced.body_bytes;
    large->page = announced.page;
    if (large->kind != BCAST_ANNOUNCED_BODY)
        large->body = (char *)message + sizeof announced;
}

static int begin_body(LargeBcast *large) {
    if (!large->is_root && !(large->body = large->body_memory = malloc((size_t)large->body_bytes))) {
        PyErr_NoMemory();
        collective_defer(&large->async.collective);
    }
    return ask(large, large->body, BODY_ASKED);
}

/* All ranks know how the parts are sent. */
static int begin_parts(LargeBcast *large) {
    if (large->kind == BCAST_ANNOUNCED_BODY)
        return begin_body(large);
    if (!large->part_count)
        return 0;
    bool able = get_ready(large);
    if (large->kind == BCAST_ANNOUNCED)
        return ask(large, able, PARTS_ASKED);
    if (!large->parts)
        return -1;
    return large->kind == BCAST_ANNOUNCED_BOARD ? exchange_next(large) : hand_down_next(large);
}

static int next_phase(AsyncCollective *async) {
    LargeBcast *large = (LargeBcast *)async;
    int more;
    switch (large->phase) {
    case BEGUN: /* the message of a nonblocking call */
        if (!large->is_root)
            read_message(large, large->message); /* of which there is room in any case */
        return bcast_is_small(large->kind) ? 0 : begin_parts(large);
    case ANNOUNCED:
        return begin_parts(large);
    case BODY_ASKED:
        if (answered(large, BODY) < 0)
            return -1;
        /* fall through */
    case BODY:
        if ((more = next_piece(large, large->body, (Py_ssize_t)large->body_bytes)))
            return more;
        return large->part_count ? ask(large, get_ready(large), PARTS_ASKED) : 0;
    case PARTS_ASKED:
        if (answered(large, PARTS) < 0)
            return -1;
        /* fall through */
    case PARTS:
        return large->blocking ? block_for_parts(large) : next_piece_of_parts(large);
    case HANDING_DOWN:
        return handed_down(large);
    case ON_BOARD:
        break;
    }
    return exchanged(large);
}

/* ---- the end ---- */

static PyObject *finish(AsyncCollective *async) {
    LargeBcast *large = (LargeBcast *)async;
    const Collective *collective = &async->collective;
    if (large->is_root && !large->value)
        Py_RETURN_NONE;
    if (large->is_root)
        return bcast_given(collective, large->value, large->into);
    if (bcast_is_small(large->kind))
        return bcast_received(collective, large->message, large->into);
    if (collective->error)
        return NULL;
    if (large->filled)
        return target_result(large->into, large->parts[0].nbytes / large->into->layout.itemsize);
    int count = (int)large->part_count;
    PyObject *value = deliver(stream_bytes(large), stream_length(large), large->parts, count, large->into,
                              &collective->call);
    for (int i = 0; i < count; i++)
        large->pooled[i] = !large->parts[i].taken;
    if (unlikely(collective->lost)) /* MPI may read it for as long as the process lives */
        Py_XINCREF(value);
    return value;
}

/* A transfer that has not begun must not write to the user buffer. */
static void leave(AsyncCollective *async) {
    LargeBcast *large = (LargeBcast *)async;
    if (!large->filled || large->phase != PARTS_ASKED)
        return;
    if (take_memory(large, 0) < 0) {
        PyErr_Clear();
        large->parts[0].data = large->into->layout.data;
        return;
    }
    large->filled = false;
    large->into = NULL;
    target_close(&large->target);
}

static void close_bcast(AsyncCollective *async) {
    LargeBcast *large = (LargeBcast *)async;
    if (async->collective.lost)
        return; /* MPI may use the memory for as long as the process lives */
    if (large->phase == BODY_ASKED || large->phase == PARTS_ASKED)
        agreement_close(&large->agreement);
    for (int i = 0; large->pooled && i < (int)large->part_count; i++)
        if (large->pooled[i])
            pool_release(large->parts[i].data, large->parts[i].nbytes);
    free(large->parts);
    free(large->pooled);
    free(large->body_memory);
    free(large->scratch);
    if (large->is_root)
        stream_close(&large->stream);
    Py_XDECREF(large->value);
    if (large->target.object)
        target_close(&large->target);
}

static LargeBcast *new_bcast(bool is_root, const Target *into) {
    LargeBcast *large = (LargeBcast *)async_new(sizeof *large, offsetof(LargeBcast, spread));
    if (!large)
        return NULL;
    large->target.object = NULL;
    large->async.next = next_phase;
    large->async.finish = finish;
    large->async.leave = leave;
    large->async.close = close_bcast;
    large->is_root = is_root;
    large->complete = true;
    large->phase = ANNOUNCED;
    if (into) {
        target_move(&large->target, into);
        large->into = &large->target;
    }
    return large;
}

/* ---- the root's message ---- */

void bcast_error_report(Collective *collective, char *message) {
    collective_defer(collective);
    Py_ssize_t length = collective_error_report(collective, message + sizeof(Head), BCAST_ROOM);
    bcast_head(message, BCAST_NOTHING, (Py_ssize_t)sizeof(Head) + length, collective->root);
}

/* How the parts are sent. A nonblocking call must know of ranks that have left before it sends data. */
static enum bcast_kind kind_of_parts(const LargeBcast *large, const Communicator *comm, bool begun) {
    return begun                                               ? BCAST_ANNOUNCED
           : board_ready(comm)                                 ? BCAST_ANNOUNCED_BOARD
           : bytes_of_parts(large) <= most_down_the_tree(comm) ? BCAST_ANNOUNCED_TREE
                                                               : BCAST_ANNOUNCED;
}

/* Write the announcement of its stream. 0 or -1. */
static int announce(LargeBcast *large, const Collective *collective, char *message, bool begun) {
    Communicator *comm = collective->comm;
    const Stream *stream = &large->stream;
    large->part_count = (uint64_t)stream->part_count;
    large->body_bytes = (uint64_t)stream_body_bytes(stream);
    bool fits = sizeof(BcastHead) + large->body_bytes <= PACKET_BYTES;
    large->body =
        fits ? message + sizeof(BcastHead) : (large->body_memory = malloc((size_t)large->body_bytes));
    if (!large->body)
        return no_memory();
    stream_put_body(stream, large->body);
    large->kind = fits ? kind_of_parts(large, comm, begun) : BCAST_ANNOUNCED_BODY;
    large->page = quicker_way(comm, bytes_of_parts(large));
    if (large->kind == BCAST_ANNOUNCED_BOARD) {
        if (prepare_parts(large) < 0)
            return -1;
        large->able = true;
        large->page = board_next(comm);
    }
    const BcastHead announced = {
        .part_count = large->part_count, .body_bytes = large->body_bytes, .page = large->page};
    memcpy(message, &announced, sizeof announced);
    Py_ssize_t nbytes = (Py_ssize_t)sizeof announced + (fits ? (Py_ssize_t)large->body_bytes : 0);
    bcast_head(message, large->kind, nbytes, collective->root);
    return 0;
}

LargeBcast *large_bcast_offer(const Collective *collective, Stream *stream, char *message) {
    LargeBcast *large = new_bcast(true, NULL);
    if (!large)
        return NULL;
    large->stream = *stream;
    *stream = (Stream){0};
    if (announce(large, collective, message, false) == 0)
        return large;
    large_bcast_drop(large);
    return NULL;
}

/* ---- calls ---- */

LargeBcast *large_bcast_await(const char *message, const Target *into) {
    LargeBcast *large = new_bcast(false, into);
    if (large)
        read_message(large, message);
    return large;
}

void large_bcast_drop(LargeBcast *large) {
    PyObject *class, *error, *trace;
    PyErr_Fetch(&class, &error, &trace);
    async_free(&large->async);
    PyErr_Restore(class, error, trace);
}

PyObject *large_bcast_run(LargeBcast *large, Collective *collective) {
    large->async.collective = *collective;
    return async_run(&large->async);
}

/* The root's message of a nonblocking call. */
static void write_message(LargeBcast *large, PyObject *value) {
    Collective *collective = &large->async.collective;
    large->value = Py_NewRef(value);
    large->kind = BCAST_STREAM;
    stream_open(&large->stream, large->message + sizeof(Head), BCAST_ROOM);
    bool failed = codec_encode(&large->stream, value) < 0;
    if (!failed && !large->stream.part_count && !large->stream.heap)
        bcast_head(large->message, BCAST_STREAM, (Py_ssize_t)sizeof(Head) + large->stream.used,
                   collective->root);
    else if (failed || announce(large, collective, large->message, true) < 0) {
        bcast_error_report(collective, large->message);
        large->kind = BCAST_NOTHING;
    }
}

/* Set up a nonblocking call. 0 or -1. */
static int open_bcast(LargeBcast *large, PyObject *value, PyObject *into) {
    Collective *collective = &large->async.collective;
    large->into = collective_target(collective, &large->target, into);
    large->message = collective_memory(collective, PACKET_BYTES);
    if (!large->message)
        return -1;
    if (large->is_root)
        write_message(large, value != Py_None || !large->into ? value : into);
    spread_open(&large->spread, collective, large->message, PACKET_BYTES, collective->root);
    large->phase = BEGUN;
    large->async.phase = (PhaseOp){&rounds_phase, &large->spread.rounds};
    return 0;
}

AsyncCollective *bcast_start(Communicator *comm, PyObject *value, int root, PyObject *into) {
    LargeBcast *large = new_bcast(comm->rank == root, NULL);
    if (!large || async_begin(&large->async, comm, BCAST, root) < 0)
        return NULL;
    async_start(&large->async, open_bcast(large, value, into) < 0);
    return &large->async;
}
