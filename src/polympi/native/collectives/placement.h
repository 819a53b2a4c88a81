/* Which machine each rank of a communicator is on.
 *
 * A message between machines takes many times as long as one within a machine. So collectives first combine
 * the ranks of each machine, and one rank of each communicates between machines. This is for communicators on
 * several machines, one of them with several ranks; otherwise there is no placement.
 */
#pragma once

#include "transfer/communicator.h"

/* The ranks are listed machine by machine: machines in the order of their lowest ranks, the ranks of each
 * from the lowest up. The first of a machine speaks for it. */
typedef struct Placement {
    int machines;
    bool in_order;      /* the list is 0, 1, 2, ...: each machine has consecutive ranks */
    uint64_t crossings; /* small messages of collectives from this rank to other machines */
    int *ranks;         /* the list */
    int *places;        /* of each rank in it */
    int *machine;       /* of each rank, from 0 */
    int *first;         /* of each machine: the place of its first rank; then the number of ranks */
    int memory[];       /* of these */
} Placement;

/* Find the machines of the ranks of `comm`, and broadcast the communicator's `*number` from rank 0;
 * collective.
 * `*placement` is NULL where it makes no difference, also if all ranks are `*apart`, each on a different
 * machine. MPI's code. */
int placement_open(MPI_Comm comm, Placement **placement, bool *apart, uint64_t *number);

static inline int rank_on_machine(const Placement *placement, int machine, int place) {
    return placement->ranks[placement->first[machine] + place];
}
static inline int ranks_of_machine(const Placement *placement, int machine) {
    return placement->first[machine + 1] - placement->first[machine];
}
/* The place of a rank among those of its machine. */
static inline int place_on_machine(const Placement *placement, int rank) {
    return placement->places[rank] - placement->first[placement->machine[rank]];
}
/* The placement for operations that need the order of ranks. */
static inline const Placement *placement_in_order(const Communicator *comm) {
    return unlikely(comm->placement != NULL) && comm->placement->in_order ? comm->placement : NULL;
}

/* Count a message, if it is to another machine. */
static inline void count_crossing(const Communicator *comm, int dest) {
    Placement *placement = comm->placement;
    if (unlikely(placement != NULL))
        placement->crossings += placement->machine[comm->rank] != placement->machine[dest];
}
