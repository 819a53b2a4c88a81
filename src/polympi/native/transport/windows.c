#include "transport/windows.h"

static int fetch(WindowCall *what) {
    int code = what->call == WINDOW_FETCH_AND_OP
                   ? MPI_Fetch_and_op(what->value, what->found, what->type, what->rank, what->offset,
                                      what->op, what->win)
                   : MPI_Compare_and_swap(what->value, what->expected, what->found, what->type, what->rank,
                                          what->offset, what->win);
    return code == MPI_SUCCESS ? MPI_Win_flush(what->rank, what->win) : code;
}

/* ---- accesses ---- */

size_t window_most_bytes = (size_t)1 << 30;

static MPI_Aint elements_of_piece(const WindowCall *what) {
    MPI_Aint most = (MPI_Aint)window_most_bytes / what->itemsize;
    return most > 0 ? most : 1;
}

MPI_Aint window_pieces(const WindowCall *what) {
    MPI_Aint most = elements_of_piece(what);
    return (what->count + most - 1) / most;
}

/* Access that many units from an element on. */
static int access_piece(const WindowCall *what, MPI_Aint first, int count) {
    char *data = (char *)what->data + first * what->itemsize;
    MPI_Aint offset = what->offset + first;
    if (what->call == WINDOW_PUT)
        return MPI_Put(data, count, what->type, what->rank, offset, count, what->type, what->win);
    if (what->call == WINDOW_GET)
        return MPI_Get(data, count, what->type, what->rank, offset, count, what->type, what->win);
    if (what->call == WINDOW_ACCUMULATE)
        return MPI_Accumulate(data, count, what->type, what->rank, offset, count, what->type, what->op,
                              what->win);
    return MPI_Get_accumulate(data, count, what->type, (char *)what->result + first * what->itemsize, count,
                              what->type, what->rank, offset, count, what->type, what->op, what->win);
}

/* The same with a request. */
static int begin_piece(const WindowCall *what, MPI_Aint first, int count, MPI_Request *request) {
    char *data = (char *)what->data + first * what->itemsize;
    MPI_Aint offset = what->offset + first;
    if (what->call == WINDOW_PUT)
        return MPI_Rput(data, count, what->type, what->rank, offset, count, what->type, what->win, request);
    if (what->call == WINDOW_GET)
        return MPI_Rget(data, count, what->type, what->rank, offset, count, what->type, what->win, request);
    if (what->call == WINDOW_ACCUMULATE)
        return MPI_Raccumulate(data, count, what->type, what->rank, offset, count, what->type, what->op,
                               what->win, request);
    return MPI_Rget_accumulate(data, count, what->type, (char *)what->result + first * what->itemsize, count,
                               what->type, what->rank, offset, count, what->type, what->op, what->win,
                               request);
}

static int access_in_pieces(const WindowCall *what) {
    MPI_Aint most = elements_of_piece(what);
    MPI_Request *request = what->requests;
    int code = MPI_SUCCESS;
    for (MPI_Aint first = 0; first < what->count && code == MPI_SUCCESS; first += most) {
        MPI_Aint rest = what->count - first;
        int count = (int)(rest < most ? rest : most) * what->units;
        code = request ? begin_piece(what, first, count, request++) : access_piece(what, first, count);
    }
    return code;
}

/* ---- any call ---- */

int window_call(WindowCall *what) {
    switch (what->call) {
    case WINDOW_LOCK:
        return MPI_Win_lock(what->exclusive ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, what->rank, 0, what->win);
    case WINDOW_UNLOCK:
        return MPI_Win_unlock(what->rank, what->win);
    case WINDOW_LOCK_ALL:
        return MPI_Win_lock_all(0, what->win);
    case WINDOW_UNLOCK_ALL:
        return MPI_Win_unlock_all(what->win);
    case WINDOW_FLUSH:
        return MPI_Win_flush(what->rank, what->win);
    case WINDOW_FLUSH_ALL:
        return MPI_Win_flush_all(what->win);
    case WINDOW_PUT:
    case WINDOW_GET:
    case WINDOW_ACCUMULATE:
    case WINDOW_GET_ACCUMULATE:
        return access_in_pieces(what);
    default:
        return fetch(what);
    }
}

int window_make(MPI_Comm comm, void *memory, MPI_Aint nbytes, int itemsize, MPI_Win *win) {
    int code = MPI_Win_create(memory, nbytes, itemsize, MPI_INFO_NULL, comm, win);
    return code == MPI_SUCCESS ? MPI_Win_set_errhandler(*win, MPI_ERRORS_RETURN) : code;
}

int window_free(MPI_Win *win) { return MPI_Win_free(win); }
