#include "reductions/large_reduction.h"

#include <stdlib.h>
#include <string.h>

#include "base/errors.h"
#include "codec/numpy_api.h"
#include "memory/pool.h"
#include "memory/strided.h"

/* The most elements that one call reduces: counts are int. */
enum { CHUNK_ELEMENTS = 1 << 30 };

/* ---- over boards ---- */

/* Whether a blocking call is reduced so: the same on all ranks if their arrays have the same type and shape.
 */
static bool reduces_on_boards(const Collective *collective, Py_ssize_t nbytes) {
    return collective->verb == ALLREDUCE && nbytes <= MOST_ON_BOARDS && !collective->in_flight &&
           board_ready(collective->comm);
}

/* The segment of a rank: where it begins, and its bytes. */
static Py_ssize_t segment(const BoardReduction *reduction, int rank, Py_ssize_t *first) {
    return segment_of(reduction->count, reduction->itemsize, reduction->collective->comm->size, rank, first);
}

/* The first phase: read this rank's segment of all arrays, in the order of ranks. */
static void board_bring(BoardReduction *reduction) {
    Collective *collective = reduction->collective;
    int size = collective->comm->size, here = collective->comm->rank, count = 0;
    Py_ssize_t nbytes = reduction->count * reduction->itemsize, first,
               segment_bytes = segment(reduction, here, &first);
    reduction->write = (BoardWrite){.data = reduction->source, .nbytes = nbytes, .reader = EVERYBODY};
    for (int rank = 0; rank < size; rank++) {
        char *place = reduction->segments + rank * segment_bytes;
        if (rank == here)
            memcpy(place, reduction->source + first, (size_t)segment_bytes);
        else
            reduction->reads[count++] = (BoardRead){.data = place,
                                                    .first = first,
                                                    .end = first + segment_bytes,
                                                    .nbytes = nbytes,
                                                    .writer = rank,
                                                    .page = NOT_YET_KNOWN};
    }
    board_open(&reduction->exchange, collective, &reduction->write, 1, reduction->reads, count);
}

/* Combine them, lower ranks first: the last one becomes the result. */
static int combine_segments(const BoardReduction *reduction) {
    const Collective *collective = reduction->collective;
    Py_ssize_t first, segment_bytes = segment(reduction, collective->comm->rank, &first);
    int code = MPI_SUCCESS, count = (int)(segment_bytes / reduction->itemsize);
    for (int rank = 1; rank < collective->comm->size && code == MPI_SUCCESS; rank++) {
        char *upper = reduction->segments + rank * segment_bytes;
        code = IN_TURN(MPI_Reduce_local(upper - segment_bytes, upper, count, reduction->native.type,
                                        reduction->native.op));
    }
    return check_code(code, &collective->call);
}

/* The second phase: combine the segments, write the result, and read those of the others. The pages follow
 * those of the contributions. 0 or -1. */
static int board_spread(BoardReduction *reduction) {
    if (combine_segments(reduction) < 0)
        return -1;
    Collective *collective = reduction->collective;
    int size = collective->comm->size, here = collective->comm->rank;
    Py_ssize_t first, own_bytes = segment(reduction, here, &first);
    const char *own = reduction->segments + (size - 1) * own_bytes;
    reduction->write = (BoardWrite){.data = own, .nbytes = own_bytes, .reader = EVERYBODY};
    memcpy(reduction->result + first, own, (size_t)own_bytes);
    for (int i = 0; i < size - 1; i++) {
        BoardRead *read = &reduction->reads[i];
        Py_ssize_t nbytes = segment(reduction, read->writer, &first);
        *read = (BoardRead){.data = reduction->result + first,
                            .end = nbytes,
                            .nbytes = nbytes,
                            .writer = read->writer,
                            .page = read->page};
    }
    board_open(&reduction->exchange, collective, &reduction->write, 1, reduction->reads, size - 1);
    return 0;
}

/* ---- memory ---- */

