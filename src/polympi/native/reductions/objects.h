/* Reductions of objects, which Python combines: polympi.reductions has the steps, of which each sends an
 * object to one rank and receives one from another. */
#pragma once

#include "collectives/phase_op.h"
#include "reductions/op.h"
#include "transfer/transfer.h"

typedef struct {
    Collective *collective;
    PyObject *steps;        /* a generator */
    PyObject *error_report; /* makes of an exception what is sent, or received, instead of an object */
    PyObject *result;       /* NULL: not over */
    bool under_way;         /* an exchange is, with: */
    bool sending;
    Outgoing out;
    Incoming *in; /* NULL: none */
} ObjectReduction;

/* Begin; `value` is this rank's contribution. 0, or -1 with an exception; to be closed in either case. */
int objects_open(ObjectReduction *objects, Collective *collective, PyObject *value, Op *op, int root);
/* The following steps without waiting. */
extern const PhaseKind objects_phase;
/* All steps, waiting: the result, a new reference, or NULL. */
PyObject *objects_run(ObjectReduction *objects);
/* After the phase: the result, a new reference. */
PyObject *objects_result(ObjectReduction *objects);
/* What is in flight is left to MPI. */
void objects_close(ObjectReduction *objects);
