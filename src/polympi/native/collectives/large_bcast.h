/* A bcast of large data, and a nonblocking bcast: all of its state, which continues phase by phase. */
#pragma once

#include "codec/delivery.h"
#include "collectives/async_collective.h"

typedef struct LargeBcast LargeBcast;

/* Room in a message after its head. */
enum { BCAST_ROOM = PACKET_BYTES - sizeof(Head) };

/* At the root: write the message that announces the stream, which is stolen. NULL with an exception. */
LargeBcast *large_bcast_offer(const Collective *collective, Stream *stream, char *message);
/* Elsewhere: receive what such a message announces into an open target (NULL: none), stolen on success. */
LargeBcast *large_bcast_await(const char *message, const Target *into);
/* Continue the call, after all have the message: its result, None at the root; NULL with an exception. */
PyObject *large_bcast_run(LargeBcast *large, Collective *collective);
/* Free it; the message has not reached all ranks. */
void large_bcast_drop(LargeBcast *large);

/* Write the Head of the root's message. */
static inline void bcast_head(char *message, enum bcast_kind kind, Py_ssize_t nbytes, int root) {
    const Head head = {.verb = BCAST, .kind = kind, .nbytes = (uint32_t)nbytes, .root = root};
    memcpy(message, &head, sizeof head);
}
/* Write a message that reports the deferred exception instead of the object. */
void bcast_error_report(Collective *collective, char *message);

static inline bool bcast_is_small(enum bcast_kind kind) {
    return kind == BCAST_STREAM || kind == BCAST_NOTHING;
}
/* The result of a small message at a rank other than the root. */
static inline PyObject *bcast_received(const Collective *collective, const char *message,
                                       const Target *into) {
    Head head;
    memcpy(&head, message, sizeof head);
    const char *content = message + sizeof head;
    Py_ssize_t nbytes = (Py_ssize_t)head.nbytes - (Py_ssize_t)sizeof head;
    if (head.kind == BCAST_NOTHING)
        return raise_failed(collective, collective->root, content, nbytes), NULL;
    return collective->error ? NULL : deliver(content, nbytes, NULL, 0, into, &collective->call);
}
/* The result at the root. */
static inline PyObject *bcast_given(const Collective *collective, PyObject *value, const Target *into) {
    return into && into->object != value ? deliver_own(value, into, &collective->call) : Py_NewRef(value);
}
