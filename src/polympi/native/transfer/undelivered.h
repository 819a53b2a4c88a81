/* Messages that have come and that nobody will receive any more, since their communicator is freed now, or
 * the program ends.
 *
 * Open MPI forgets them. MPICH 5.0 frees the communicator, too, but reports an error for them; where one is
 * large and of the same machine, it ends the process by an assertion. So small ones are taken before. Large
 * ones are not: to receive them takes memory, and to receive a part of them ended the process with Open MPI.
 */
#ifndef POLYMPI_UNDELIVERED_H
#define POLYMPI_UNDELIVERED_H

#include "transport/transport.h"

typedef struct {
    int count;
    int source, tag; /* of the first; NO_TAG: of a plan */
    bool large;      /* the last of them was not taken, and is in the way of others */
} Undelivered;

/* Take and drop what has come up to the first that has more bytes than a packet, and add it to `found`;
 * without the GIL. MPI's code. */
int undelivered_take(MPI_Comm comm, Undelivered *found);

/* At the end of the program, where no rank receives or sends any more: take what has come on any communicator
 * that is polympi's own, and add it to `found`, with sources as ranks of the world of polympi where they have
 * one; `last`: this is not called again. On those of mpi4py its own messages may be left, too. Without
 * Python. */
void undelivered_take_all(MPI_Comm world, bool last, Undelivered *found);

#endif
