#define _DEFAULT_SOURCE
#include "waiting.h"

#include <sched.h>

/* What the loop does between two tests. */
static void go_on(void) {}
static void yield(void) { sched_yield(); }
static void (*between_tests)(void) = go_on;

static int spin(MPI_Request *request, MPI_Status *status) {
    int done = 0, code = MPI_Test(request, &done, status);
    while (!done && code == MPI_SUCCESS) {
        between_tests();
        code = MPI_Test(request, &done, status);
    }
    return code;
}

/* One after the other: to test all of a window again and again would look at each request as often. */
static int spin_all(int count, MPI_Request requests[], MPI_Status statuses[]) {
    (void)statuses;
    for (int i = 0; i < count; i++) {
        const int code = spin(&requests[i], MPI_STATUS_IGNORE);
        if (code != MPI_SUCCESS)
            return code;
    }
    return MPI_SUCCESS;
}

#define DEFINE_SPINNING_SEND(name, start)                                                                    \
    static int name(const void *message, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {     \
        MPI_Request request;                                                                                 \
        start(message, count, type, to, tag, comm, &request);                                                \
        return spin(&request, MPI_STATUS_IGNORE);                                                            \
    }
DEFINE_SPINNING_SEND(spin_send, MPI_Isend)
DEFINE_SPINNING_SEND(spin_ssend, MPI_Issend)
DEFINE_SPINNING_SEND(spin_bsend, MPI_Ibsend)
DEFINE_SPINNING_SEND(spin_rsend, MPI_Irsend)

static int spin_receive(void *message, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                        MPI_Status *status) {
    MPI_Request request;
    MPI_Irecv(message, count, type, from, tag, comm, &request);
    return spin(&request, status);
}

static int spin_sendrecv(const void *outgoing, int outgoing_count, MPI_Datatype outgoing_type, int to,
                         int outgoing_tag, void *incoming, int incoming_count, MPI_Datatype incoming_type,
                         int from, int incoming_tag, MPI_Comm comm, MPI_Status *status) {
    MPI_Request receiving, sending;
    MPI_Irecv(incoming, incoming_count, incoming_type, from, incoming_tag, comm, &receiving);
    MPI_Isend(outgoing, outgoing_count, outgoing_type, to, outgoing_tag, comm, &sending);
    spin(&sending, MPI_STATUS_IGNORE);
    return spin(&receiving, status);
}

const struct waiting *waiting_by_library(void) {
    static const struct waiting waiting = {.sends = {MPI_Send, MPI_Ssend, MPI_Bsend, MPI_Rsend},
                                           .receive = MPI_Recv,
                                           .sendrecv = MPI_Sendrecv,
                                           .wait = MPI_Wait,
                                           .waitall = MPI_Waitall};
    return &waiting;
}

const struct waiting *waiting_by_spinning(void) {
    static const struct waiting waiting = {.sends = {spin_send, spin_ssend, spin_bsend, spin_rsend},
                                           .receive = spin_receive,
                                           .sendrecv = spin_sendrecv,
                                           .wait = spin,
                                           .waitall = spin_all};
    between_tests = common_start_oversubscribed() ? yield : go_on;
    return &waiting;
}
