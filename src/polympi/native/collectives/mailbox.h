/* Small messages between ranks of one machine, through shared memory, for the rounds of collectives.
 *
 * A message of the library needs matching and queues, which rounds don't: each pair of ranks exchanges
 * messages in an order that both know. So calls that the library makes without messages (MPICH reduces in
 * shared memory) are not slower here.
 *
 * All ranks of a communicator that are on one machine have mailboxes with each other, or none has. The box of
 * a pair is made when its sender first writes. If there is no memory for it, or the other rank is on another
 * machine, the library sends the message (NO_BOX); so a box is never required.
 */
#pragma once

#include "transport/transport.h"

/* The mailboxes of a communicator; and the boards (board.h). */
typedef struct Mailboxes Mailboxes;
typedef struct Board Board;

/* Up to this many ranks of an oversubscribed machine use no trees (tree_position.h), so each may send to
 * each, and have boards. */
enum { MOST_OVERSUBSCRIBED = 32 };

/* Set up mailboxes of a communicator; collective. `*mailboxes` is NULL if this rank has none; `*together`,
 * the same on all ranks: whether each reaches each. An MPI error code. */
int mailboxes_open(MPI_Comm comm, Mailboxes **mailboxes, bool *together);
/* This rank no longer uses them. Their memory is freed when no rank does. */
void mailboxes_close(Mailboxes *mailboxes);

/* Whether this rank has mailboxes with another one, or itself: the same at both, and constant. */
bool mail_reaches(const Mailboxes *mailboxes, int rank);

/* The longest message. */
Py_ssize_t mail_room(const Mailboxes *mailboxes);

/* Put a message of a collective call (its number) into the box for `dest`: 1; 0 if the box is full; NO_BOX,
 * from then on always: the library has to send it. */
int mail_post(Mailboxes *mailboxes, uint32_t collective, const void *message, Py_ssize_t nbytes, int dest);

/* The next message from `source` if it is of this collective call: its bytes, and `*message` for its head,
 * which may be read until it is taken or dropped. Otherwise one of these. */
enum {
    NO_MAIL = -1,
    EARLIER_MAIL = -2, /* of an earlier call, which failed here: drop it */
    LATER_MAIL = -3,   /* of a later call: its sender has left this one */
    NO_BOX = -4        /* the library will send it, and all that follow */
};
Py_ssize_t mail_look(Mailboxes *mailboxes, uint32_t collective, int source, const char **message);
/* The collective call of that message. */
uint32_t mail_number(const Mailboxes *mailboxes, int source);
/* Take at most `most` bytes of that message, and drop the rest: how many were taken. */
Py_ssize_t mail_take(Mailboxes *mailboxes, int source, void *memory, Py_ssize_t most);
void mail_drop(Mailboxes *mailboxes, int source);

/* Wake a rank that is reached, after something of a board was written for it. */
void mail_wake(const Mailboxes *mailboxes, int rank);

/* The log of a rank that is reached. */
struct CallLog *mail_log(const Mailboxes *mailboxes, int rank);

/* The board of a rank that is reached; NULL: none yet. */
Board *mail_board(const Mailboxes *mailboxes, int rank);
/* Make this rank's board, its first `zeros` bytes 0; NULL if there is no memory. */
Board *mail_make_board(Mailboxes *mailboxes, size_t nbytes, size_t zeros);
