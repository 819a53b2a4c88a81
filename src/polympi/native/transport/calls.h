/* The seam between the core and MPI's calls for messages: no other file makes these, and each call takes the
 * turn in MPI. To trace messages or to inject faults, begin here.
 *
 * `locked_...` returns MPI's code, `checked_...` raises the exception that fits it.
 */
#pragma once

#include "transport/sleepers.h"

/* Take the turn in MPI for a call, or for a function that makes several: their code. */
#define IN_TURN(call)                                                                                        \
    ({                                                                                                       \
        bool locked_ = enter_mpi();                                                                          \
        __typeof__(call) code_ = (call);                                                                     \
        leave_mpi(locked_);                                                                                  \
        code_;                                                                                               \
    })

/* 0, or -1 with the exception. */
static inline int check_code(int code, const Call *call) {
    return likely(code == MPI_SUCCESS) ? 0 : raise_mpi(code, call);
}

/* Wake the rank that the call with this code has given a message; or, by a receive, leave to send a large
 * one. */
static inline int and_wake(int code, int rank, MPI_Comm comm) {
    wake_rank(comm, rank);
    return code;
}

/* Wake the ranks that may wait for this one in the same nonblocking collective. */
static inline int and_wake_all(int code, MPI_Comm comm) {
    wake_all(comm);
    return code;
}

static inline int locked_isend(const void *data, int count, MPI_Datatype type, int dest, int tag,
                               MPI_Comm comm, MPI_Request *request) {
    return IN_TURN(and_wake(MPI_Isend(data, count, type, dest, tag, comm, request), dest, comm));
}

static inline int checked_isend(const void *data, int count, MPI_Datatype type, int dest, int tag,
                                MPI_Comm comm, MPI_Request *request, const Call *call) {
    return check_code(locked_isend(data, count, type, dest, tag, comm, request), call);
}

static inline int checked_issend(const void *data, int count, MPI_Datatype type, int dest, int tag,
                                 MPI_Comm comm, MPI_Request *request, const Call *call) {
    return check_code(IN_TURN(and_wake(MPI_Issend(data, count, type, dest, tag, comm, request), dest, comm)),
                      call);
}

static inline int locked_irecv(void *data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                               MPI_Request *request) {
    return IN_TURN(and_wake(MPI_Irecv(data, count, type, source, tag, comm, request), source, comm));
}

static inline int checked_irecv(void *data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                                MPI_Request *request, const Call *call) {
    return check_code(locked_irecv(data, count, type, source, tag, comm, request), call);
}

/* The callers of the next two wake the other rank by this: a sender always, a receiver whose message isn't
 * complete. They know its rank anyway, which would have to be kept for it here. */
static inline void locked_wake(MPI_Comm comm, int rank) {
    if (unlikely(is_any_asleep()))
        (void)IN_TURN(and_wake(MPI_SUCCESS, rank, comm));
}

/* Begin a send, and test it once: whether it is `complete`; MPI_REQUEST_NULL after an error. */
static inline int locked_send_now(const void *data, int count, MPI_Datatype type, int dest, int tag,
                                  MPI_Comm comm, MPI_Request *request, int *complete) {
    *complete = 0;
    bool locked = enter_mpi();
    int code = MPI_Isend(data, count, type, dest, tag, comm, request);
    if (unlikely(code != MPI_SUCCESS))
        *request = MPI_REQUEST_NULL;
    else
        code = MPI_Test(request, complete, MPI_STATUS_IGNORE);
    leave_mpi(locked);
    return code;
}

/* How often a receive is tested before its caller does anything else: most small messages of a partner that
 * waits arrive in this time, about a microsecond. */
enum { TESTS_AT_ONCE = 32 };

/* Post a receive, and test it: whether it is `complete`; MPI_REQUEST_NULL after an error. MPI's code. A
 * macro, so that what is passed is evaluated where it is used: as an inline function it took 6 instructions
 * more for a receive of 8 bytes. */
