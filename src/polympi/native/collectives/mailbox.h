/* Small messages between ranks of one machine, through memory they share, for the rounds of collectives.
 *
 * A message of the library costs matching and queues, which rounds do not need: each pair of ranks exchanges
 * messages in an order that both know. So calls that the library does without messages (MPICH reduces in
 * shared memory) are not slower here. If ranks are on several machines, or memory cannot be shared, there are
 * no mailboxes.
 */
#ifndef POLYMPI_MAILBOX_H
#define POLYMPI_MAILBOX_H

#include "transport/transport.h"

/* The mailboxes of a communicator, one for each ordered pair of ranks, and the boards (board.h), one for each
 * rank, if there are any. */
typedef struct Mailboxes Mailboxes;
typedef struct Board Board;

/* The most ranks that have them. */
enum { MOST_NEIGHBOURS = 32 };

/* Set up mailboxes of a communicator, on all its ranks together: `*mailboxes` is NULL where there are none.
 * An MPI error code. */
int mailboxes_open(MPI_Comm comm, Mailboxes **mailboxes);
void mailboxes_close(Mailboxes *mailboxes);

/* The longest message. */
Py_ssize_t mail_room(const Mailboxes *mailboxes);

/* Put a message of a collective call (its number) into the box for `dest`: true; false when the box is
 * full. */
bool mail_post(Mailboxes *mailboxes, uint32_t collective, const void *message, Py_ssize_t nbytes, int dest);

/* The next message from `source`: its bytes, and `*message` for its head, to be read until it is taken or
 * dropped, if it is of this collective call. Otherwise one of these. */
enum {
    NO_MAIL = -1,
    EARLIER_MAIL = -2, /* of a call before this one, which failed here: drop it */
    LATER_MAIL = -3    /* of a call after this one: its sender has left this one */
};
Py_ssize_t mail_look(const Mailboxes *mailboxes, uint32_t collective, int source, const char **message);
/* The collective call that a message is of that has come. */
uint32_t mail_number(const Mailboxes *mailboxes, int source);
/* Take that message, `most` bytes of it: how many there were of those. */
Py_ssize_t mail_take(Mailboxes *mailboxes, int source, void *memory, Py_ssize_t most);
void mail_drop(Mailboxes *mailboxes, int source);

/* The board of a rank; NULL where there are none. */
Board *mail_board(const Mailboxes *mailboxes, int rank);

/* The last calls of a rank; they are in the box that it would have for messages to itself. */
struct CallLog *mail_log(const Mailboxes *mailboxes, int rank);

#endif
