#define _DEFAULT_SOURCE
#include "faces.h"
#include "delay.h"
#include "exchange.h"
#include "payload.h"
#include "ranks.h"

#include <stdio.h>
#include <string.h>

enum { OUTGOING, INCOMING };

size_t face_edge(size_t bytes) {
    for (size_t edge = 2; edge <= LARGEST_EDGE; edge++)
        if (edge * edge * sizeof(double) == bytes)
            return edge;
    return 0;
}

size_t face_distance(const struct plan_case *c, size_t edge) {
    const size_t strides[FACE_MODES] = {[CONTIGUOUS] = edge * edge, [ROWS] = edge, [ELEMENTS] = 1};
    return (edge - 1) * strides[c->face] * sizeof(double);
}

void faces_begin(const struct plan_case *c, struct exchange *x) {
    const int edge = (int)x->edge;
    const int cube[3] = {edge, edge, edge}, beginning[3] = {0, 0, 0};
    int face[3] = {edge, edge, edge};
    face[c->face] = 1;
    if (c->face == CONTIGUOUS)
        return; /* its doubles need no other description */
    x->count = 1;
    MPI_Type_create_subarray(3, cube, face, beginning, MPI_ORDER_C, MPI_DOUBLE, &x->type);
    MPI_Type_commit(&x->type);
}

void faces_end(const struct plan_case *c, struct exchange *x) {
    if (c->face != CONTIGUOUS)
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
    x->send(x->packed[OUTGOING], (int)(x->edge * x->edge), MPI_DOUBLE, x->peer, PAYLOAD_TAG, MPI_COMM_WORLD);
}

INLINED void receive_packed(const struct exchange *x) {
    x->receive(x->packed[INCOMING], (int)(x->edge * x->edge), MPI_DOUBLE, x->peer, PAYLOAD_TAG,
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

const struct loops *packing_loops(const struct plan_case *c, int rank) {
    static const struct loops *const rows[2] = {&ping_rows_loops, &pong_rows_loops};
    static const struct loops *const elements[2] = {&ping_elements_loops, &pong_elements_loops};
    return c->face == ROWS ? rows[rank] : elements[rank];
}

static void pack(const struct plan_case *c, const void *face, size_t edge, double *packed) {
    if (c->face == CONTIGUOUS)
        memcpy(packed, face, c->bytes);
    else if (c->face == ROWS)
        pack_rows(face, edge, packed);
    else
        pack_elements(face, edge, packed);
}

static void unpack(const struct plan_case *c, const double *packed, size_t edge, void *face) {
    if (c->face == CONTIGUOUS)
        memcpy(face, packed, c->bytes);
    else if (c->face == ROWS)
        unpack_rows(packed, edge, face);
    else
        unpack_elements(packed, edge, face);
}

void faces_fill(const struct plan_case *c, const struct exchange *x, int origin) {
    payload_poison(x->outgoing, c->bytes * x->edge);
    payload_fill(x->packed[OUTGOING], c, origin, 0);
    unpack(c, x->packed[OUTGOING], x->edge, x->outgoing);
}

/* With both faces overwritten as well, all of the cube holds one byte. */
static void check_beside(const struct plan_case *c, const struct exchange *x, char *complaint) {
    payload_poison(x->packed[OUTGOING], c->bytes);
    unpack(c, x->packed[OUTGOING], x->edge, x->outgoing);
    unpack(c, x->packed[OUTGOING], x->edge, x->incoming);
    const char *cube = x->outgoing, *poison = (const char *)x->packed[OUTGOING];
    if (cube[0] != poison[0] || memcmp(cube, cube + 1, c->bytes * x->edge - 1) != 0)
        snprintf(complaint, COMPLAINT_BYTES, "an element beside the face was written to");
}

void faces_check(const struct plan_case *c, const struct exchange *x, int origin, char *complaint) {
    pack(c, x->incoming, x->edge, x->packed[INCOMING]);
    payload_check(x->packed[INCOMING], c, origin, 0, complaint);
    if (!complaint[0])
        check_beside(c, x, complaint);
}
