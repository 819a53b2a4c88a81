#define _DEFAULT_SOURCE
#include "cube.h"

#include <stdio.h>
#include <string.h>

enum { OUTGOING, INCOMING };

int64_t cube_edge(int64_t bytes) {
    for (int64_t edge = 2; edge <= POLYMPI_LARGEST_FACE_EDGE; edge++)
        if (edge * edge * (int64_t)sizeof(double) == bytes)
            return edge;
    return 0;
}

/* Elements from one place along the direction of a face to the next. */
static int64_t step(const struct polympi_case *c, int64_t edge) {
    const int64_t steps[POLYMPI_FACE_MODES] = {
        [POLYMPI_CONTIGUOUS] = edge * edge, [POLYMPI_ROWS] = edge, [POLYMPI_ELEMENTS] = 1};
    return steps[c->face];
}

int64_t cube_face_distance(const struct polympi_case *c, int64_t edge) {
    return (edge - 1) * step(c, edge) * (int64_t)sizeof(double);
}

/* Where element k of a face lies, counted in elements from its first. */
static int64_t place(const struct polympi_case *c, int64_t edge, int64_t k) {
    switch (c->face) {
    case POLYMPI_ROWS: /* rows lie edge^2 elements apart */
        return k / edge * edge * edge + k % edge;
    case POLYMPI_ELEMENTS:
        return k * edge;
    default:
        return k;
    }
}

static void gather_face(const struct polympi_case *c, const double *face, int64_t edge, double *packed) {
    for (int64_t k = 0; k < edge * edge; k++)
        packed[k] = face[place(c, edge, k)];
}

static void scatter_face(const struct polympi_case *c, const double *packed, int64_t edge, double *face) {
    for (int64_t k = 0; k < edge * edge; k++)
        face[place(c, edge, k)] = packed[k];
}

void cube_fill(const struct polympi_case *c, const struct polympi_buffers *buffers, int32_t origin) {
    polympi_payload_poison(buffers->outgoing, c->bytes * buffers->edge);
    polympi_payload_fill(buffers->packed[OUTGOING], c, origin, 0);
    scatter_face(c, buffers->packed[OUTGOING], buffers->edge, buffers->outgoing);
}

/* With both faces overwritten as well, all of the cube holds one byte. */
static void check_beside(const struct polympi_case *c, const struct polympi_buffers *buffers,
                         char *complaint) {
    polympi_payload_poison(buffers->packed[OUTGOING], c->bytes);
    scatter_face(c, buffers->packed[OUTGOING], buffers->edge, buffers->outgoing);
    scatter_face(c, buffers->packed[OUTGOING], buffers->edge, buffers->incoming);
    const char *cube = buffers->outgoing, *poison = (const char *)buffers->packed[OUTGOING];
    if (cube[0] != poison[0] || memcmp(cube, cube + 1, (size_t)(c->bytes * buffers->edge - 1)) != 0)
        snprintf(complaint, POLYMPI_COMPLAINT_BYTES, "an element next to the face was written to");
}

void cube_check(const struct polympi_case *c, const struct polympi_buffers *buffers, int32_t origin,
                char *complaint) {
    gather_face(c, buffers->incoming, buffers->edge, buffers->packed[INCOMING]);
    polympi_payload_check(buffers->packed[INCOMING], c, origin, 0, complaint);
    if (!complaint[0])
        check_beside(c, buffers, complaint);
}
