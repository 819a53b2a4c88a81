#include "transport/windows.h"

static int fetch(WindowCall *what) {
    int code = what->call == WINDOW_FETCH_AND_OP
                   ? MPI_Fetch_and_op(what->value, what->found, what->type, what->rank, what->offset,
                                      what->op, what->win)
                   : MPI_Compare_and_swap(what->value, what->expected, what->found, what->type, what->rank,
                                          what->offset, what->win);
    return code == MPI_SUCCESS ? MPI_Win_flush(what->rank, what->win) : code;
}

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
        return MPI_Put(what->data, what->count, what->type, what->rank, what->offset, what->count, what->type,
                       what->win);
    case WINDOW_GET:
        return MPI_Get(what->data, what->count, what->type, what->rank, what->offset, what->count, what->type,
                       what->win);
    case WINDOW_ACCUMULATE:
        return MPI_Accumulate(what->data, what->count, what->type, what->rank, what->offset, what->count,
                              what->type, what->op, what->win);
    default:
        return fetch(what);
    }
}

int window_make(MPI_Comm comm, void *memory, MPI_Aint nbytes, int itemsize, MPI_Win *win) {
    int code = MPI_Win_create(memory, nbytes, itemsize, MPI_INFO_NULL, comm, win);
    return code == MPI_SUCCESS ? MPI_Win_set_errhandler(*win, MPI_ERRORS_RETURN) : code;
}

int window_free(MPI_Win *win) { return MPI_Win_free(win); }
