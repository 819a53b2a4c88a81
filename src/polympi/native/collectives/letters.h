/* Messages of collectives through shared memory. */
#pragma once

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

/* ---- a round; inline, since it costs little more than a call would ---- */

/* A letter from a rank that should only receive one is of another call. 0, or -1 with MismatchError. */
static inline int check_receiver(const Collective *collective, int dest) {
    const char *letter;
    Py_ssize_t nbytes = mail_look(collective->comm->mailboxes, collective->number, dest, &letter);
    return likely(nbytes <= 0) || examine(collective, letter, nbytes, dest) > 0 ? 0 : -1;
}

/* Post the message of a round: 1, 0 if there is no room for it yet, -1 with an exception. What is longer than
 * a letter is sent by the library, after an empty letter; so is everything that has no box, without a letter.
 */
static inline int give_letter(Rounds *rounds) {
    const Collective *collective = rounds->collective;
    Mailboxes *mailboxes = collective->comm->mailboxes;
    if (rounds->dest == NOBODY)
        return 1;
    if (rounds->source == NOBODY && unlikely(check_receiver(collective, rounds->dest) < 0))
        return -1;
    bool apart = rounds->nbytes > mail_room(mailboxes);
    int posted =
        mail_post(mailboxes, collective->number, rounds->message, apart ? 0 : rounds->nbytes, rounds->dest);
    if (unlikely(posted == 0))
        return 0;
    if (unlikely(apart || posted == NO_BOX))
        return round_send_along(rounds, rounds->message, rounds->nbytes, rounds->dest) < 0 ? -1 : 1;
    return 1;
}

/* Begin to receive it by the library: 1 or -1. */
static inline int take_message(Rounds *rounds) {
    if (start_receive(rounds->collective, rounds->room, rounds->most, rounds->source, &rounds->requests[0]) <
        0)
        return -1;
    rounds->receiving = 1;
    return 1;
}

/* Take the letter of a round: 1, 0 if it hasn't arrived, -1 with an exception. If it is empty, or there is no
 * box, a receive is begun. */
static inline int take_letter(Rounds *rounds) {
    Collective *collective = rounds->collective;
    Mailboxes *mailboxes = collective->comm->mailboxes;
    const int source = rounds->source;
    const char *letter;
    Py_ssize_t nbytes;
    while (unlikely((nbytes = mail_look(mailboxes, collective->number, source, &letter)) < 0)) {
        if (unlikely(nbytes == NO_BOX))
            return take_message(rounds);
        if (likely(nbytes != EARLIER_MAIL))
            return 0;
        if (calls_differ(collective->comm, source, mail_number(mailboxes, source)))
            return raise_difference(collective, source, mail_number(mailboxes, source));
        mail_drop(mailboxes, source);
    }
    rounds->come = mail_take(mailboxes, source, rounds->room, rounds->most);
    if (likely(rounds->come > 0))
        return likely(examine(collective, rounds->room, rounds->come, source) > 0) ? 1 : -1;
    return take_message(rounds);
}
