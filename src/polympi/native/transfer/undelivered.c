#include "transfer/undelivered.h"

#include "codec/wire.h"

static void note(Undelivered *found, const MPI_Status *status) {
    if (found->count++)
        return;
    found->source = status->MPI_SOURCE;
    found->tag = status->MPI_TAG;
}

int undelivered_take(MPI_Comm comm, Undelivered *found) {
    char packet[PACKET_BYTES];
    while (!found->large) {
        MPI_Status status;
        int any = 0, nbytes = 0, code = MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &any, &status);
        if (code != MPI_SUCCESS || !any)
            return code;
        code = MPI_Get_count(&status, MPI_BYTE, &nbytes);
        found->large = nbytes < 0 || nbytes > PACKET_BYTES; /* negative: more than an int holds */
        if (code == MPI_SUCCESS && !found->large)
            code = MPI_Recv(packet, PACKET_BYTES, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, comm,
                            MPI_STATUS_IGNORE);
        if (code != MPI_SUCCESS)
            return code;
        note(found, &status);
    }
    return MPI_SUCCESS;
}
