/* Inboxes: memory for messages that arrive. While a receive waits, its inbox is untouched memory, which the
 * system doesn't provide yet: there may be very many receives, each for a message of any size. */
#pragma once

#include "transfer/simple_array.h"
#include "transfer/transfer.h"

/* A message that has arrived. At rest, and before it arrives, the pointers to what it owns are NULL, and the
 * packet begins with a zero, as fresh memory does, so that an empty message isn't taken for the one before.
 */
typedef struct {
    MPI_Status small;   /* of the small message */
    const char *stream; /* in the packet or in `body` */
    Py_ssize_t stream_bytes;
    struct announcement announced;
    char *body; /* on the heap, if it was sent apart */
    Arrived *parts;
    int part_count;
    PyObject *bytes;        /* the bytes object into which part 0 is received */
    uint64_t unposted;      /* pieces of what was announced that no receive is posted
                               for yet */
    MPI_Request several[4]; /* of what was announced, while they fit here */
    struct Incoming *kept;  /* the message of a receive that is TAKING */
    SimpleArray simple;     /* how the message begins that the array of the receive
                               lets expect */
    _Alignas(64) char packet[PACKET_BYTES];
} Inbox;

/* NULL without memory; no exception is set. */
Inbox *inbox_take(void);
void inbox_give(Inbox *inbox);

/* A target on the heap, since it is large and few receives have one; open, unless the object is NULL. NULL
 * with an exception. */
Target *target_new(PyObject *object, const Call *call);
/* Close it, and give it back. */
void target_give(Target *target);
