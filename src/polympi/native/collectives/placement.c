#include "collectives/placement.h"

#include <stdlib.h>

#include "collectives/collective_wire.h"

/* Number the machines from 0, in the order of their lowest ranks: how many there are. `first` is scratch
 * memory for the lowest rank of each. */
static int number_machines(const Introduction *all, int size, int *machine, int *first) {
    int machines = 0;
    for (int rank = 0; rank < size; rank++) {
        int found = machines;
        while (found-- > 0 && all[first[found]].machine != all[rank].machine)
            ;
        if (found < 0)
            first[found = machines++] = rank;
        machine[rank] = found;
    }
    return machines;
}

/* List the ranks machine by machine. */
static void list_ranks(Placement *placement, int size) {
    int *first = placement->first;
    for (int machine = 0; machine <= placement->machines; machine++)
        first[machine] = 0;
    for (int rank = 0; rank < size; rank++) /* the number of ranks, one place further */
        first[placement->machine[rank] + 1]++;
    for (int machine = 1; machine <= placement->machines; machine++)
        first[machine] += first[machine - 1];
    placement->in_order = true;
    for (int rank = 0; rank < size; rank++) { /* `first` is the place of the next rank */
        int place = first[placement->machine[rank]]++;
        placement->ranks[place] = rank;
        placement->places[rank] = place;
        placement->in_order &= place == rank;
    }
    for (int machine = placement->machines; machine > 0; machine--)
        first[machine] = first[machine - 1];
    first[0] = 0;
}

/* NULL: out of memory. */
static Placement *placement_new(const Introduction *all, int size) {
    size_t ranks = (size_t)size;
    Placement *placement = malloc(sizeof *placement + (4 * ranks + 1) * sizeof(int));
    if (!placement)
        return NULL;
    placement->crossings = 0;
    placement->ranks = placement->memory;
    placement->places = placement->ranks + ranks;
    placement->machine = placement->places + ranks;
    placement->first = placement->machine + ranks;
    placement->machines = number_machines(all, size, placement->machine, placement->first);
    list_ranks(placement, size);
    return placement;
}

int placement_open(MPI_Comm comm, Placement **placement, bool *apart, uint64_t *number) {
    *placement = NULL;
    *apart = false;
    if (!state.several_machines)
        return MPI_Bcast(number, 1, MPI_UINT64_T, 0, comm);
    int size, code = MPI_Comm_size(comm, &size);
    if (code != MPI_SUCCESS)
        return code;
    const Introduction own = {.number = *number, .machine = state.machine};
    Introduction *all = malloc((size_t)size * sizeof *all);
    if (!all)
        return MPI_ERR_OTHER;
    code = MPI_Allgather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, comm);
    if (code == MPI_SUCCESS) {
        *number = all[0].number;
        *placement = placement_new(all, size);
        code = *placement ? MPI_SUCCESS : MPI_ERR_OTHER;
    }
    free(all);
    *apart = *placement && size > 1 && (*placement)->machines == size;
    if (*placement && ((*placement)->machines == 1 || (*placement)->machines == size)) {
        free(*placement);
        *placement = NULL;
    }
    return code;
}
