/* MPI as plain integers and pointers, for a language without a C compiler: handles are intptr_t, whatever
   they are in this MPI, and the constants are read from mpi.h. All functions return MPI's error code. */
#ifndef POLYMPI_NET_HANDLES_H
#define POLYMPI_NET_HANDLES_H

#include <mpi.h>
#include <stdint.h>

#define COMM(handle) ((MPI_Comm)(handle))
#define TYPE(handle) ((MPI_Datatype)(handle))
#define OP(handle) ((MPI_Op)(handle))
#define GROUP(handle) ((MPI_Group)(handle))
#define REQUEST(handle) ((MPI_Request)(handle))
#define HANDLE(value) ((intptr_t)(value))

/* What C# knows of a message: its struct NativeStatus. */
struct net_status {
    int32_t source;
    int32_t tag;
    int32_t cancelled;
    int32_t error;
    int64_t bytes;
};

/* Asking for a count costs time, so nobody who gives NULL pays for it. */
static inline void net_status_set(struct net_status *to, const MPI_Status *from) {
    MPI_Count bytes = 0;
    int cancelled = 0;
    if (!to)
        return;
    MPI_Get_elements_x((MPI_Status *)from, MPI_BYTE, &bytes);
    MPI_Test_cancelled((MPI_Status *)from, &cancelled);
    to->source = from->MPI_SOURCE;
    to->tag = from->MPI_TAG;
    to->cancelled = cancelled;
    to->error = MPI_SUCCESS;
    to->bytes = (int64_t)bytes;
}

#endif
