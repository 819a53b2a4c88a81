/* One-sided communication of a rank with itself: complete at once, whichever lock is held. Types are basic.
 */
#include "serial.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct serial_window {
    char *memory;
    int unit;
};

/* Of the threads that combine. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

int MPI_Win_create(void *memory, MPI_Aint nbytes, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *win) {
    *win = malloc(sizeof **win);
    if (!*win)
        return MPI_ERR_OTHER;
    **win = (struct serial_window){.memory = memory, .unit = unit};
    return MPI_SUCCESS;
}

int MPI_Win_free(MPI_Win *win) {
    free(*win);
    *win = NULL;
    return MPI_SUCCESS;
}

int MPI_Win_set_errhandler(MPI_Win win, MPI_Errhandler handler) { return MPI_SUCCESS; }
int MPI_Win_lock(int type, int rank, int assertion, MPI_Win win) { return MPI_SUCCESS; }
int MPI_Win_unlock(int rank, MPI_Win win) { return MPI_SUCCESS; }
int MPI_Win_lock_all(int assertion, MPI_Win win) { return MPI_SUCCESS; }
int MPI_Win_unlock_all(MPI_Win win) { return MPI_SUCCESS; }
int MPI_Win_flush(int rank, MPI_Win win) { return MPI_SUCCESS; }
int MPI_Win_flush_all(MPI_Win win) { return MPI_SUCCESS; }

static char *at(MPI_Win win, MPI_Aint place) { return win->memory + place * win->unit; }

int MPI_Put(const void *data, int count, MPI_Datatype type, int rank, MPI_Aint place, int target_count,
            MPI_Datatype target_type, MPI_Win win) {
    if (count)
        memmove(at(win, place), data, (size_t)count * type->nbytes);
    return MPI_SUCCESS;
}

int MPI_Get(void *data, int count, MPI_Datatype type, int rank, MPI_Aint place, int target_count,
            MPI_Datatype target_type, MPI_Win win) {
    if (count)
        memmove(data, at(win, place), (size_t)count * type->nbytes);
    return MPI_SUCCESS;
}

int MPI_Accumulate(const void *data, int count, MPI_Datatype type, int rank, MPI_Aint place, int target_count,
                   MPI_Datatype target_type, MPI_Op op, MPI_Win win) {
    pthread_mutex_lock(&mutex);
    int code = MPI_Reduce_local(data, at(win, place), count, type, op);
    pthread_mutex_unlock(&mutex);
    return code;
}

int MPI_Get_accumulate(const void *data, int count, MPI_Datatype type, void *result, int result_count,
                       MPI_Datatype result_type, int rank, MPI_Aint place, int target_count,
                       MPI_Datatype target_type, MPI_Op op, MPI_Win win) {
    pthread_mutex_lock(&mutex);
    memcpy(result, at(win, place), (size_t)count * type->nbytes);
    int code = MPI_Reduce_local(data, at(win, place), count, type, op);
    pthread_mutex_unlock(&mutex);
    return code;
}

int MPI_Rput(const void *data, int count, MPI_Datatype type, int rank, MPI_Aint place, int target_count,
             MPI_Datatype target_type, MPI_Win win, MPI_Request *request) {
    *request = MPI_REQUEST_NULL;
    return MPI_Put(data, count, type, rank, place, target_count, target_type, win);
}

int MPI_Rget(void *data, int count, MPI_Datatype type, int rank, MPI_Aint place, int target_count,
             MPI_Datatype target_type, MPI_Win win, MPI_Request *request) {
    *request = MPI_REQUEST_NULL;
    return MPI_Get(data, count, type, rank, place, target_count, target_type, win);
}

int MPI_Raccumulate(const void *data, int count, MPI_Datatype type, int rank, MPI_Aint place,
                    int target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win,
                    MPI_Request *request) {
    *request = MPI_REQUEST_NULL;
    return MPI_Accumulate(data, count, type, rank, place, target_count, target_type, op, win);
}

int MPI_Rget_accumulate(const void *data, int count, MPI_Datatype type, void *result, int result_count,
                        MPI_Datatype result_type, int rank, MPI_Aint place, int target_count,
                        MPI_Datatype target_type, MPI_Op op, MPI_Win win, MPI_Request *request) {
    *request = MPI_REQUEST_NULL;
    return MPI_Get_accumulate(data, count, type, result, result_count, result_type, rank, place, target_count,
                              target_type, op, win);
}

int MPI_Fetch_and_op(const void *value, void *found, MPI_Datatype type, int rank, MPI_Aint place, MPI_Op op,
                     MPI_Win win) {
    pthread_mutex_lock(&mutex);
    memcpy(found, at(win, place), type->nbytes);
    int code = MPI_Reduce_local(value, at(win, place), 1, type, op);
    pthread_mutex_unlock(&mutex);
    return code;
}

int MPI_Compare_and_swap(const void *value, const void *expected, void *found, MPI_Datatype type, int rank,
                         MPI_Aint place, MPI_Win win) {
    pthread_mutex_lock(&mutex);
    memcpy(found, at(win, place), type->nbytes);
    if (memcmp(found, expected, type->nbytes) == 0)
        memcpy(at(win, place), value, type->nbytes);
    pthread_mutex_unlock(&mutex);
    return MPI_SUCCESS;
}
