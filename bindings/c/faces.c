#define _DEFAULT_SOURCE
#include "delay.h"
#include "exchange.h"

#include <string.h>

enum { OUTGOING, INCOMING };

void faces_begin(const struct polympi_case *c, struct exchange *x) {
    const int edge = (int)x->edge;
    const int cube[3] = {edge, edge, edge}, beginning[3] = {0, 0, 0};
    int face[3] = {edge, edge, edge};
    face[c->face] = 1;
    if (c->face == POLYMPI_CONTIGUOUS)
        return; /* its doubles need no other description */
    x->count = 1;
    MPI_Type_create_subarray(3, cube, face, beginning, MPI_ORDER_C, MPI_DOUBLE, &x->type);
    MPI_Type_commit(&x->type);
}

void faces_end(const struct polympi_case *c, struct exchange *x) {
    if (c->face != POLYMPI_CONTIGUOUS)
        MPI_Type_free(&x->type);
}

/* Rows lie edge^2 elements apart. */

INLINED void pack_rows(const double *face, size_t edge, double *packed) {
    for (size_t i = 0; i < edge; i++, face += edge * edge, packed += edge)
        memcpy(packed, face, edge * sizeof *packed);
}

INLINED void unpack_rows(const double *packed, size_t edge, double *face) {
    for (size_t i = 0; i < edge; i++, face += edge * edge, packed += edge)
        memcpy(face, packed, edge * sizeof *packed);
}

/* Elements lie `edge` elements apart. */

INLINED void pack_elements(const double *face, size_t edge, double *packed) {
    for (size_t i = 0; i < edge * edge; i++, face += edge)
        packed[i] = *face;
}

INLINED void unpack_elements(const double *packed, size_t edge, double *face) {
    for (size_t i = 0; i < edge * edge; i++, face += edge)
        *face = packed[i];
}

INLINED void send_packed(const struct exchange *x) {
    planted_delay();
    x->send(x->packed[OUTGOING], (int)(x->edge * x->edge), MPI_DOUBLE, x->peer, POLYMPI_PAYLOAD_TAG,
            MPI_COMM_WORLD);
}

INLINED void receive_packed(const struct exchange *x) {
    x->receive(x->packed[INCOMING], (int)(x->edge * x->edge), MPI_DOUBLE, x->peer, POLYMPI_PAYLOAD_TAG,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

INLINED void ping_rows(const struct exchange *x) {
    pack_rows((const double *)x->outgoing, x->edge, x->packed[OUTGOING]);
    send_packed(x);
    receive_packed(x);
    unpack_rows(x->packed[INCOMING], x->edge, (double *)x->incoming);
}

INLINED void pong_rows(const struct exchange *x) {
    receive_packed(x);
    unpack_rows(x->packed[INCOMING], x->edge, (double *)x->incoming);
    pack_rows((const double *)x->outgoing, x->edge, x->packed[OUTGOING]);
    send_packed(x);
}

INLINED void ping_elements(const struct exchange *x) {
    pack_elements((const double *)x->outgoing, x->edge, x->packed[OUTGOING]);
    send_packed(x);
    receive_packed(x);
    unpack_elements(x->packed[INCOMING], x->edge, (double *)x->incoming);
}

INLINED void pong_elements(const struct exchange *x) {
    receive_packed(x);
    unpack_elements(x->packed[INCOMING], x->edge, (double *)x->incoming);
    pack_elements((const double *)x->outgoing, x->edge, x->packed[OUTGOING]);
    send_packed(x);
}

DEFINE_LOOPS(ping_rows);
DEFINE_LOOPS(pong_rows);
DEFINE_LOOPS(ping_elements);
DEFINE_LOOPS(pong_elements);

const struct loops *packing_loops(const struct polympi_case *c, int rank) {
    static const struct loops *const rows[2] = {&ping_rows_loops, &pong_rows_loops};
    static const struct loops *const elements[2] = {&ping_elements_loops, &pong_elements_loops};
    return c->face == POLYMPI_ROWS ? rows[rank] : elements[rank];
}
