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

/* Of a message that was received or found. */
static inline void net_status_message(struct net_status *to, MPI_Status *from) {
    int bytes = 0;
    MPI_Get_count(from, MPI_BYTE, &bytes);
    *to = (struct net_status){.source = from->MPI_SOURCE, .tag = from->MPI_TAG, .bytes = bytes};
    if (bytes == MPI_UNDEFINED) { /* more than an int counts */
        MPI_Count many = 0;
        MPI_Get_elements_x(from, MPI_BYTE, &many);
        to->bytes = (int64_t)many;
    }
}

/* Of a request that is complete, and may have been cancelled. */
static inline void net_status_request(struct net_status *to, MPI_Status *from) {
    int cancelled = 0;
    net_status_message(to, from);
    MPI_Test_cancelled(from, &cancelled);
    to->cancelled = cancelled;
}

#endif
