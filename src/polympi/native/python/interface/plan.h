/* The class of plans, whose methods are in several files. */
#pragma once

#include "python/interface/plan_collectives.h"
#include "python/methods.h"

typedef struct {
    PyObject_HEAD vectorcallfunc call;
    PlanTransfers *transfers;     /* NULL: freed */
    PlanCollectives *collectives; /* NULL: none */
    bool ready; /* to start the transfers, which is all there is to do: they are agreed on */
    bool busy;  /* a thread uses it, perhaps without the GIL, or in Python code, when other threads run */
} Plan;

/* Whether parts may be added: 0, or -1 with StateError. */
int plan_check_growing(const Plan *plan);

extern PyMethodDef plan_collective_methods[];
int plan_collectives_prepare(void);

#define PART_STATE_ERROR "    StateError: the plan is started, or was freed.\n"