#define RECEIVE_NOW(data, count, type, source, tag, comm, request, status, complete)                         \
    ({                                                                                                       \
        *(complete) = 0;                                                                                     \
        bool locked_ = enter_mpi();                                                                          \
        int code_ = MPI_Irecv(data, count, type, source, tag, comm, request);                                \
        if (unlikely(code_ != MPI_SUCCESS))                                                                  \
            *(request) = MPI_REQUEST_NULL;                                                                   \
        for (int tests_ = 0; likely(code_ == MPI_SUCCESS) && !*(complete) && tests_ < TESTS_AT_ONCE;         \
             tests_++) {                                                                                     \
            code_ = MPI_Test(request, complete, status);                                                     \
            if (unlikely(state.oversubscribed))                                                              \
                break;                                                                                       \
        }                                                                                                    \
        leave_mpi(locked_);                                                                                  \
        code_;                                                                                               \
    })

/* `*found`, and the status of the first message that matches. Needs the turn in MPI. */
static inline int iprobe(int source, int tag, MPI_Comm comm, int *found, MPI_Status *status) {
    return MPI_Iprobe(source, tag, comm, found, status);
}

static inline int checked_iprobe(int source, int tag, MPI_Comm comm, int *found, MPI_Status *status,
                                 const Call *call) {
    return check_code(IN_TURN(iprobe(source, tag, comm, found, status)), call);
}

/* MPI_Test of all requests. Needs the turn in MPI, not the GIL. */
int test_several(MPI_Request *requests, int count, MPI_Status *statuses, int *complete);
static inline int test_any_number(MPI_Request *requests, int count, MPI_Status *statuses, int *complete) {
    if (likely(count == 1))
        return MPI_Test(requests, complete, statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses);
    return test_several(requests, count, statuses, complete);
}

static inline int locked_test(MPI_Request *requests, int count, MPI_Status *statuses, int *complete) {
    return IN_TURN(test_any_number(requests, count, statuses, complete));
}

/* Test all requests once: DONE, PENDING or FAILED. */
static inline enum step test_requests(MPI_Request *requests, int count, MPI_Status *statuses,
                                      const Call *call) {
    int complete = 0;
    int code = locked_test(requests, count, statuses, &complete);
    return unlikely(code != MPI_SUCCESS) ? raise_mpi(code, call) : complete;
}

/* About how many bytes these are; for Call.large. */
static inline int64_t about_bytes(int count, MPI_Datatype type) {
    int size = 1;
    if (unlikely(type != MPI_BYTE))
        (void)IN_TURN(MPI_Type_size(type, &size));
    return (int64_t)count * size;
}

static inline int locked_cancel(MPI_Request *request) { return IN_TURN(MPI_Cancel(request)); }

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

/* The following need the turn in MPI. */

/* Cancel a receive, and wait until it is cancelled or complete, as the status says; false: there is none, or
 * MPI has failed. */
bool cancel_receive(MPI_Request *request, MPI_Status *status);

/* Let go of a request: MPI completes a send, and cancels a receive, at some time. MPI's code. */
int drop_request(MPI_Request *request, bool receives);

/* Begin a send of bytes that nobody waits for: they must not change any more. MPI's code. */
int send_unwatched(const void *data, int nbytes, int dest, int tag, MPI_Comm comm);

/* Receive the next message with a tag, of at most `nbytes`, if one has been `found`. MPI's code. In
 * MPICH 5.0, a receive from any source was seen to wait forever for messages from another host that a probe
 * finds. */
int receive_found(void *data, int nbytes, int tag, MPI_Comm comm, int *found, MPI_Status *status);

/* The group of the ranks that messages on a communicator are to; of an intercommunicator, the remote one.
 * MPI's code. */
int peers_of(MPI_Comm comm, MPI_Group *peers);

/* The rank in another group, MPI_UNDEFINED where it has none. */
int translate_rank(MPI_Comm comm, int rank, MPI_Group group);
