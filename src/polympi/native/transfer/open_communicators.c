#include "transfer/open_communicators.h"

#include <stdlib.h>

#include "base/list.h"

static OpenCommunicator *opened;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* of the list: they are made without the GIL */

static int add(OpenCommunicator values) {
    OpenCommunicator *added = malloc(sizeof *added);
    if (!added)
        return MPI_ERR_OTHER;
    *added = values;
    pthread_mutex_lock(&mutex);
    LIST_PUSH(opened, added);
    pthread_mutex_unlock(&mutex);
    return MPI_SUCCESS;
}

int open_communicators_add(const Communicator *comm) {
    return add((OpenCommunicator){.comm = comm->comm,
                                  .shadow = comm->shadow,
                                  .object = comm,
                                  .borrowed = comm->borrowed,
                                  .number = comm->number});
}

int open_communicators_add_raw(MPI_Comm comm) {
    return add((OpenCommunicator){.comm = comm, .shadow = MPI_COMM_NULL});
}

void open_communicators_remove(MPI_Comm comm) {
    pthread_mutex_lock(&mutex);
    free(LIST_TAKE(opened, open, open->comm == comm));
    pthread_mutex_unlock(&mutex);
}

void open_communicators_drop(const Communicator *comm) {
    pthread_mutex_lock(&mutex);
    for (OpenCommunicator *open = opened; open; open = open->next) {
        if (open->object != comm)
            continue;
        open->collective = comm->collective;
        open->object = NULL;
    }
    pthread_mutex_unlock(&mutex);
}

const OpenCommunicator *open_communicators(void) { return opened; }

bool count_collectives(uint64_t number, uint32_t *calls) {
    bool found = false;
    pthread_mutex_lock(&mutex);
    for (const OpenCommunicator *open = opened; open && !found; open = open->next) {
        found = open->shadow != MPI_COMM_NULL && open->number == number;
        if (found)
            *calls = open->object ? open->object->collective : open->collective;
    }
    pthread_mutex_unlock(&mutex);
    return found;
}
