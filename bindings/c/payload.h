/* What travels: the datatype of a payload, the values a sender puts in and a receiver expects. */
#ifndef POLYMPI_PAYLOAD_H
#define POLYMPI_PAYLOAD_H

#include "plan.h"

#include <mpi.h>

/* Makes the derived datatype of `dict`; payload_end frees it. */
void payload_begin(void);
void payload_end(void);

MPI_Datatype payload_datatype(enum payload payload);

/* Elements of the payload's datatype in one message. */
size_t payload_count(const struct plan_case *c);

/* Overwrites a receive buffer, so that a message that never came is seen. */
void payload_poison(void *message, size_t bytes);

/* Writes the message that rank `origin` sends in window slot (or to destination) `slot`. */
void payload_fill(void *message, const struct plan_case *c, int origin, int slot);

/* Checks such a message; writes a sentence to `complaint` when it is another. */
void payload_check(const void *message, const struct plan_case *c, int origin, int slot, char *complaint);

/* Checks the sum of the messages that all `ranks` ranks sent in slot 0. */
void payload_check_sum(const void *message, const struct plan_case *c, int ranks, char *complaint);

#endif