static bool is_aligned(const char *data, Py_ssize_t itemsize) {
    return (uintptr_t)data % (itemsize < 16 ? (uintptr_t)itemsize : 16) == 0;
}

static bool overlap(const char *a, Py_ssize_t a_bytes, const char *b, Py_ssize_t b_bytes) {
    return a < b + b_bytes && b < a + a_bytes;
}

/* Memory for the result: the target if the library can write there. */
static int take_result(LargeReduction *large) {
    const Layout *into = large->into ? &large->into->layout : NULL;
    large->own_result = !into || !into->contiguous || !is_aligned(into->data, into->itemsize);
    large->result = large->own_result ? pool_allocate(large->shape.nbytes) : into->data;
    return large->result ? 0 : -1;
}

static int pack_source(LargeReduction *large) {
    large->source = pool_allocate(large->layout.nbytes);
    large->packed = true;
    large->in_place = false;
    if (!large->source)
        return -1;
    strided_pack(&large->layout, large->source);
    return 0;
}

/* The contribution, in C order, either without overlap with the result, or exactly in its place. */
static int take_source(LargeReduction *large) {
    const Layout *layout = &large->layout;
    bool shared = large->result && !large->own_result &&
                  overlap(layout->data, layout->nbytes, large->result, large->shape.nbytes);
    large->in_place = shared && layout->data == large->result && layout->nbytes == large->shape.nbytes &&
                      large->collective->verb != REDUCE_SCATTER;
    if (!layout->contiguous || !is_aligned(layout->data, layout->itemsize) || (shared && !large->in_place))
        return pack_source(large);
    large->source = layout->data;
    return 0;
}

int large_open(LargeReduction *large, Collective *collective, PyObject *value, enum op op, int root,
               bool wanted, const Target *into) {
    large->collective = collective;
    large->type = dtype_type(PyArray_DESCR((PyArrayObject *)value));
    native_op(large->type, op, &large->native);
    large->root = root;
    large->into = into;
    large->wanted = wanted;
    large->source = large->result = large->segments = NULL;
    large->packed = large->own_result = large->in_place = false;
    large->counts = NULL;
    large->by_segment.requests = NULL;
    large->done = large->piece = 0;
    array_layout(value, &large->layout);
    large->shape = large->layout;
    large->first = 0;
    if (collective->verb == REDUCE_SCATTER) {
        Py_ssize_t rows = large->layout.shape[0], row = large->layout.count / rows;
        split_rows(rows, collective->comm->size, collective->comm->rank, &large->first,
                   &large->shape.shape[0]);
        large->shape.count = large->shape.shape[0] * row;
        large->shape.nbytes = large->shape.count * large->shape.itemsize;
    }
    /* MPI_Exscan wants memory at rank 0, too, although it writes nothing there */
    if ((wanted || collective->verb == EXSCAN) && take_result(large) < 0)
        return -1;
    large->by_messages = !reduces_on_boards(collective, large->layout.nbytes);
    if ((!large->by_messages || reduces_in_segments(collective, large->layout.nbytes)) &&
        !(large->segments =
              pool_allocate(large->layout.nbytes + MOST_OVERSUBSCRIBED * large->layout.itemsize)))
        return -1;
    return take_source(large);
}

/* If this rank reduces in place, which all ranks know, it now does so in a copy. */
bool large_detach(LargeReduction *large) {
    if (large->result && !large->own_result) {
        char *result = pool_allocate(large->shape.nbytes);
        if (!result) {
            PyErr_Clear();
            return false;
        }
        if (large->in_place) {
            memcpy(result, large->source, (size_t)large->shape.nbytes);
            large->source = result;
        }
        large->result = result;
        large->own_result = true;
    }
    large->into = NULL;
    return true;
}

void large_close(LargeReduction *large) {
    if (large->collective->lost)
        return; /* MPI may use the memory for as long as the process lives */
    free(large->counts);
    segments_close(&large->by_segment);
    if (large->packed && large->source)
        pool_release(large->source, large->layout.nbytes);
    if (large->own_result && large->result)
        pool_release(large->result, large->shape.nbytes);
    if (large->segments)
        pool_release(large->segments, large->layout.nbytes + MOST_OVERSUBSCRIBED * large->layout.itemsize);
}

