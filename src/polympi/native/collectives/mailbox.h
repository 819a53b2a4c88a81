/* Small messages between ranks of one machine, through memory they share, for the rounds of collectives.
 *
 * A message of the library costs matching and queues, which rounds do not need: each pair of ranks exchanges
 * messages in an order that both know. So calls that the library does without messages (MPICH reduces in
 * shared memory) are not slower here.
 *
 * The ranks of a communicator that are on one machine have mailboxes with each other, all or none of them.
 * The box of a pair is made when its sender first writes. Where there is no memory for it, or the other rank
 * is on another machine, a message is for the library (NO_BOX); so a box never has to be there.
 */
#ifndef POLYMPI_MAILBOX_H
#define POLYMPI_MAILBOX_H

#include "transport/transport.h"

/* The mailboxes of a communicator; and the boards (board.h). */
typedef struct Mailboxes Mailboxes;
typedef struct Board Board;

/* Up to so many ranks that share processors do without trees (rounds.h), so that each may send to each, and
 * have boards. */
enum { MOST_IN_A_CROWD = 32 };

/* Set up mailboxes of a communicator, on all its ranks together: `*mailboxes` is NULL where this rank has
 * none; `*together`, alike on all ranks: whether each of them reaches each. An MPI error code. */
int mailboxes_open(MPI_Comm comm, Mailboxes **mailboxes, bool *together);
/* This rank uses them no more. Their memory is given back when no rank does. */
void mailboxes_close(Mailboxes *mailboxes);

/* Whether this rank and another one, or itself, have mailboxes with each other: alike at both, from the
 * beginning to the end. */
bool mail_reaches(const Mailboxes *mailboxes, int rank);

/* The longest message. */
Py_ssize_t mail_room(const Mailboxes *mailboxes);

/* Put a message of a collective call (its number) into the box for `dest`: 1; 0 when the box is full;
 * NO_BOX, now and ever after: the message is for the library. */
int mail_post(Mailboxes *mailboxes, uint32_t collective, const void *message, Py_ssize_t nbytes, int dest);

/* The next message from `source`: its bytes, and `*message` for its head, to be read until it is taken or
 * dropped, if it is of this collective call. Otherwise one of these. */
enum {
    NO_MAIL = -1,
    EARLIER_MAIL = -2, /* of a call before this one, which failed here: drop it */
    LATER_MAIL = -3,   /* of a call after this one: its sender has left this one */
    NO_BOX = -4        /* it will come by the library, as all that follow */
};
Py_ssize_t mail_look(Mailboxes *mailboxes, uint32_t collective, int source, const char **message);
/* The collective call that a message is of that has come. */
uint32_t mail_number(const Mailboxes *mailboxes, int source);
/* Take that message, `most` bytes of it: how many there were of those. */
Py_ssize_t mail_take(Mailboxes *mailboxes, int source, void *memory, Py_ssize_t most);
void mail_drop(Mailboxes *mailboxes, int source);

/* The last calls of a rank that is reached. */
struct CallLog *mail_log(const Mailboxes *mailboxes, int rank);

/* The board of a rank that is reached; NULL: it has none yet. */
Board *mail_board(const Mailboxes *mailboxes, int rank);
/* Make that of this rank, the first bytes of it 0; NULL where there is no memory for it. */
Board *mail_make_board(Mailboxes *mailboxes, size_t nbytes, size_t zeros);

#endif
