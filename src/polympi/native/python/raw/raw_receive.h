/* Receives of bare elements: what a request of Raw.irecv stands for. */
#ifndef POLYMPI_PYTHON_RAW_RAW_RECEIVE_H
#define POLYMPI_PYTHON_RAW_RAW_RECEIVE_H

#include "python/raw/raw.h"

typedef struct RawReceive RawReceive;

/* Post a receive into what the user gave. */
RawReceive *raw_receive_start(Raw *raw, PyObject *into, const Call *call);
const Call *raw_receive_call(const RawReceive *receive);
/* 1 complete, also where it has failed; 0 not yet. Does not close. */
int raw_receive_test(RawReceive *receive);
/* Wait: 0, or -1 with Timeout or what a signal handler raised, after which it goes on. Does not close. */
int raw_receive_wait(RawReceive *receive, double timeout);
/* What was given as `into`, or NULL with what went wrong. Closes. */
PyObject *raw_receive_deliver(RawReceive *receive, Status *status);
/* Take it back and close it: 1; 0 where a message is there (not closed). */
int raw_receive_cancel(RawReceive *receive);
/* Nobody will wait for it: take it back; what is arriving already arrives in its memory, which is kept so
 * long. Closes. An exception that is set stays. */
void raw_receive_leave(RawReceive *receive);

/* Take back one request that a call has posted and will not wait for any more: 1; 0 where a message has come,
 * which is then complete, with its `status`. An exception that is set stays. */
int take_back(MPI_Request *request, MPI_Status *status);

/* Sentences on those that are still posted, appended to a Python list. */
int raw_receives_report(PyObject *sentences);
/* Take all back, just before MPI_Finalize; without Python. */
void raw_receives_withdraw(void);

#endif