/* ---- calls of the library ---- */

/* After a collective of the library has returned `code`: 1 if it is nonblocking, as a phase; 0 if it was
 * blocking, or -1. */
static int begun(LargeReduction *large, int code, MPI_Request request) {
    if (unlikely(code != MPI_SUCCESS))
        return raise_mpi(code, &large->collective->call);
    large->library = (LibraryCall){large->collective, request};
    large->phase = (PhaseOp){&library_phase, &large->library};
    return !large->blocking;
}

/* Reduce `count` elements from `source`, which may be MPI_IN_PLACE. */
static int reduce_chunk(LargeReduction *large, const void *source, void *result, int count, int root) {
    MPI_Comm comm = large->collective->comm->comm;
    MPI_Datatype type = large->native.type;
    MPI_Op op = large->native.op;
    MPI_Request request = MPI_REQUEST_NULL;
    bool blocking = large->blocking;
    int code = MPI_SUCCESS;
    bool locked = enter_mpi();
    switch (large->collective->verb) {
    case ALLREDUCE:
        code = blocking ? MPI_Allreduce(source, result, count, type, op, comm)
                        : MPI_Iallreduce(source, result, count, type, op, comm, &request);
        break;
    case SCAN:
        code = blocking ? MPI_Scan(source, result, count, type, op, comm)
                        : MPI_Iscan(source, result, count, type, op, comm, &request);
        break;
    case EXSCAN:
        code = blocking ? MPI_Exscan(source, result, count, type, op, comm)
                        : MPI_Iexscan(source, result, count, type, op, comm, &request);
        break;
    default: /* REDUCE; REDUCE_SCATTER of more than one call can count */
        code = blocking ? MPI_Reduce(source, result, count, type, op, root, comm)
                        : MPI_Ireduce(source, result, count, type, op, root, comm, &request);
    }
    if (!blocking)
        wake_all(comm);
    leave_mpi(locked);
    return begun(large, code, request);
}

/* Reduce the next elements of first to first + count into `result`: 1, 0 if all are reduced, or -1. */
static int next_of_range(LargeReduction *large, Py_ssize_t first, Py_ssize_t count, char *result, int root) {
    Py_ssize_t itemsize = large->layout.itemsize;
    while (large->done < count) {
        Py_ssize_t done = large->done;
        int chunk = (int)(count - done < CHUNK_ELEMENTS ? count - done : CHUNK_ELEMENTS);
        const void *source =
            large->in_place && result ? MPI_IN_PLACE : large->source + (first + done) * itemsize;
        large->done += chunk;
        int more = reduce_chunk(large, source, result ? result + done * itemsize : NULL, chunk, root);
        if (more)
            return more;
    }
    return 0;
}

/* Each piece separately, because an int can't count all elements. */
static int next_of_pieces(LargeReduction *large) {
    const Communicator *comm = large->collective->comm;
    Py_ssize_t rows = large->layout.shape[0], row = large->layout.count / rows, first, count;
    for (; large->piece < comm->size; large->piece++, large->done = 0) {
        int rank = large->piece;
        split_rows(rows, comm->size, rank, &first, &count);
        int more =
            next_of_range(large, first * row, count * row, rank == comm->rank ? large->result : NULL, rank);
        if (more)
            return more;
    }
    return 0;
}

static int reduce_scatter(LargeReduction *large) {
    const Communicator *comm = large->collective->comm;
    Py_ssize_t rows = large->layout.shape[0], row = large->layout.count / rows, first, count;
    int *counts = large->counts = malloc((size_t)comm->size * sizeof *counts);
    if (!counts)
        return no_memory();
    for (int rank = 0; rank < comm->size; rank++) {
        split_rows(rows, comm->size, rank, &first, &count);
        counts[rank] = (int)(count * row);
    }
    large->done = large->layout.count;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Datatype type = large->native.type;
    MPI_Op op = large->native.op;
    int code = IN_TURN(
        large->blocking
            ? MPI_Reduce_scatter(large->source, large->result, counts, type, op, comm->comm)
            : MPI_Ireduce_scatter(large->source, large->result, counts, type, op, comm->comm, &request));
    return begun(large, code, request);
}

