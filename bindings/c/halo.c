#define _DEFAULT_SOURCE
#include "delay.h"
#include "exchange.h"

#include <string.h>

/* MPICH before 4.1 declares the statuses as an array, for which GCC takes MPI_STATUSES_IGNORE, an address
   that only MPI reads anything into, to be one of size 0. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif

enum { OUTGOING, INCOMING, FACES = POLYMPI_HALO_FACES };

/* Face 2 a + s lies at the lower (s = 0) or the upper side (s = 1) of axis a: the first or the last inner
 * layer. */
static int layer_sent(int face, int edge) { return face % 2 ? edge - 2 : 1; }

/* Where the other rank's face goes: into the ghost layer of the opposite side. */
static int layer_received(int face, int edge) { return face % 2 ? 0 : edge - 1; }

static MPI_Datatype layer_type(int edge, int axis, int layer) {
    const int cube[3] = {edge, edge, edge};
    int part[3] = {edge - 2, edge - 2, edge - 2}, beginning[3] = {1, 1, 1};
    MPI_Datatype type;
    part[axis] = 1;
    beginning[axis] = layer;
    MPI_Type_create_subarray(3, cube, part, beginning, MPI_ORDER_C, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    return type;
}

void halo_begin(struct exchange *x) {
    const int edge = (int)x->edge;
    for (int face = 0; face < FACES; face++) {
        x->faces[OUTGOING][face] = layer_type(edge, face / 2, layer_sent(face, edge));
        x->faces[INCOMING][face] = layer_type(edge, face / 2, layer_received(face, edge));
    }
}

void halo_end(struct exchange *x) {
    for (int face = 0; face < FACES; face++) {
        MPI_Type_free(&x->faces[OUTGOING][face]);
        MPI_Type_free(&x->faces[INCOMING][face]);
    }
}

INLINED void halo_typed(const struct exchange *x) {
    for (int face = 0; face < FACES; face++)
        MPI_Irecv(x->incoming, 1, x->faces[INCOMING][face], x->peer, POLYMPI_PAYLOAD_TAG + face,
                  MPI_COMM_WORLD, &x->requests[face]);
    for (int face = 0; face < FACES; face++) {
        planted_delay();
        MPI_Isend(x->outgoing, 1, x->faces[OUTGOING][face], x->peer, POLYMPI_PAYLOAD_TAG + face,
                  MPI_COMM_WORLD, &x->requests[FACES + face]);
    }
    x->waitall(2 * FACES, x->requests, MPI_STATUSES_IGNORE);
}

/* By hand: a layer is n rows of n elements, or, across the last axis, single elements. */

/* The first row of a layer, and elements from one row to the next. */
INLINED double *first_row(const struct exchange *x, int axis, size_t layer) {
    const size_t edge = x->edge;
    return (double *)x->outgoing + (axis == 0 ? (layer * edge + 1) * edge + 1 : (edge + layer) * edge + 1);
}
INLINED size_t row_distance(const struct exchange *x, int axis) {
    return axis == 0 ? x->edge : x->edge * x->edge;
}

/* The first of n elements of a layer across the last axis, `edge` elements apart, in a plane of the cube. */
INLINED double *first_element(const struct exchange *x, size_t plane, size_t layer) {
    return (double *)x->outgoing + (plane * x->edge + 1) * x->edge + layer;
}

INLINED void pack_layer(const struct exchange *x, int axis, size_t layer, double *packed) {
    const size_t n = x->edge - 2;
    if (axis < 2) {
        const double *row = first_row(x, axis, layer);
        for (size_t i = 0; i < n; i++, row += row_distance(x, axis), packed += n)
            memcpy(packed, row, n * sizeof *packed);
        return;
    }
    for (size_t i = 1; i <= n; i++) {
        const double *element = first_element(x, i, layer);
        for (size_t j = 0; j < n; j++, element += x->edge)
            *packed++ = *element;
    }
}

INLINED void unpack_layer(const struct exchange *x, int axis, size_t layer, const double *packed) {
    const size_t n = x->edge - 2;
    if (axis < 2) {
        double *row = first_row(x, axis, layer);
        for (size_t i = 0; i < n; i++, row += row_distance(x, axis), packed += n)
            memcpy(row, packed, n * sizeof *packed);
        return;
    }
    for (size_t i = 1; i <= n; i++) {
        double *element = first_element(x, i, layer);
        for (size_t j = 0; j < n; j++, element += x->edge)
            *element = *packed++;
    }
}

/* A face is sent as soon as it is packed, and unpacked while the next may still be on its way. */
INLINED void halo_packed(const struct exchange *x) {
    const int edge = (int)x->edge;
    const size_t elements = (x->edge - 2) * (x->edge - 2);
    for (int face = 0; face < FACES; face++)
        MPI_Irecv(x->packed[INCOMING] + (size_t)face * elements, (int)elements, MPI_DOUBLE, x->peer,
                  POLYMPI_PAYLOAD_TAG + face, MPI_COMM_WORLD, &x->requests[face]);
    for (int face = 0; face < FACES; face++) {
        double *packed = x->packed[OUTGOING] + (size_t)face * elements;
        pack_layer(x, face / 2, (size_t)layer_sent(face, edge), packed);
        planted_delay();
        MPI_Isend(packed, (int)elements, MPI_DOUBLE, x->peer, POLYMPI_PAYLOAD_TAG + face, MPI_COMM_WORLD,
                  &x->requests[FACES + face]);
    }
    for (int face = 0; face < FACES; face++) {
        x->wait(&x->requests[face], MPI_STATUS_IGNORE);
        unpack_layer(x, face / 2, (size_t)layer_received(face, edge),
                     x->packed[INCOMING] + (size_t)face * elements);
    }
    x->waitall(FACES, x->requests + FACES, MPI_STATUSES_IGNORE);
}

DEFINE_LOOPS(halo_typed);
DEFINE_LOOPS(halo_packed);

const struct loops *halo_loops(void) { return &halo_typed_loops; }

const struct loops *halo_packing_loops(void) { return &halo_packed_loops; }
