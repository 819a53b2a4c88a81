/* The plan: sends and receives that are agreed on once, and made again and again. */
#ifndef POLYMPI_PLAN_H
#define POLYMPI_PLAN_H

#include "transfer/parts.h"

extern PyTypeObject Plan_Type;

/* Communicator.plan. */
extern PyMethodDef plan_methods[];

int plan_prepare(void);

#endif
