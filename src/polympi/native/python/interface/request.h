/* The request: a send or receive that is under way. */
#ifndef POLYMPI_PYTHON_INTERFACE_REQUEST_H
#define POLYMPI_PYTHON_INTERFACE_REQUEST_H

#include "transfer/send/sending.h"

typedef struct Request {
    PyObject_HEAD enum { COMPLETE, SENDING, RECEIVING, RECEIVING_PLAINLY } kind;
    bool busy;   /* a thread works on it, perhaps without the GIL, or in Python code, where others run */
    bool posted; /* it is among those that mpi4py_progress.c counts */
    union {
        Sending *send;
        Incoming *in;
        struct RawReceive *raw;
    };
    PyObject *value; /* once complete; NULL when it has failed */
    Status status;
} Request;

extern PyTypeObject Request_Type;

/* A new request that is complete and has the value None. */
Request *request_new(void);

/* Set the value, which is stolen. */
void request_set_value(Request *request, PyObject *value);

/* Its message has been started. */
void request_sends(Request *request, Sending *send);
/* How many requests such messages belong to, as far as is known complete. */
Py_ssize_t sends_of_requests(void);
/* Move such messages on, and say whether any on this communicator is not complete. */
bool requests_send_on(const Communicator *comm);

/* At the end: nobody will wait for sends any more, which are then told of if they are never received. */
void abandon_sends(void);

/* polympi.wait_all, wait_any, test_all. */
extern PyMethodDef request_functions[];

/* polympi.Status, a named tuple. */
int status_prepare(void);
extern PyTypeObject *Status_Type;
PyObject *status_object(const Status *status);

/* The value, or (value, status) where `wanted` asks for it; steals the value, NULL stays NULL. */
PyObject *with_status(PyObject *value, const Status *status, PyObject *wanted);

int request_prepare(void);

#endif
