/* Inboxes: where messages come to. One that waits for its message is memory that
 * nobody has touched yet, and so none at all: there may be very many receives,
 * and a message of any size may come for each. */
#ifndef POLYMPI_TRANSFER_RECEIVE_INBOX_H
#define POLYMPI_TRANSFER_RECEIVE_INBOX_H

#include "transfer/simple_array.h"
#include "transfer/transfer.h"

/* What is known of a message once it comes. At rest, and until then, the
 * pointers to what it owns are NULL, and the packet begins with a zero, as fresh
 * memory does: lest a message without any bytes is taken for the one before. */
typedef struct {
    MPI_Status small;   /* of the small message */
    const char *stream; /* in the packet or in `body` */
    Py_ssize_t stream_bytes;
    struct announcement announced;
    char *body; /* on the heap, when it travelled apart */
    Arrived *parts;
    int part_count;
    PyObject *bytes;        /* a bytes object that part 0 goes straight into */
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

/* Memory for a target, which is large, and most receives have none; open, unless the object is NULL. NULL
 * with an exception. */
Target *target_new(PyObject *object, const Call *call);
/* Close it, and give it back. */
void target_give(Target *target);

#endif
