#include "transfer/receive/probe.h"

#include "transfer/receive/probing_receive.h"
#include "transfer/receive/unclaimed_messages.h"

enum step probe_now(Communicator *comm, const Call *call, MPI_Status *status) {
    int found;
    enum step taken;
    const MPI_Status *kept = unlikely(comm->probing & HAS_UNCLAIMED) ? unclaimed_for(comm, call) : NULL;
    if (kept) {
        *status = *kept;
        status->MPI_ERROR = MPI_SUCCESS; /* the wait for one request has not set it */
        return DONE;
    }
    do { /* until what is found is not a message of a receive that began before */
        found = 0;
        taken = PENDING;
        if (checked_iprobe(mpi_source(call->peer), mpi_tag(call->tag), comm->comm, &found, status, call) < 0)
            return FAILED;
        if (found && unlikely(comm->probing))
            taken = prober_takes(comm, status->MPI_SOURCE, status->MPI_TAG);
    } while (taken == DONE);
    return taken == FAILED ? FAILED : found;
}

struct probing {
    Communicator *comm;
    const Call *call;
    MPI_Status *status;
};

static enum step poll_probe(void *context) {
    const struct probing *probing = context;
    return probe_now(probing->comm, probing->call, probing->status);
}

int probe_wait(Communicator *comm, const Call *call, double timeout, MPI_Status *status) {
    struct probing probing = {.comm = comm, .call = call, .status = status};
    Call named = *call;
    named.comm = comm;
    return wait_poll(poll_probe, &probing, &named, timeout) < 0 ? -1 : 0;
}
