#include "reductions/board_reduction.h"

#include <string.h>

#include "collectives/pieces.h"

bool reduces_on_boards(const Collective *collective, Py_ssize_t nbytes) {
    enum { MOST_BYTES = 1 << 20 };
    return collective->verb == ALLREDUCE && nbytes <= MOST_BYTES && board_ready(collective->comm);
}

/* The segment of a rank: where it begins, and its bytes. */
static Py_ssize_t segment(const BoardReduction *reduction, int rank, Py_ssize_t *first) {
    Py_ssize_t count;
    split_rows(reduction->count, reduction->collective->comm->size, rank, first, &count);
    *first *= reduction->itemsize;
    return count * reduction->itemsize;
}

/* The segments are in the order of ranks. */
void board_bring(BoardReduction *reduction) {
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
    bool locked = enter_mpi();
    for (int rank = 1; rank < collective->comm->size && code == MPI_SUCCESS; rank++) {
        char *upper = reduction->segments + rank * segment_bytes;
        code = MPI_Reduce_local(upper - segment_bytes, upper, count, reduction->native.type,
                                reduction->native.op);
    }
    leave_mpi(locked);
    return code == MPI_SUCCESS ? 0 : raise_mpi(code, &collective->call);
}

/* The pages follow those of the contributions. */
int board_spread(BoardReduction *reduction) {
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
