/* Looking for a message without receiving it. */
#pragma once

#include "transfer/transfer.h"

/* Whether a message has arrived that the call matches, which the next such receive gets. Of the status,
 * source and tag count. */
enum step probe_now(Communicator *comm, const Call *call, MPI_Status *status);
/* Wait for one. 0, or -1 with an exception. */
int probe_wait(Communicator *comm, const Call *call, double timeout, MPI_Status *status);
