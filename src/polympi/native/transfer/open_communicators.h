/* All communicators of this process, to find messages that nobody has received at the end of the program, and
 * to count the collective calls of this rank. MPI can't free a communicator on one rank alone, so one stays
 * here after its object is gone. */
#pragma once

#include "transfer/communicator.h"

typedef struct OpenCommunicator {
    struct OpenCommunicator *next;
    MPI_Comm comm;              /* with the user's messages */
    MPI_Comm shadow;            /* MPI_COMM_NULL: of a raw communicator, which has none */
    const Communicator *object; /* NULL: it is gone, or raw */
    bool borrowed;              /* as of the object */
    uint64_t number;
    uint32_t collective; /* calls on it when its object went */
} OpenCommunicator;

/* MPI_SUCCESS, or MPI_ERR_OTHER without memory. From any thread. */
int open_communicators_add(const Communicator *comm);
int open_communicators_add_raw(MPI_Comm comm);
/* It is freed now. */
void open_communicators_remove(MPI_Comm comm);
/* Its object goes, and it stays. */
void open_communicators_drop(const Communicator *comm);

/* The first of them; the others follow. At the end of the program, where nobody adds or removes any. */
const OpenCommunicator *open_communicators(void);
/* How many collective calls this rank has made on the communicator of that number: whether there is one. */
bool count_collectives(uint64_t number, uint32_t *calls);
