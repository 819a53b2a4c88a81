/* A bcast of large data, and one that is begun: all of its state, moved on phase by phase. */
#ifndef POLYMPI_LARGE_BCAST_H
#define POLYMPI_LARGE_BCAST_H

#include "codec/delivery.h"
#include "collectives/async_collective.h"

typedef struct LargeBcast LargeBcast;

/* What there is room for in a message behind its head. */
enum { BCAST_ROOM = PACKET_BYTES - sizeof(Head) };

/* The root: write the message that announces what is in the stream, which is taken over in any case. NULL
 * with an exception. */
LargeBcast *large_bcast_offer(const Collective *collective, Stream *stream, char *message);
/* Elsewhere: what such a message announces, for an open target (NULL: none), which is taken over on success.
 */
LargeBcast *large_bcast_await(const char *message, const Target *into);
/* Go on with the call, once all have the message: its result, None at the root; NULL with an exception. */
PyObject *large_bcast_run(LargeBcast *large, Collective *collective);
/* The message has not reached all. */
void large_bcast_drop(LargeBcast *large);

/* Write the Head of the root's message. */
static inline void bcast_head(char *message, enum bcast_kind kind, Py_ssize_t nbytes, int root) {
    const Head head = {.verb = BCAST, .kind = kind, .nbytes = (uint32_t)nbytes, .root = root};
    memcpy(message, &head, sizeof head);
}
/* Write the deferred exception in the place of what could not be sent. */
void bcast_error_report(Collective *collective, char *message);

static inline bool bcast_is_small(enum bcast_kind kind) {
    return kind == BCAST_STREAM || kind == BCAST_NOTHING;
}
/* What a rank that is not root returns of a small message. */
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
/* What the root returns. */
static inline PyObject *bcast_given(const Collective *collective, PyObject *value, const Target *into) {
    return into && into->object != value ? deliver_own(value, into, &collective->call) : Py_NewRef(value);
}

#endif
