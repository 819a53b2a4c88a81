/* The request: a pending send, receive or collective. */
#pragma once

#include "transfer/send/sending.h"

typedef struct Request {
    PyObject_HEAD enum { COMPLETE, SENDING, RECEIVING, RECEIVING_PLAINLY, IN_COLLECTIVE } kind;
    bool busy;   /* a thread uses it, perhaps without the GIL, or in Python code, when other threads run */
    bool posted; /* counted by mpi4py/progress.c */
    union {
        Sending *send;
        Incoming *in;
        struct RawReceive *raw;
        struct AsyncCollective *collective;
    };
    PyObject *value; /* when complete; NULL if it has failed */
    Status status;
} Request;

extern PyTypeObject Request_Type;

/* A new request, complete with the value None. */
Request *request_new(void);

/* Set the value, which is stolen. */
void request_set_value(Request *request, PyObject *value);

/* Its send has been started. */
void request_sends(Request *request, Sending *send);
/* A new request for a collective that has begun; NULL with an exception, also where that is NULL. */
PyObject *request_of_collective(struct AsyncCollective *collective);
/* How many requests have pending sends. */
Py_ssize_t sends_of_requests(void);
/* Make progress on these, and report whether any on this communicator is pending. */
bool requests_send_on(const Communicator *comm);

/* At the end: no call waits for sends any more; those that are never received are then reported. */
void abandon_sends(void);

/* polympi.wait_all, wait_any, test_all. */
extern PyMethodDef request_functions[];

/* polympi.Status, a named tuple. */
int status_prepare(void);
extern PyTypeObject *Status_Type;
PyObject *status_object(const Status *status);

/* The value, or (value, status) if `wanted` is true; steals the value, NULL stays NULL. */
PyObject *with_status(PyObject *value, const Status *status, PyObject *wanted);

int request_prepare(void);
