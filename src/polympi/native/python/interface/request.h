/* The request: a pending send, receive or collective. */
#pragma once

#include "transfer/progress/ended.h"
#include "transfer/send/sending.h"

typedef struct Request {
    PyObject_HEAD enum {
        COMPLETE,
        SENDING,
        RECEIVING,
        RECEIVING_PLAINLY,
        IN_COLLECTIVE,
        ACCESSING,
        IN_EXCHANGE
    } kind;
    bool busy;   /* a thread uses it, perhaps without the GIL, or in Python code, when other threads run */
    bool posted; /* counted by mpi4py/progress.c */
    union {
        Sending *send;
        Incoming *in;
        struct RawReceive *raw;
        struct AsyncCollective *collective;
        PyObject *exchange; /* an Exchange of polympi.exchange, which has further requests */
        struct Access *access;
    };
    PyObject *value; /* when complete; NULL if it has failed */
    Status status;
    Watch *watch; /* while it is awaited for long, else NULL */
} Request;

extern PyTypeObject Request_Type;

/* A new request, complete with the value None. */
Request *request_new(void);

/* Set the value, which is stolen. */
void request_set_value(Request *request, PyObject *value);

/* Wait until complete: 0 or -1. After a time-out the request is unchanged. The caller holds a reference. */
int request_finish(Request *request, double timeout);
/* Test it, and take its result: 1 complete, 0 not yet, -1 exception. The caller holds a reference. */
int request_look(Request *request);
/* Whether request_finish would return at once, and no other thread waits for it; takes nothing. The same. */
int request_ready(Request *request);

/* The call that began it, while it is pending; NULL of an exchange. */
const Call *request_call(const Request *request);

/* Its send has been started. */
void request_sends(Request *request, Sending *send);
/* Its access to a window has begun. */
void request_accesses(Request *request, struct Access *access);
/* A new request for a collective that has begun; NULL with an exception, also where that is NULL. */
PyObject *request_of_collective(struct AsyncCollective *collective);
/* How many requests have pending sends. */
Py_ssize_t sends_of_requests(void);
/* Make progress on these, and report whether any on this communicator is pending. */
bool requests_send_on(const Communicator *comm);

/* At the end: no call waits for sends any more; those that are never received are then reported. */
void abandon_sends(void);

/* Method of the module: a new request for an Exchange. */
PyObject *request_of_exchange(PyObject *module, PyObject *exchange);

/* polympi.wait_all, wait_any, test_all, progress, and what wait_some and as_completed consist of. */
extern PyMethodDef request_functions[];
int several_requests_prepare(void);

/* polympi.Status, a named tuple. */
int status_prepare(void);
extern PyTypeObject *Status_Type;
PyObject *status_object(const Status *status);

/* The value, or (value, status) if `wanted` is true; steals the value, NULL stays NULL. */
PyObject *with_status(PyObject *value, const Status *status, PyObject *wanted);

int request_prepare(void);
