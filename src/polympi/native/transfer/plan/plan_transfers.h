/* The transfers of a plan: channels that are started and finished together. */
#pragma once

#include "transfer/plan/channel.h"

/* The channels of a plan, which outlive it while they are started. */
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
        ONE_WAY    /* all has arrived; sends may be in flight */
    } stage;
    Py_ssize_t placed; /* BOTH_WAYS: those of the first of them that receive are complete and unpacked */
    bool waits;        /* a thread waits for the requests of the stage */
    bool dropped;      /* nobody will finish it */
} PlanTransfers;

/* Without any channel yet; NULL with MemoryError. */
PlanTransfers *plan_transfers_new(Communicator *comm);
/* Add an open channel, which must not overlap with another one; on failure it stays the caller's. */
int plan_transfers_add(PlanTransfers *transfers, Channel *channel);
/* Whether the memory of another part of the plan, which receives unless its call sends, is apart from theirs:
 * 0, or -1 with MismatchError. */
int plan_transfers_check(const PlanTransfers *transfers, const Target *memory, const Call *call);
/* Nobody will use them any longer; what is in flight completes. May run Python code. */
void plan_transfers_drop(PlanTransfers *transfers);

/* Agree with the partners on new channels. MismatchError: some don't fit their partner's; those are removed.
 */
int plan_transfers_agree(PlanTransfers *transfers, double timeout);
/* Start all, after the agreement. They count as started after an exception, too. */
int plan_transfers_start(PlanTransfers *transfers);
/* Wait for all; after an exception they are still started, and a later call continues. */
int plan_transfers_finish(PlanTransfers *transfers, double timeout);
/* Whether all is complete. */
enum step plan_transfers_test(PlanTransfers *transfers);
/* Seconds that a call may take; 0: forever. */
double seconds_of(double timeout);

/* Make progress on those that were dropped, and free them where all has arrived. */
void plan_transfers_free_dropped(void);
/* Whether some on the communicator are started. */
bool plan_transfers_under_way(const Communicator *comm);
/* At the end: nobody will wait for what is sent, which is reported if it is never received. */
void plan_transfers_let_go(void);
/* Append one sentence for each that was started and never finished to a Python list. */
int plan_transfers_report(PyObject *sentences);
/* Cancel their receives, just before MPI_Finalize; without Python. */
void plan_transfers_withdraw(void);
