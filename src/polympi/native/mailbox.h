/* Small messages between ranks of one machine, through memory they share, for the rounds of collectives.
 *
 * A library's message costs its matching and its queues, which rounds do not need: each pair of ranks
 * exchanges messages in an order both know. What the library does faster than its messages (MPICH reduces in
 * shared memory) is so no slower here. Where ranks are on several machines, or memory cannot be shared, there
 * are no mailboxes.
 */
#ifndef POLYMPI_MAILBOX_H
#define POLYMPI_MAILBOX_H

#include "core.h"

/* The mailboxes of a communicator, one for each ordered pair of ranks. */
typedef struct Mailboxes Mailboxes;

/* Set up mailboxes of a communicator, on all its ranks together: `*mailboxes` is NULL where there are none.
 * An MPI error code. */
int mailboxes_open(MPI_Comm comm, Mailboxes **mailboxes);
void mailboxes_close(Mailboxes *mailboxes);

/* The longest message. */
enum { MAIL_BYTES = 4096 - 16 };

/* Put a message of a collective call (its number) into the box for `dest`: true; false when the box is full.
 */
bool mail_post(Mailboxes *mailboxes, uint32_t collective, const void *message, Py_ssize_t nbytes, int dest);

/* The message of this collective call from `source`: its bytes, and `*message` to be read until mail_taken;
 * -1 when it has not come. Messages of calls before this one, which failed, are dropped. */
Py_ssize_t mail_look(Mailboxes *mailboxes, uint32_t collective, int source, const char **message);
void mail_taken(Mailboxes *mailboxes, int source);

#endif
