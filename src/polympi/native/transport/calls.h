/* The seam between the core and MPI's calls for messages: each takes the turn in MPI, calls it, and checks
 * its code. To trace messages or to inject faults, begin here.
 *
 * `locked_...` returns MPI's code, `checked_...` raises the exception that fits it. The few places that call
 * MPI themselves need one turn for several calls, as the first tests of a blocking receive, or have no Python
 * left.
 */
#ifndef POLYMPI_CALLS_H
#define POLYMPI_CALLS_H

#include "transport/transport.h"

/* 0, or -1 with the exception. */
static inline int check_code(int code, const Call *call) {
    return likely(code == MPI_SUCCESS) ? 0 : raise_mpi(code, call);
}

static inline int checked_isend(const void *data, int count, MPI_Datatype type, int dest, int tag,
                                MPI_Comm comm, MPI_Request *request, const Call *call) {
    bool locked = enter_mpi();
    int code = MPI_Isend(data, count, type, dest, tag, comm, request);
    leave_mpi(locked);
    return check_code(code, call);
}

static inline int checked_issend(const void *data, int count, MPI_Datatype type, int dest, int tag,
                                 MPI_Comm comm, MPI_Request *request, const Call *call) {
    bool locked = enter_mpi();
    int code = MPI_Issend(data, count, type, dest, tag, comm, request);
    leave_mpi(locked);
    return check_code(code, call);
}

static inline int checked_irecv(void *data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                                MPI_Request *request, const Call *call) {
    bool locked = enter_mpi();
    int code = MPI_Irecv(data, count, type, source, tag, comm, request);
    leave_mpi(locked);
    return check_code(code, call);
}

/* `*found`, and the status of the first message that matches. 0 or -1. */
static inline int checked_iprobe(int source, int tag, MPI_Comm comm, int *found, MPI_Status *status,
                                 const Call *call) {
    bool locked = enter_mpi();
    int code = MPI_Iprobe(source, tag, comm, found, status);
    leave_mpi(locked);
    return check_code(code, call);
}

/* MPI_Test of all requests. Needs the turn in MPI, not the GIL. */
int test_several(MPI_Request *requests, int count, MPI_Status *statuses, int *complete);
static inline int test_any_number(MPI_Request *requests, int count, MPI_Status *statuses, int *complete) {
    if (likely(count == 1))
        return MPI_Test(requests, complete, statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses);
    return test_several(requests, count, statuses, complete);
}

static inline int locked_test(MPI_Request *requests, int count, MPI_Status *statuses, int *complete) {
    bool locked = enter_mpi();
    int code = test_any_number(requests, count, statuses, complete);
    leave_mpi(locked);
    return code;
}

/* Test all requests once: DONE, PENDING or FAILED. */
static inline enum step test_requests(MPI_Request *requests, int count, MPI_Status *statuses,
                                      const Call *call) {
    int complete = 0;
    int code = locked_test(requests, count, statuses, &complete);
    return unlikely(code != MPI_SUCCESS) ? raise_mpi(code, call) : complete;
}

static inline void locked_type_free(MPI_Datatype *type) {
    bool locked = enter_mpi();
    MPI_Type_free(type);
    leave_mpi(locked);
}

/* Double the memory of requests; `first` is the one that is not malloc's. 0 or -1. */
int requests_grow(MPI_Request **requests, int count, int *capacity, const MPI_Request *first);
/* A place for one more request, with MPI_REQUEST_NULL in it; NULL with MemoryError. */
static inline MPI_Request *requests_add(MPI_Request **requests, int *count, int *capacity,
                                        const MPI_Request *first) {
    if (unlikely(*count == *capacity) && requests_grow(requests, *count, capacity, first) < 0)
        return NULL;
    MPI_Request *request = &(*requests)[(*count)++];
    *request = MPI_REQUEST_NULL;
    return request;
}

/* Cancel a receive, and wait until it is cancelled or complete, as the status says; false: there is none, or
 * MPI has failed. Needs the turn in MPI. */
bool cancel_receive(MPI_Request *request, MPI_Status *status);

/* The rank in another group, MPI_UNDEFINED where it has none. Needs the turn in MPI. */
int translate_rank(MPI_Comm comm, int rank, MPI_Group group);

#endif
