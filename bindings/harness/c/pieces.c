#define _DEFAULT_SOURCE
#include "pieces.h"
#include "catalogue.h"

int piece_origin(const struct polympi_case *c, const struct polympi_buffers *buffers, int i) {
    const int before = (buffers->rank + buffers->ranks - 1) % buffers->ranks;
    const int after = (buffers->rank + 1) % buffers->ranks;
    switch (benchmark_facts[c->benchmark].origin) {
    case FROM_PEER:
        return 1 - buffers->rank;
    case FROM_ROOT:
        return 0;
    case FROM_NEIGHBORS:
        return i == 0 ? before : after;
    default:
        return i;
    }
}

int piece_slot(const struct polympi_case *c, const struct polympi_buffers *buffers, int i) {
    const struct benchmark_facts *facts = &benchmark_facts[c->benchmark];
    if (facts->origin == FROM_PEER)
        return i;
    if (!facts->apiece)
        return 0;
    return facts->origin == FROM_NEIGHBORS ? 1 - i
                                           : buffers->rank; /* what went to one side, from the other */
}

/* Elements of the message that a rank sends in a slot. In an uneven collective of N ranks the messages whose
   origin and slot add up to k, modulo N, have (2 k + 1) / N times as many as the case says, so that those of
   all k have as many on average. */
static int64_t piece_count(const struct polympi_case *c, int ranks, int origin, int slot) {
    const int64_t count = polympi_payload_count(c);
    return benchmark_facts[c->benchmark].uneven ? count * (2 * ((origin + slot) % ranks) + 1) / ranks : count;
}

int64_t polympi_outgoing_count(const struct polympi_case *c, const struct polympi_buffers *buffers,
                               int32_t i) {
    return piece_count(c, buffers->ranks, buffers->rank, i);
}

int64_t polympi_incoming_count(const struct polympi_case *c, const struct polympi_buffers *buffers,
                               int32_t i) {
    return piece_count(c, buffers->ranks, piece_origin(c, buffers, i), piece_slot(c, buffers, i));
}

static struct polympi_case of_count(const struct polympi_case *c, int64_t count) {
    struct polympi_case piece = *c;
    if (benchmark_facts[c->benchmark].uneven)
        piece.bytes = count * payload_facts[c->payload].element_bytes;
    return piece;
}

struct polympi_case outgoing_piece(const struct polympi_case *c, const struct polympi_buffers *buffers,
                                   int i) {
    return of_count(c, polympi_outgoing_count(c, buffers, i));
}

struct polympi_case incoming_piece(const struct polympi_case *c, const struct polympi_buffers *buffers,
                                   int i) {
    return of_count(c, polympi_incoming_count(c, buffers, i));
}

int64_t outgoing_place(const struct polympi_case *c, const struct polympi_buffers *buffers, int i) {
    int64_t place = 0;
    if (!benchmark_facts[c->benchmark].uneven)
        return i * buffers->stride;
    while (i-- > 0)
        place += outgoing_piece(c, buffers, i).bytes;
    return place;
}

int64_t incoming_place(const struct polympi_case *c, const struct polympi_buffers *buffers, int i) {
    int64_t place = 0;
    if (!benchmark_facts[c->benchmark].uneven)
        return i * buffers->stride;
    while (i-- > 0)
        place += incoming_piece(c, buffers, i).bytes;
    return place;
}
