/* Receives of bare elements: what a request of Plain.irecv stands for. */
#ifndef POLYMPI_PYTHON_RAW_RAW_RECEIVE_H
#define POLYMPI_PYTHON_RAW_RAW_RECEIVE_H

#include "python/raw/raw.h"

typedef struct PlainReceive PlainReceive;

/* Post a receive into what the user gave. */
PlainReceive *plain_receive_start(Plain *plain, PyObject *into, const Call *call);
const Call *plain_receive_call(const PlainReceive *receive);
/* 1 complete, also where it has failed; 0 not yet. Does not close. */
int plain_receive_test(PlainReceive *receive);
/* Wait: 0, or -1 with Timeout or what a signal handler raised, after which it goes on. Does not close. */
int plain_receive_wait(PlainReceive *receive, double timeout);
/* What was given as `into`, or NULL with what went wrong. Closes. */
PyObject *plain_receive_deliver(PlainReceive *receive, Status *status);
/* Take it back and close it: 1; 0 where a message is there (not closed). */
int plain_receive_cancel(PlainReceive *receive);
/* Nobody will wait for it: take it back; what is arriving already arrives in its memory, which is kept so
 * long. Closes. An exception that is set stays. */
void plain_receive_leave(PlainReceive *receive);

/* Take back one request that a call has posted and will not wait for any more: 1; 0 where a message has come,
 * which is then complete, with its `status`. An exception that is set stays. */
int take_back(MPI_Request *request, MPI_Status *status);

/* Sentences on those that are still posted, appended to a Python list. */
int plain_receives_report(PyObject *sentences);
/* Take all back, just before MPI_Finalize; without Python. */
void plain_receives_withdraw(void);

#endif
