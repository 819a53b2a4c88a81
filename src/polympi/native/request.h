/* The request: a send or receive that is under way. */
#ifndef POLYMPI_REQUEST_H
#define POLYMPI_REQUEST_H

#include "transfer.h"

typedef struct Request {
    PyObject_HEAD enum { COMPLETE, SENDING, RECEIVING } kind;
    bool busy; /* a thread waits for the send, perhaps without the GIL */
    Outgoing out;
    struct Request *next, *previous; /* of those that are SENDING */
    Incoming *in;
    PyObject *value; /* once complete */
    Status status;
} Request;

extern PyTypeObject Request_Type;

/* A new request that is complete and has the value None. */
Request *request_new(Communicator *comm);

/* Its message `out` has been started. */
void request_sends(Request *request);

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
