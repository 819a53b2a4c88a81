/* Messages, probes and requests. Who gives NULL for a status does not pay for one. */
#include "handles.h"

#include <stdlib.h>

typedef int send_call(const void *, int, MPI_Datatype, int, int, MPI_Comm);
typedef int start_call(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

/* By the enum SendMode of C#. */
static send_call *const sends[] = {MPI_Send, MPI_Ssend, MPI_Bsend, MPI_Rsend};
static start_call *const starts[] = {MPI_Isend, MPI_Issend, MPI_Ibsend, MPI_Irsend};
static start_call *const preparations[] = {MPI_Send_init, MPI_Ssend_init, MPI_Bsend_init, MPI_Rsend_init};

int32_t polympi_net_send(const void *message, int32_t count, intptr_t type, int32_t dest, int32_t tag,
                         intptr_t comm) {
    return MPI_Send(message, count, TYPE(type), dest, tag, COMM(comm));
}
int32_t polympi_net_send_as(int32_t mode, const void *message, int32_t count, intptr_t type, int32_t dest,
                            int32_t tag, intptr_t comm) {
    return sends[mode](message, count, TYPE(type), dest, tag, COMM(comm));
}
int32_t polympi_net_start_send(int32_t mode, const void *message, int32_t count, intptr_t type, int32_t dest,
                               int32_t tag, intptr_t comm, intptr_t *request) {
    MPI_Request started = MPI_REQUEST_NULL;
    const int code = starts[mode](message, count, TYPE(type), dest, tag, COMM(comm), &started);
    *request = HANDLE(started);
    return code;
}
int32_t polympi_net_prepare_send(int32_t mode, const void *message, int32_t count, intptr_t type,
                                 int32_t dest, int32_t tag, intptr_t comm, intptr_t *request) {
    MPI_Request prepared = MPI_REQUEST_NULL;
    const int code = preparations[mode](message, count, TYPE(type), dest, tag, COMM(comm), &prepared);
    *request = HANDLE(prepared);
    return code;
}

#define DEFINE_POST(name, CALL)                                                                              \
    int32_t polympi_net_##name(void *message, int32_t count, intptr_t type, int32_t source, int32_t tag,     \
                               intptr_t comm, intptr_t *request) {                                           \
        MPI_Request posted = MPI_REQUEST_NULL;                                                               \
        const int code = CALL(message, count, TYPE(type), source, tag, COMM(comm), &posted);                 \
        *request = HANDLE(posted);                                                                           \
        return code;                                                                                         \
    }
DEFINE_POST(irecv, MPI_Irecv)
DEFINE_POST(recv_init, MPI_Recv_init)

int32_t polympi_net_recv(void *message, int32_t count, intptr_t type, int32_t source, int32_t tag,
                         intptr_t comm, struct net_status *status) {
    MPI_Status received;
    const int code =
        MPI_Recv(message, count, TYPE(type), source, tag, COMM(comm), status ? &received : MPI_STATUS_IGNORE);
    if (status && code == MPI_SUCCESS)
        net_status_message(status, &received);
    return code;
}

int32_t polympi_net_sendrecv(const void *outgoing, int32_t outgoing_count, intptr_t outgoing_type,
                             int32_t dest, int32_t send_tag, void *incoming, int32_t incoming_count,
                             intptr_t incoming_type, int32_t source, int32_t receive_tag, intptr_t comm,
                             struct net_status *status) {
    MPI_Status received;
    const int code = MPI_Sendrecv(outgoing, outgoing_count, TYPE(outgoing_type), dest, send_tag, incoming,
                                  incoming_count, TYPE(incoming_type), source, receive_tag, COMM(comm),
                                  status ? &received : MPI_STATUS_IGNORE);
    if (status && code == MPI_SUCCESS)
        net_status_message(status, &received);
    return code;
}

int32_t polympi_net_probe(int32_t source, int32_t tag, intptr_t comm, struct net_status *status) {
    MPI_Status found;
    const int code = MPI_Probe(source, tag, COMM(comm), &found);
    if (code == MPI_SUCCESS)
        net_status_message(status, &found);
    return code;
}

