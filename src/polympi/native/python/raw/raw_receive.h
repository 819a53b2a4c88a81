/* The receives of requests from Raw.irecv. */
#pragma once

#include "python/raw/raw.h"

typedef struct RawReceive RawReceive;

/* Post a receive into a user buffer. */
RawReceive *raw_receive_start(Raw *raw, PyObject *into, const Call *call);
const Call *raw_receive_call(const RawReceive *receive);
/* 1 complete, also if it has failed; 0 not yet. Does not close. */
int raw_receive_test(RawReceive *receive);
/* Wait: 0, or -1 with Timeout or what a signal handler raised, after which it goes on. Does not close. */
int raw_receive_wait(RawReceive *receive, double timeout);
/* The user's `into`, or NULL with an exception. Closes. */
PyObject *raw_receive_deliver(RawReceive *receive, Status *status);
/* Cancel it and close it: 1; 0 if a message has arrived (not closed). */
int raw_receive_cancel(RawReceive *receive);
/* Cancel it, after receiving a message in flight. Closes. Keeps the current exception. */
void raw_receive_leave(RawReceive *receive);

/* Cancel a posted request: 1; 0 if it is complete, with its `status`. Keeps the current exception. */
int take_back(MPI_Request *request, MPI_Status *status);

/* Append sentences on those that are still posted. */
int raw_receives_report(PyObject *sentences);
/* Cancel all, just before MPI_Finalize; without Python. */
void raw_receives_withdraw(void);
