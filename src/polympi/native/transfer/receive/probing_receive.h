/* Receives that aren't posted but probe for their message.
 *
 * A receive may be given up: by a time-out, by Ctrl-C, by Request.cancel. MPI_Cancel reports whether a
 * message had arrived for it. But MPICH posts a receive from any source twice, for messages of this machine
 * and of other machines. It may report "cancelled" although it is already receiving a message of another
 * machine, which is then lost (MPICH 5.0). So if there are ranks on other machines, such a receive isn't
 * posted. It calls MPI_Iprobe until its message is there, and posts a receive for exactly this message.
 *
 * MPI's order is kept, in which a message goes to the first receive that it matches: a later receive that
 * could match the same message probes, too, and a receive that finds a message first asks the earlier ones.
 */
#pragma once

#include "transfer/receive/incoming.h"

/* Communicator.probing: the first; the second while there are messages to take before MPI is asked
 * (unclaimed_messages.h); PROBER for each receive that probes. */
enum { PROBES_WILDCARDS = 1, HAS_UNCLAIMED = 2, PROBER = 4 };

/* Whether receives from any source have to seek. */
bool probes_wildcards(const Communicator *comm);
/* Whether a receive on the user's channel of a communicator with `probing` has to. */
bool must_probe(const Incoming *in);
/* Begin, and end without a message. */
void probing_begin(Incoming *in);
void probing_end(Incoming *in);
/* DONE: its message was found, and a receive is posted for it. */
enum step probing_step(Incoming *in);
/* Wait for that, as wait_for does; RECALLED: it has taken a kept message. */
int probing_wait(Incoming *in, double timeout);
/* DONE: the message that is there belongs to a probing receive, which has it now. */
enum step prober_takes(Communicator *comm, int source, int tag);
