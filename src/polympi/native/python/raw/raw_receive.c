#include "python/raw/raw_receive.h"

#include <stdlib.h>

#include "base/errors.h"
#include "base/list.h"
#include "transport/calls.h"

struct RawReceive {
    RawReceive *next, *previous;
    Raw *raw;
    PyObject *into; /* the user's */
    Call call;
    MPI_Request request;
    MPI_Status status;
    int code; /* MPI's code of the test */
    RawBuffer buffer;
};

static RawReceive *receives; /* all that are open */

RawReceive *raw_receive_start(Raw *raw, PyObject *into, const Call *call) {
    RawReceive *receive = malloc(sizeof *receive);
    if (!receive)
        return PyErr_NoMemory(), NULL;
    if (raw_buffer_open(&receive->buffer, into, TO_RECEIVE, false, call) < 0) {
        free(receive);
        return NULL;
    }
    receive->call = *call;
    receive->code = MPI_SUCCESS;
    const RawBuffer *buffer = &receive->buffer;
    if (checked_irecv(buffer->data, buffer->count, buffer->type, mpi_source(call->peer), mpi_tag(call->tag),
                      raw->comm, &receive->request, call) < 0) {
        raw_buffer_close(&receive->buffer);
        free(receive);
        return NULL;
    }
    receive->call.large = about_bytes(buffer->count, buffer->type);
    receive->raw = (Raw *)Py_NewRef((PyObject *)raw);
    receive->into = Py_NewRef(into);
    CHAIN_PUSH(receives, receive);
    return receive;
}

static void close_receive(RawReceive *receive) {
    CHAIN_REMOVE(receives, receive);
    raw_buffer_close(&receive->buffer);
    Py_DECREF(receive->into);
    Py_DECREF((PyObject *)receive->raw);
    free(receive);
}

const Call *raw_receive_call(const RawReceive *receive) { return &receive->call; }

int raw_receive_test(RawReceive *receive) {
    if (receive->request == MPI_REQUEST_NULL)
        return 1;
    int complete = 0;
    int code = locked_test(&receive->request, 1, &receive->status, &complete);
    if (code == MPI_SUCCESS)
        return complete;
    receive->code = code;
    receive->request = MPI_REQUEST_NULL;
    return 1;
}

static int poll_receive(void *receive) { return raw_receive_test(receive); }

int raw_receive_wait(RawReceive *receive, double timeout) {
    if (raw_receive_test(receive))
        return 0;
    return wait_poll(poll_receive, receive, &receive->call, timeout) < 0 ? -1 : 0;
}

PyObject *raw_receive_deliver(RawReceive *receive, Status *status) {
    PyObject *into = NULL;
    if (receive->code != MPI_SUCCESS)
        raw_buffer_raise(receive->code, &receive->buffer, &receive->call);
    else {
        int wrong = raw_buffer_status(&receive->status, receive->buffer.itemsize, status, &receive->call);
        if (raw_buffer_unpack(&receive->buffer, status->nbytes) == 0 && !wrong)
            into = Py_NewRef(receive->into);
    }
    PyObject *error = into ? NULL : take_exception();
    close_receive(receive);
    restore_exception(error);
    return into;
}

int take_back(MPI_Request *request, MPI_Status *status) {
    int cancelled = 0, complete = 0;
    PyObject *error = take_exception();
    int code = locked_cancel(request);
    while (code == MPI_SUCCESS && !complete && !state.gone) { /* data in flight arrive */
        code = locked_test(request, 1, status, &complete);
        if (!complete)
            yield_gil();
    }
    if (code == MPI_SUCCESS)
        MPI_Test_cancelled(status, &cancelled);
    status->MPI_ERROR = code;
    restore_exception(error);
    return cancelled;
}

int raw_receive_cancel(RawReceive *receive) {
    if (receive->request == MPI_REQUEST_NULL)
        return 0;
    if (!take_back(&receive->request, &receive->status)) {
        receive->code = receive->status.MPI_ERROR;
        receive->request = MPI_REQUEST_NULL;
        return 0;
    }
    close_receive(receive);
    return 1;
}

void raw_receive_leave(RawReceive *receive) {
    PyObject *error = take_exception();
    if (!raw_receive_cancel(receive))
        close_receive(receive);
    restore_exception(error);
}

int raw_receives_report(PyObject *sentences) {
    for (const RawReceive *receive = receives; receive; receive = receive->next)
        if (report_call(sentences, &receive->call,
                        receive->request == MPI_REQUEST_NULL ? "was not waited for" : "got no message") < 0)
            return -1;
    return 0;
}

void raw_receives_withdraw(void) {
    for (RawReceive *receive = receives; receive; receive = receive->next)
        cancel_receive(&receive->request, MPI_STATUS_IGNORE);
}
