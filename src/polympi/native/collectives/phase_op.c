#include "collectives/phase_op.h"

#include "transfer/transfer.h"

static int step_call(void *state) {
    LibraryCall *library = state;
    int done = test_requests(&library->request, 1, MPI_STATUSES_IGNORE, &library->collective->call);
    library_call_under_way |= !done;
    return done;
}

static int wait_for_call(void *state) {
    LibraryCall *library = state;
    const Collective *collective = library->collective;
    Call call = collective->call;
    call.library_call = true;
    if (wait_for(&library->request, 1, MPI_STATUSES_IGNORE, &call, collective_seconds(collective)) == 0)
        return 1;
    return library->request != MPI_REQUEST_NULL ? 0 : -1;
}

/* MPI has no way to end a collective: its memory is MPI's for as long as the process lives. */
static void give_up_call(void *state) {
    LibraryCall *library = state;
    if (library->request != MPI_REQUEST_NULL)
        library->collective->lost = true;
}

const PhaseKind library_phase = {
    .step = step_call, .wait = wait_for_call, .give_up = give_up_call, .goes_on = true};
