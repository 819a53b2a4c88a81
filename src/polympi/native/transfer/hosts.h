/* The names of the hosts of ranks, for error messages: a user who reads that a rank doesn't answer has to
 * know where to look. */
#pragma once

#include "transport/transport.h"

/* Collective: exchange the names of the hosts, so that errors name them (errors.h) if there are several. For
 * jobs on several machines. MPI's code. */
int hosts_learn(MPI_Comm world);
