/* The parts of a plan: channels that are started and finished together. */
#ifndef POLYMPI_TRANSFER_PLAN_PLAN_TRANSFERS_H
#define POLYMPI_TRANSFER_PLAN_PLAN_TRANSFERS_H

#include "transfer/plan/channel.h"

/* What a plan is made of, and what MPI works on while it is started: it stays when the plan is dropped. */
typedef struct PlanTransfers {
    struct PlanTransfers *next; /* of those that are started */
    Communicator *comm;         /* held */
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
} PlanTransfers;

/* Of a communicator, none yet; NULL with MemoryError. */
PlanTransfers *plan_transfers_new(Communicator *comm);
/* Add a channel that was opened and may not overlap with another one; it stays the caller's where it fails.
 */
int plan_transfers_add(PlanTransfers *transfers, Channel *channel);
/* Nobody will use them any more; what is under way goes on. May run Python code. */
void plan_transfers_drop(PlanTransfers *transfers);

/* Agree with the partners on channels that are new, unless they are. -1 with MismatchError: one does not fit
 * its partner's; those are taken out. */
int plan_transfers_agree(PlanTransfers *transfers, double timeout);
/* Begin all, which were agreed on. After an exception, too, they are started. */
int plan_transfers_start(PlanTransfers *transfers);
/* Wait for all; after an exception they are started still, and a later call goes on. */
int plan_transfers_finish(PlanTransfers *transfers, double timeout);
/* Whether all is complete. */
enum step plan_transfers_test(PlanTransfers *transfers);
/* Seconds that a call may take; 0: for ever. */
double seconds_of(double timeout);

/* Move on those that were dropped, and free them where all has arrived. */
void plan_transfers_free_dropped(void);
/* Whether some on the communicator are started. */
bool plan_transfers_under_way(const Communicator *comm);
/* At the end: nobody will wait for what is sent, which is then told of if it is never received. */
void plan_transfers_let_go(void);
/* Those that were started and never finished, one sentence each, appended to a Python list. */
int plan_transfers_report(PyObject *sentences);
/* Take back what they receive, just before MPI_Finalize; without Python. */
void plan_transfers_withdraw(void);

#endif
