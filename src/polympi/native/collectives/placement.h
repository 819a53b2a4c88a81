/* On which machines the ranks of a communicator are.
 *
 * A message between machines takes many times as long as one within a machine. So collectives go among the
 * ranks of a machine first, and between machines by one rank of each. This is for communicators with several
 * machines of which one has several ranks; otherwise there is no placement, and all ranks are alike.
 */
#ifndef POLYMPI_PLACEMENT_H
#define POLYMPI_PLACEMENT_H

#include "transfer/communicator.h"

/* The ranks are listed machine by machine: machines in the order of their lowest ranks, the ranks of each
 * from the lowest up. The first of a machine speaks for it. */
typedef struct Placement {
    int machines;
    bool in_order;      /* the list is 0, 1, 2, ...: the ranks of each machine are consecutive */
    uint64_t crossings; /* small messages of collectives from this rank to other machines */
    int *ranks;         /* the list */
    int *places;        /* of each rank in it */
    int *machine;       /* of each rank, from 0 */
    int *first;         /* of each machine: the place of its first rank; behind the last one, all ranks */
    int memory[];       /* for these */
} Placement;

/* Find out where the ranks of `comm` are, on all of them together, and which number the communicator has:
 * that which rank 0 brings in `*number`. `*placement` is NULL where it makes no difference, as where all are
 * `*apart`, each on a machine of its own. MPI's code. */
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
/* The placement for what keeps the order of ranks. */
static inline const Placement *placement_in_order(const Communicator *comm) {
    return unlikely(comm->placement != NULL) && comm->placement->in_order ? comm->placement : NULL;
}

/* Count a message to another rank, if it goes to another machine. */
static inline void count_crossing(const Communicator *comm, int dest) {
    Placement *placement = comm->placement;
    if (unlikely(placement != NULL))
        placement->crossings += placement->machine[comm->rank] != placement->machine[dest];
}

#endif
