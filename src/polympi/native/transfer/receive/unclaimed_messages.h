/* Messages of receives that were given up: kept for the next receive or probe that matches them.
 *
 * MPI cannot undo a match. A time-out, an exception or the end of a request may end a receive that has its
 * message already. The message then stays here, as an Incoming without memory of the user. A receive that
 * matches takes it before MPI is called: the first receive that is waiting already, or the next that begins.
 * Such a receive is in the stage TAKING.
 *
 * Kept messages have the order in which their receives began. For messages of one source and tag, this is the
 * order in which they were sent.
 */
#ifndef POLYMPI_TRANSFER_RECEIVE_UNCLAIMED_MESSAGES_H
#define POLYMPI_TRANSFER_RECEIVE_UNCLAIMED_MESSAGES_H

#include "transfer/receive/incoming.h"

/* Keep the message of a receive of the user that is given up, and that could not be taken back. Takes it
 * over. */
void unclaimed_add(Incoming *in);
/* Give a receive that is not posted for MPI (one that seeks may be) the first message that it fits, if any:
 * whether there was one. */
bool unclaimed_take(Incoming *in);
/* The same for one that is posted, if nothing has come for it. */
bool unclaimed_take_instead(Incoming *in);
/* What is kept for such a call, NULL: nothing. */
const MPI_Status *unclaimed_for(const Communicator *comm, const Call *call);

/* A receive whose kept message is complete takes over what that holds. */
void unclaimed_adopt(Incoming *in);
/* A kept message has made progress: leave the memory of the user, as soon as nothing is written there. */
void unclaimed_settle(Incoming *in);

/* Append a sentence for each to a Python list. */
int unclaimed_report(PyObject *sentences);

#endif
