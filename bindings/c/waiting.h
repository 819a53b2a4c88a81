/* What waits for a message: the library, inside MPI_Send, MPI_Recv and MPI_Wait, or a loop around MPI_Test.

   Both are functions of the same types, chosen before a loop begins, so that the timed loops are the same. */
#ifndef POLYMPI_WAITING_H
#define POLYMPI_WAITING_H

#include "polympi_harness.h"

#include <mpi.h>

typedef int send_call(const void *, int, MPI_Datatype, int, int, MPI_Comm);
typedef int receive_call(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status *);
typedef int sendrecv_call(const void *, int, MPI_Datatype, int, int, void *, int, MPI_Datatype, int, int,
                          MPI_Comm, MPI_Status *);
typedef int wait_call(MPI_Request *, MPI_Status *);
typedef int waitall_call(int, MPI_Request[], MPI_Status[]);

struct waiting {
    send_call *sends[POLYMPI_SEND_MODES]; /* NULL for sendrecv */
    receive_call *receive;
    sendrecv_call *sendrecv;
    wait_call *wait;
    waitall_call *waitall;
};

/* The calls of MPI itself. */
const struct waiting *waiting_by_library(void);

/* The same made of nonblocking calls and MPI_Test in a loop: what a program does that wants to wait itself.
   Where the ranks of this machine outnumber the CPUs they may use, the loop yields, or the rank it waits for
   could not run. */
const struct waiting *waiting_by_spinning(void);

#endif
