/* The partner of a raw message. */
#ifndef POLYMPI_PYTHON_RAW_RAW_PEER_H
#define POLYMPI_PYTHON_RAW_RAW_PEER_H

#include "base/arguments.h"
#include "python/raw/raw.h"

/* Peer and tag, from the arguments into the call. */
static inline int raw_peer(Raw *self, PyObject *peer, const char *role, PyObject *tag, bool receives,
                           Call *call) {
    call->rank = self->rank;
    call->sends = !receives;
    call->peer = receives ? ANY_SOURCE : PROC_NULL;
    call->tag = receives ? ANY_TAG : 0;
    if ((peer && unlikely(parse_int(peer, &call->peer, call->operation, role) < 0)) ||
        (tag && unlikely(parse_int(tag, &call->tag, call->operation, "tag") < 0)) ||
        unlikely(!is_raw_usable(self)))
        return -1;
    if (unlikely(check_rank(call->peer, self->size, receives ? SOURCE : DESTINATION, call) < 0))
        return -1;
    return check_tag(receives, call);
}

/* Of a receive from PROC_NULL. */
static const Status null_status = {.source = PROC_NULL, .tag = ANY_TAG, .elements = 0, .nbytes = 0};

#endif
