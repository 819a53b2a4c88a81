/* How two ranks agree on a channel: its sender offers elements and a tag, and the receiver answers.
 *
 * Offers and answers (wire.h) travel on the shadow communicator with their own tag. An offer belongs to
 * the first receiving channel for its source and its user's tag that has none yet; until there is one, it is
 * kept in a list of the communicator.
 */
#pragma once

#include "transfer/plan/channel.h"

/* Choose a tag for a sending channel, and offer it. */
int handshake_offer(Channel *channel);
/* Receive the offers and answers that have arrived on a communicator. */
int handshake_take(Communicator *comm);
/* Find an offer for a receiving channel, compare and answer: then the channel is AGREED or UNFIT. */
int handshake_answer(Channel *channel);
/* A sending channel is being freed: withdraw its offer. */
void handshake_forget(Channel *channel);
/* The communicator is being freed. */
void handshakes_close(Communicator *comm);
