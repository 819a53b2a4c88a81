/* Messages that have arrived and that nobody will receive, since their communicator is being freed, or the
 * program ends.
 *
 * Open MPI forgets them. MPICH 5.0 frees the communicator, but reports an error for them; if one is large and
 * from the same machine, it ends the process by an assertion. So small ones are received before. Large ones
 * aren't: receiving them takes memory, and receiving a part of them ended the process with Open MPI. */
#pragma once

#include "transport/transport.h"

typedef struct {
    int count;
    int source, tag; /* of the first; NO_TAG: of a plan */
    bool large;      /* the last of them was not received, and blocks those after it */
} Undelivered;

/* Receive and drop what has arrived, up to the first that is larger than a packet, and add it to `found`;
 * without the GIL. MPI's code. */
int undelivered_take(MPI_Comm comm, Undelivered *found);

/* At the end of the program, when no rank sends or receives any longer: do so on all communicators of polympi
 * itself (on those of mpi4py, its own messages may be left). Sources are ranks of the world of polympi if
 * they have one; `last`: this is the last call. Without Python. */
void undelivered_take_all(MPI_Comm world, bool last, Undelivered *found);
