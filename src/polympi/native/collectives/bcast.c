/* bcast (MPI 5.0, section 6.4): small data, and the beginning of large data, which large_bcast.h continues.
 */
#include <string.h>

#include "collectives/collectives.h"
#include "collectives/large_bcast.h"

typedef struct {
    Collective collective;
    int root;
    bool is_root, goes_on;
    char *message;     /* a packet */
    Stream stream;     /* root */
    LargeBcast *large; /* NULL: the message has everything */
    const Target *into;
} Bcast;

/* The root's message. */
static void write_message(Bcast *bcast, PyObject *value) {
    Stream *stream = &bcast->stream;
    stream_open(stream, bcast->message + sizeof(Head), BCAST_ROOM);
    bool failed = codec_encode(stream, value) < 0;
    if (likely(!failed && !stream->part_count && !stream->heap))
        bcast_head(bcast->message, BCAST_STREAM, (Py_ssize_t)sizeof(Head) + stream->used, bcast->root);
    else if (failed || !(bcast->large = large_bcast_offer(&bcast->collective, stream, bcast->message)))
        bcast_error_report(&bcast->collective, bcast->message);
}

/* After all have the message, and know that more follows. */
static PyObject *run_large(Bcast *bcast) {
    LargeBcast *large = bcast->is_root ? bcast->large : large_bcast_await(bcast->message, bcast->into);
    if (!large)
        return NULL;
    bcast->goes_on = true;
    bcast->large = NULL;
    return large_bcast_run(large, &bcast->collective);
}

static PyObject *run_bcast(Bcast *bcast, PyObject *value) {
    bcast->message = collective_memory(&bcast->collective, PACKET_BYTES);
    if (!bcast->message)
        return NULL;
    if (bcast->is_root)
        write_message(bcast, value);
    if (spread(&bcast->collective, bcast->message, PACKET_BYTES, bcast->root) < 0)
        return NULL;
    Head head;
    memcpy(&head, bcast->message, sizeof head);
    if (unlikely(!bcast_is_small((enum bcast_kind)head.kind))) {
        PyObject *result = run_large(bcast);
        if (!result || !bcast->is_root)
            return result;
        Py_DECREF(result);
    }
    return bcast->is_root ? bcast_given(&bcast->collective, value, bcast->into)
                          : bcast_received(&bcast->collective, bcast->message, bcast->into);
}

Signature bcast_signature = {"bcast", 2, 0, 4, {"obj", "root", "into", "timeout"}, {NULL}};
enum { OBJ, ROOT_RANK, INTO, TIMEOUT };

PyObject *communicator_bcast(Communicator *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    Bcast bcast;
    if (signature_parse(&bcast_signature, args, nargs, kwnames, values) < 0 ||
        parse_root(self, values[ROOT_RANK], "bcast", &bcast.root) < 0 ||
        collective_open(&bcast.collective, self, BCAST, bcast.root, values[TIMEOUT]) < 0)
        return NULL;
    bcast.is_root = self->rank == bcast.root;
    bcast.goes_on = false;
    bcast.message = NULL;
    bcast.large = NULL;
    bool given = values[OBJ] && values[OBJ] != Py_None, into = values[INTO] && values[INTO] != Py_None;
    PyObject *value = given ? values[OBJ] : into ? values[INTO] : Py_None;
    Target target;
    bcast.into = collective_target(&bcast.collective, &target, values[INTO]);
    bool opened = bcast.into;
    PyObject *result = run_bcast(&bcast, value);
    if (bcast.is_root && bcast.message)
        stream_close(&bcast.stream);
    if (unlikely(bcast.large != NULL))
        large_bcast_drop(bcast.large);
    if (opened && (bcast.is_root || !bcast.goes_on)) /* otherwise `large` has it */
        target_close(&target);
    if (!bcast.goes_on && collective_close(&bcast.collective) < 0)
        Py_CLEAR(result);
    return result;
}
