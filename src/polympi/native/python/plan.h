/* The plan: sends and receives that are agreed on once, and made again and again. */
#ifndef POLYMPI_PLAN_H
#define POLYMPI_PLAN_H

#include "transfer/channel.h"

extern PyTypeObject Plan_Type;

/* Communicator.plan. */
extern PyMethodDef plan_methods[];

/* Whether a plan on the communicator, or one that was dropped, is under way. */
bool plan_under_way(const Communicator *comm);

/* At the end: nobody will wait for what plans send, which is then told of if it is never received. */
void plans_let_go(void);
/* Plans that were started and never finished, one sentence each, appended to a Python list. */
int plans_report(PyObject *sentences);
/* Take back what plans receive, just before MPI_Finalize; without Python. */
void plans_withdraw(void);

int plan_prepare(void);

#endif
