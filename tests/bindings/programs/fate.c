// Rank 1 does not come back from its fourth start in the second collective or, with BEFORE, does not get as
// far as comparing clocks for it: it sends itself SIGNAL. The linker replaces
// common_start_wait and common_start_next_case by these functions.
#define _DEFAULT_SOURCE
#include "common_start.h"
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

int64_t __real_common_start_wait(void);
int64_t __wrap_common_start_wait(void);
void __real_common_start_next_case(void);
void __wrap_common_start_next_case(void);

static int cases, starts;

static void meet_fate(void) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        kill(getpid(), SIGNAL);
}

int64_t __wrap_common_start_wait(void) {
    if (!BEFORE && cases == 2 && ++starts == 4)
        meet_fate();
    return __real_common_start_wait();
}

void __wrap_common_start_next_case(void) {
    if (++cases == 2 && BEFORE)
        meet_fate();
    __real_common_start_next_case();
}
