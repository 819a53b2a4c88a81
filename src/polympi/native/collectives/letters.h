/* Waiting for messages of collectives in shared memory. */
#ifndef POLYMPI_LETTERS_H
#define POLYMPI_LETTERS_H

#include "collectives/call_log.h"
#include "collectives/mailbox.h"
#include "collectives/rounds.h"

/* Wait until `has_arrived(context)`, which looks at shared memory. `*source` is a rank that has to write
 * there, or NOBODY. 0, or -1 with an exception. */
int wait_in_memory(Collective *collective, bool (*has_arrived)(void *context), void *context,
                   const int *source);
/* The same, but spin first. */
int wait_for_mail(Collective *collective, bool (*has_arrived)(void *context), void *context,
                  const int *source);
/* Raise Timeout: a rank has left the call; or MismatchError, if that is why. -1. */
int raise_left(const Collective *collective, int source);

#endif
