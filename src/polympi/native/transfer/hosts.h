/* The names of the hosts that ranks are on, for the sentences of errors: who reads that a rank does not
 * answer has to know where to look.
 */
#ifndef POLYMPI_HOSTS_H
#define POLYMPI_HOSTS_H

#include "transport/transport.h"

/* Have all ranks of the world learn where the others are: from then on errors name hosts (errors.h), if these
 * are several. To be called by all together, where they are on several machines. MPI's code. */
int hosts_learn(MPI_Comm world);

#endif
