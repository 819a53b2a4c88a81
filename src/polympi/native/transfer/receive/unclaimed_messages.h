/* Messages of receives that were given up, kept for the next receive or probe that matches them.
 *
 * MPI can't undo a match. A time-out, an exception or the end of a request may end a receive that already has
 * its message, which then stays here, as an Incoming without a user buffer. A matching receive takes it
 * before MPI is called: the first that is already waiting, or the next that begins. Such a receive is in the
 * stage TAKING.
 *
 * Kept messages are in the order in which MPI matched them, which for one source and tag is the order in
 * which they were sent. */
#pragma once

#include "transfer/receive/incoming.h"

/* Take over a receive of the user that is given up but couldn't be cancelled, and keep its message. */
void unclaimed_add(Incoming *in);
/* Give a receive that isn't posted the first message that matches it; whether there was one. */
bool unclaimed_take(Incoming *in);
/* Do so for a posted one without a message, which is cancelled. */
bool unclaimed_take_instead(Incoming *in);
/* The status of the message kept for such a call, or NULL. */
const MPI_Status *unclaimed_for(const Communicator *comm, const Call *call);

/* A receive takes over the contents of its kept message, which is complete. */
void unclaimed_adopt(Incoming *in);
/* A kept message has made progress: let go of the user buffer as soon as nothing is written there. */
void unclaimed_settle(Incoming *in);

/* Append a sentence for each to a Python list. */
int unclaimed_report(PyObject *sentences);