int32_t polympi_net_iprobe(int32_t source, int32_t tag, intptr_t comm, int32_t *flag,
                           struct net_status *status) {
    MPI_Status found;
    const int code = MPI_Iprobe(source, tag, COMM(comm), flag, &found);
    if (code == MPI_SUCCESS && *flag)
        net_status_message(status, &found);
    return code;
}

/* A message taken out of the queue, so that no other thread can receive it: MPI_Message as a handle. */
int32_t polympi_net_mprobe(int32_t source, int32_t tag, intptr_t comm, intptr_t *message,
                           struct net_status *status) {
    MPI_Status found;
    MPI_Message taken = MPI_MESSAGE_NULL;
    const int code = MPI_Mprobe(source, tag, COMM(comm), &taken, &found);
    *message = HANDLE(taken);
    if (code == MPI_SUCCESS)
        net_status_message(status, &found);
    return code;
}

int32_t polympi_net_mrecv(void *message, int32_t count, intptr_t type, intptr_t *taken) {
    MPI_Message handle = (MPI_Message)*taken;
    const int code = MPI_Mrecv(message, count, TYPE(type), &handle, MPI_STATUS_IGNORE);
    *taken = HANDLE(handle);
    return code;
}

int32_t polympi_net_wait(intptr_t *request, struct net_status *status) {
    MPI_Request waited = REQUEST(*request);
    MPI_Status completed;
    const int code = MPI_Wait(&waited, status ? &completed : MPI_STATUS_IGNORE);
    *request = HANDLE(waited);
    if (status && code == MPI_SUCCESS)
        net_status_request(status, &completed);
    return code;
}

int32_t polympi_net_test(intptr_t *request, int32_t *flag, struct net_status *status) {
    MPI_Request tested = REQUEST(*request);
    MPI_Status completed;
    const int code = MPI_Test(&tested, flag, &completed);
    *request = HANDLE(tested);
    if (code == MPI_SUCCESS && *flag)
        net_status_request(status, &completed);
    return code;
}

/* Waits for all, also where one fails. Each status has the error of its request; returns the first. */
static int wait_for_all(int count, MPI_Request *waited, MPI_Status *completed, struct net_status *statuses) {
    const int code = MPI_Waitall(count, waited, completed);
    int first = MPI_SUCCESS;
    for (int i = 0; i < count; i++) {
        int error = code == MPI_ERR_IN_STATUS ? completed[i].MPI_ERROR : code;
        if (error == MPI_ERR_PENDING) /* another one failed meanwhile */
            error = MPI_Wait(&waited[i], &completed[i]);
        if (error == MPI_SUCCESS)
            net_status_request(&statuses[i], &completed[i]);
        else if (first == MPI_SUCCESS)
            first = error;
        statuses[i].error = error;
    }
    return first;
}

int32_t polympi_net_waitall(int32_t count, intptr_t *requests, struct net_status *statuses) {
    enum { FEW = 128 };
    MPI_Request few[FEW], *waited = count <= FEW ? few : malloc((size_t)count * sizeof *waited);
    MPI_Status few_statuses[FEW],
        *completed = count <= FEW ? few_statuses : malloc((size_t)count * sizeof *completed);
    int first = MPI_ERR_NO_MEM;
    if (waited && completed) {
        for (int i = 0; i < count; i++)
            waited[i] = REQUEST(requests[i]);
        first = wait_for_all(count, waited, completed, statuses);
        for (int i = 0; i < count; i++)
            requests[i] = HANDLE(waited[i]);
    }
    if (count > FEW) {
        free(waited);
        free(completed);
    }
    return first;
}

int32_t polympi_net_start(intptr_t *request) {
    MPI_Request started = REQUEST(*request);
    const int code = MPI_Start(&started);
    *request = HANDLE(started);
    return code;
}

int32_t polympi_net_cancel(intptr_t request) {
    MPI_Request cancelled = REQUEST(request);
    return MPI_Cancel(&cancelled);
}

int32_t polympi_net_request_free(intptr_t *request) {
    MPI_Request freed = REQUEST(*request);
    const int code = MPI_Request_free(&freed);
    *request = HANDLE(freed);
    return code;
}

int32_t polympi_net_buffer_attach(void *buffer, int32_t bytes) { return MPI_Buffer_attach(buffer, bytes); }
int32_t polympi_net_buffer_detach(void **buffer, int32_t *bytes) { return MPI_Buffer_detach(buffer, bytes); }
