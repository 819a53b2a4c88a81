/* The parts of a plan: channels that are started and finished together. */
#ifndef POLYMPI_PARTS_H
#define POLYMPI_PARTS_H

#include "transfer/channel.h"

/* What a plan is made of, and what MPI works on while it is started: it stays when the plan is dropped. */
typedef struct Parts {
    struct Parts *next; /* of those that are started */
    Communicator *comm; /* held */
    Channel **channels;
    Py_ssize_t count, capacity;
    Py_ssize_t agreed;     /* the first of them were agreed on, and have requests */
    MPI_Request *requests; /* of all that receive, then of all that send */
    int receiving, sending;
    enum {
        RESTING,
        BOTH_WAYS, /* started */
        ONE_WAY    /* all has arrived; what is sent may be under way */
    } stage;
    Py_ssize_t placed; /* BOTH_WAYS: those of the first of them that receive are complete and unpacked */
    bool waits;        /* a thread waits for the requests of the stage */
    bool dropped;      /* nobody will finish it */
} Parts;

/* Of a communicator, none yet; NULL with MemoryError. */
Parts *parts_new(Communicator *comm);
/* Add a channel that was opened and may not overlap with another one; it stays the caller's where it fails.
 */
int parts_add(Parts *parts, Channel *channel);
/* Nobody will use them any more; what is under way goes on. May run Python code. */
void parts_drop(Parts *parts);

/* Agree with the partners on channels that are new, unless they are. -1 with MismatchError: one does not fit
 * its partner's; those are taken out. */
int parts_agree(Parts *parts, double timeout);
/* Begin all, which were agreed on. After an exception, too, they are started. */
int parts_start(Parts *parts);
/* Wait for all; after an exception they are started still, and a later call goes on. */
int parts_finish(Parts *parts, double timeout);
/* 1 complete, 0 not yet, -1 exception. */
int parts_test(Parts *parts);
/* Seconds that a call may take; 0: for ever. */
double seconds_of(double timeout);

/* Move on those that were dropped, and free them where all has arrived. */
void parts_free_dropped(void);
/* Whether some on the communicator are started. */
bool parts_under_way(const Communicator *comm);
/* At the end: nobody will wait for what is sent, which is then told of if it is never received. */
void parts_let_go(void);
/* Those that were started and never finished, one sentence each, appended to a Python list. */
int parts_report(PyObject *sentences);
/* Take back what they receive, just before MPI_Finalize; without Python. */
void parts_withdraw(void);

#endif
