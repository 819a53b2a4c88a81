#include "transfer/hosts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/errors.h"
#include "transfer/communicator.h"
#include "transport/calls.h"

static MPI_Group world_ranks;
static int *places;               /* of each rank of the world: which of the names its host has */
static char (*names)[HOST_BYTES]; /* in the order of the lowest ranks of the hosts */

/* The name of the host of a rank of a communicator; NULL: nobody knows. */
static const char *host_of(const void *comm, int rank) {
    const Communicator *communicator = comm;
    if (state.phase != RUNNING || !communicator->size || rank < 0 || rank >= communicator->size)
        return NULL;
    int in_world = IN_TURN(translate_rank(communicator->comm, rank, world_ranks));
    return in_world == MPI_UNDEFINED ? NULL : names[places[in_world]];
}

/* Keep each name once: how many there are. `all` has those of all ranks, and the kept ones afterwards. */
static int keep_names(char (*all)[HOST_BYTES], int size) {
    int kept = 0;
    for (int rank = 0; rank < size; rank++) {
        int found = kept; /* launchers place ranks host by host: the last name is the likeliest */
        while (found-- > 0 && strcmp(all[found], all[rank]) != 0)
            ;
        if (found < 0)
            memmove(all[found = kept++], all[rank], HOST_BYTES);
        places[rank] = found;
    }
    return kept;
}

int hosts_learn(MPI_Comm world) {
    char own[HOST_BYTES] = "";
    int size, rank, code = MPI_Comm_size(world, &size);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_rank(world, &rank);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_group(world, &world_ranks);
    if (code != MPI_SUCCESS)
        return code;
    if (gethostname(own, sizeof own - 1) != 0)
        own[0] = '\0';
    char(*all)[HOST_BYTES] = malloc((size_t)size * sizeof *all);
    places = malloc((size_t)size * sizeof *places);
    if (!all || !places)
        return MPI_ERR_OTHER;
    code = MPI_Allgather(own, HOST_BYTES, MPI_BYTE, all, HOST_BYTES, MPI_BYTE, world);
    int hosts = code == MPI_SUCCESS ? keep_names(all, size) : 0;
    if (hosts < 2) { /* several machines of one name help nobody to find the right one */
        free(all);
        return code;
    }
    char(*fewer)[HOST_BYTES] = realloc(all, (size_t)hosts * sizeof *all);
    names = fewer ? fewer : all;
    errors_name_hosts(host_of, names[places[rank]]);
    return MPI_SUCCESS;
}
