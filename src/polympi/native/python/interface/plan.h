/* The plan: sends and receives that are agreed on once, and made again and again. */
#ifndef POLYMPI_PYTHON_INTERFACE_PLAN_H
#define POLYMPI_PYTHON_INTERFACE_PLAN_H

#include "transfer/plan/plan_transfers.h"

extern PyTypeObject Plan_Type;

/* Communicator.plan. */
extern PyMethodDef plan_methods[];

int plan_prepare(void);

#endif
