/* The collectives of a plan: nonblocking calls on the same memory, begun together at each start. */
#pragma once

#include "reductions/reductions.h"
#include "transfer/plan/plan_transfers.h"

typedef struct {
    Call call; /* plan.bcast and the like */
    enum verb verb;
    int root;
    Op *op;               /* of a reduction; strong. NULL: none */
    PyObject *counts;     /* how to cut what this rank gives, a tuple; strong. NULL: evenly */
    Target given, into;   /* what this rank gives and gets; without an object: nothing */
    AsyncCollective *run; /* started and not finished; NULL: none */
} PlanCollective;

typedef struct {
    PlanCollective **parts;
    Py_ssize_t count, capacity;
    Py_ssize_t agreed;          /* all ranks have the first of them */
    AsyncCollective *agreement; /* in which the ranks compare the others; NULL: not begun */
    PyObject *error;            /* of the first that has failed since the start */
} PlanCollectives;

/* NULL with MemoryError. */
PlanCollectives *plan_collectives_new(void);
/* Add a part, which is taken over; on failure it stays the caller's. */
int plan_collectives_add(PlanCollectives *collectives, PlanCollective *part);
void plan_collective_free(PlanCollective *part);
/* Whether the memory of another part of the plan, which receives unless its call sends, is apart from theirs:
 * 0, or -1 with MismatchError. */
int plan_collectives_check(const PlanCollectives *collectives, const Target *memory, const Call *call);
/* Nobody will use them any longer; calls in flight continue. May run Python code. */
void plan_collectives_drop(PlanCollectives *collectives);
/* For the garbage collector: what they refer to while none is in flight. */
int plan_collectives_traverse(const PlanCollectives *collectives, visitproc visit, void *arg);

/* How long a call may take: seconds, and until when, as `now()`. 0: forever. */
typedef struct {
    double limit, end;
} TimeLimit;
static inline TimeLimit time_limit(double timeout) {
    double limit = seconds_of(timeout);
    return (TimeLimit){limit, limit > 0 ? now() + limit : 0};
}
/* The time left of it, as a time-out of a part of the call. */
static inline double time_left(TimeLimit time) {
    double left = time.limit > 0 ? time.end - now() : 0;
    return left > 0 || time.limit <= 0 ? left : 1e-9; /* what is complete is still delivered */
}

/* Compare the new ones with those of all other ranks. MismatchError: they differ, on all ranks, and are
 * removed. */
int plan_collectives_agree(PlanCollectives *collectives, Communicator *comm, TimeLimit time);
/* Begin all, after the agreement; errors are raised at the end. */
void plan_collectives_start(PlanCollectives *collectives, Communicator *comm);
/* Wait for all. -1: the wait has failed, and a later call continues it. */
int plan_collectives_finish(PlanCollectives *collectives, TimeLimit time);
/* After it: 0, or -1 with the exception of the first that has failed. */
int plan_collectives_end(PlanCollectives *collectives);
/* Whether all are complete; makes progress. */
bool plan_collectives_test(const PlanCollectives *collectives);