static int next_of_library(LargeReduction *large) {
    Py_ssize_t count = large->layout.count;
    if (large->collective->verb != REDUCE_SCATTER)
        return next_of_range(large, 0, count, large->result, large->root);
    if (count > INT32_MAX)
        return next_of_pieces(large);
    return large->done < count ? reduce_scatter(large) : 0;
}

/* ---- phase by phase ---- */

static int begin_on_boards(LargeReduction *large) {
    large->board.collective = large->collective;
    large->board.native = large->native;
    large->board.count = large->layout.count;
    large->board.itemsize = large->layout.itemsize;
    large->board.source = large->source;
    large->board.result = large->result;
    large->board.segments = large->segments;
    board_bring(&large->board);
    large->stage = BRINGING;
    large->phase = (PhaseOp){&board_phase, &large->board.exchange};
    return 1;
}

static int begin_in_segments(LargeReduction *large, bool blocking) {
    large->by_segment = (SegmentReduction){.collective = large->collective,
                                           .native = large->native,
                                           .count = large->layout.count,
                                           .itemsize = large->layout.itemsize,
                                           .source = large->source,
                                           .result = large->result,
                                           .segments = large->segments,
                                           .blocking = blocking,
                                           .root = large->collective->verb == REDUCE ? large->root : NOBODY};
    large->stage = BRINGING;
    large->phase = (PhaseOp){&segments_phase, &large->by_segment};
    int more = segments_bring(&large->by_segment);
    return more ? more : large_next(large);
}

int large_begin(LargeReduction *large, bool blocking, bool in_place, bool in_segments) {
    large->collective->call.large = large->layout.nbytes;
    if (in_segments)
        return large->by_messages ? begin_in_segments(large, blocking) : begin_on_boards(large);
    /* all ranks use MPI_IN_PLACE or none does, except in MPI_Reduce, where only the root may */
    if (large->in_place && !in_place && large->collective->verb != REDUCE && pack_source(large) < 0)
        return -1;
    large->stage = IN_LIBRARY;
    large->blocking = blocking;
    return next_of_library(large);
}

int large_next(LargeReduction *large) {
    if (large->stage == IN_LIBRARY)
        return next_of_library(large);
    if (large->stage == SPREADING)
        return 0;
    large->stage = SPREADING;
    if (large->by_messages)
        return segments_spread(&large->by_segment);
    return board_spread(&large->board) < 0 ? -1 : 1;
}

/* ---- the result ---- */

/* An ndarray that owns the memory of the result, decoded as if it had arrived in a message. */
static PyObject *adopt_result(LargeReduction *large) {
    char stream[ARRAY_FORM(MOST_DIMENSIONS)];
    const struct array_head head = {.tag = TAG_ARRAY,
                                    .type = (uint8_t)large->type,
                                    .ndim = (uint8_t)large->shape.ndim,
                                    .container = CONTAINER_NDARRAY,
                                    .apart = 1,
                                    .itemsize = (uint32_t)large->shape.itemsize};
    wire_put_array(stream, &head, large->shape.shape);
    Arrived arrived = {.data = large->result, .nbytes = large->shape.nbytes};
    PyObject *array = codec_decode(stream, ARRAY_FORM(large->shape.ndim), &arrived, 1);
    large->own_result = !arrived.taken;
    return array;
}

PyObject *large_result(LargeReduction *large) {
    if (!large->wanted)
        Py_RETURN_NONE;
    if (!large->into)
        return adopt_result(large);
    if (large->own_result)
        strided_unpack(&large->into->layout, large->result, large->shape.nbytes);
    return target_result(large->into, large->shape.count);
}
