#include "python/raw/raw_receive.h"

#include <stdlib.h>

#include "base/errors.h"

struct PlainReceive {
    PlainReceive *next, *previous;
    Plain *plain;
    PyObject *into; /* what was given */
    Call call;
    MPI_Request request;
    MPI_Status status;
    int code; /* what MPI said of it */
    RawBuffer raw;
};

static PlainReceive *receives; /* all that are open */

PlainReceive *plain_receive_start(Plain *plain, PyObject *into, const Call *call) {
    PlainReceive *receive = malloc(sizeof *receive);
    if (!receive) {
        PyErr_NoMemory();
        return NULL;
    }
    if (raw_buffer_open(&receive->raw, into, TO_RECEIVE, false, call) < 0) {
        free(receive);
        return NULL;
    }
    receive->call = *call;
    receive->code = MPI_SUCCESS;
    const RawBuffer *raw = &receive->raw;
    bool locked = enter_mpi();
    int code = MPI_Irecv(raw->data, raw->count, raw->type, mpi_source(call->peer), mpi_tag(call->tag),
                         plain->comm, &receive->request);
    leave_mpi(locked);
    if (code != MPI_SUCCESS) {
        raw_buffer_close(&receive->raw);
        free(receive);
        raise_mpi(code, call);
        return NULL;
    }
    receive->plain = (Plain *)Py_NewRef((PyObject *)plain);
    receive->into = Py_NewRef(into);
    receive->next = receives;
    receive->previous = NULL;
    if (receives)
        receives->previous = receive;
    receives = receive;
    return receive;
}

static void unlist(PlainReceive *receive) {
    *(receive->previous ? &receive->previous->next : &receives) = receive->next;
    if (receive->next)
        receive->next->previous = receive->previous;
}

static void close_receive(PlainReceive *receive) {
    unlist(receive);
    raw_buffer_close(&receive->raw);
    Py_DECREF(receive->into);
    Py_DECREF((PyObject *)receive->plain);
    free(receive);
}

const Call *plain_receive_call(const PlainReceive *receive) { return &receive->call; }

int plain_receive_test(PlainReceive *receive) {
    if (receive->request == MPI_REQUEST_NULL)
        return 1;
    int complete = 0;
    bool locked = enter_mpi();
    int code = MPI_Test(&receive->request, &complete, &receive->status);
    leave_mpi(locked);
    if (code == MPI_SUCCESS)
        return complete;
    receive->code = code;
    receive->request = MPI_REQUEST_NULL;
    return 1;
}

static int poll_receive(void *receive) { return plain_receive_test(receive); }

int plain_receive_wait(PlainReceive *receive, double timeout) {
    if (plain_receive_test(receive))
        return 0;
    return wait_poll(poll_receive, receive, &receive->call, timeout) < 0 ? -1 : 0;
}

PyObject *plain_receive_deliver(PlainReceive *receive, Status *status) {
    PyObject *into = NULL;
    if (receive->code != MPI_SUCCESS)
        raw_buffer_raise(receive->code, &receive->raw, &receive->call);
    else {
        int wrong = raw_buffer_status(&receive->status, receive->raw.itemsize, status, &receive->call);
        raw_buffer_unpack(&receive->raw, status->nbytes);
        if (!wrong)
            into = Py_NewRef(receive->into);
    }
    PyObject *error = into ? NULL : take_exception();
    close_receive(receive);
    if (error)
        PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    Py_XDECREF(error);
    return into;
}

int take_back(MPI_Request *request, MPI_Status *status) {
    int cancelled = 0, complete = 0;
    PyObject *error = take_exception();
    bool locked = enter_mpi();
    int code = MPI_Cancel(request);
    leave_mpi(locked);
    while (code == MPI_SUCCESS && !complete && !state.gone) { /* data that are on their way arrive */
        locked = enter_mpi();
        code = MPI_Test(request, &complete, status);
        leave_mpi(locked);
        if (!complete)
            yield_gil();
    }
    if (code == MPI_SUCCESS)
        MPI_Test_cancelled(status, &cancelled);
    status->MPI_ERROR = code;
    if (error)
        PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    Py_XDECREF(error);
    return cancelled;
}

int plain_receive_cancel(PlainReceive *receive) {
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

void plain_receive_leave(PlainReceive *receive) {
    PyObject *error = take_exception();
    if (!plain_receive_cancel(receive))
        close_receive(receive);
    if (error)
        PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    Py_XDECREF(error);
}

int plain_receives_report(PyObject *sentences) {
    for (const PlainReceive *receive = receives; receive; receive = receive->next)
        if (report_call(sentences, &receive->call,
                        receive->request == MPI_REQUEST_NULL ? "was not waited for" : "got no message") < 0)
            return -1;
    return 0;
}

void plain_receives_withdraw(void) {
    for (PlainReceive *receive = receives; receive; receive = receive->next)
        if (receive->request != MPI_REQUEST_NULL && MPI_Cancel(&receive->request) == MPI_SUCCESS)
            MPI_Wait(&receive->request, MPI_STATUS_IGNORE);
}
