/* How two ranks agree on a channel: its sender offers elements with a tag for them, and the receiver answers.
 *
 * Offers and answers (wire.h) travel on the shadow communicator with a tag of their own. An offer belongs to
 * the first receiving channel for its source and its user's tag that has none yet; until there is one, it is
 * kept in a list of the communicator.
 */
#ifndef POLYMPI_TRANSFER_PLAN_CHANNEL_HANDSHAKE_H
#define POLYMPI_TRANSFER_PLAN_CHANNEL_HANDSHAKE_H

#include "transfer/plan/channel.h"

/* Choose a tag for a channel that sends, and offer it. */
int handshake_offer(Channel *channel);
/* Take in the offers and answers that have come to a communicator. */
int handshake_take(Communicator *comm);
/* Look for an offer for a channel that receives, compare and answer: then it is AGREED or UNFIT. */
int handshake_answer(Channel *channel);
/* A channel that sends is given back: take back what it has offered. */
void handshake_forget(Channel *channel);
/* The communicator is given back. */
void handshakes_close(Communicator *comm);

#endif
