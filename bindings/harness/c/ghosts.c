#define _DEFAULT_SOURCE
#include "ghosts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int64_t ghosts_edge(int64_t bytes) {
    for (int64_t edge = 4; edge <= POLYMPI_LARGEST_FACE_EDGE; edge++)
        if (POLYMPI_HALO_FACES * (edge - 2) * (edge - 2) * (int64_t)sizeof(double) == bytes)
            return edge;
    return 0;
}

/* Element 0 of a message of rank `origin`; element i is i / 2 more (docs/protocol.md). */
static double first_value(const struct polympi_case *c, int32_t origin) {
    return (double)c->id + 11.0 * origin;
}

static int is_ghost(int64_t index, int64_t edge) { return index == 0 || index == edge - 1; }

/* Where the element lies in the other rank's cube that belongs into this ghost element. */
static int64_t across(int64_t index, int64_t edge) {
    return index == 0 ? edge - 2 : index == edge - 1 ? 1 : index;
}

void ghosts_fill(const struct polympi_case *c, const struct polympi_buffers *buffers, int32_t origin) {
    const int64_t edge = buffers->edge;
    double *cube = buffers->outgoing, first;
    struct polympi_case element = *c;
    element.bytes = sizeof first;
    polympi_payload_fill(&first, &element, origin, 0);
    polympi_payload_poison(cube, edge * edge * edge * (int64_t)sizeof *cube);
    for (int64_t i = 1; i < edge - 1; i++)
        for (int64_t j = 1; j < edge - 1; j++)
            for (int64_t k = 1; k < edge - 1; k++) {
                const int64_t place = (i * edge + j) * edge + k;
                cube[place] = first + 0.5 * (double)place;
            }
}

/* What the element has to be after an exchange. */
static double expected_value(const struct polympi_case *c, const int64_t at[3], int64_t edge, int32_t mine,
                             int32_t theirs) {
    const int ghosts = is_ghost(at[0], edge) + is_ghost(at[1], edge) + is_ghost(at[2], edge);
    double value;
    if (ghosts > 1) {
        polympi_payload_poison(&value, sizeof value);
        return value;
    }
    const int64_t i = across(at[0], edge), j = across(at[1], edge), k = across(at[2], edge);
    return first_value(c, ghosts ? theirs : mine) + 0.5 * (double)((i * edge + j) * edge + k);
}

void ghosts_check(const struct polympi_case *c, const struct polympi_buffers *buffers, int32_t origin,
                  char *complaint) {
    const double *cube = buffers->outgoing;
    const int64_t edge = buffers->edge;
    int64_t at[3];
    for (at[0] = 0; at[0] < edge; at[0]++)
        for (at[1] = 0; at[1] < edge; at[1]++)
            for (at[2] = 0; at[2] < edge; at[2]++, cube++) {
                const double expected = expected_value(c, at, edge, buffers->rank, origin);
                if (memcmp(cube, &expected, sizeof expected) == 0)
                    continue;
                snprintf(complaint, POLYMPI_COMPLAINT_BYTES,
                         "element (%" PRId64 ", %" PRId64 ", %" PRId64 ") is %.17g instead of %.17g", at[0],
                         at[1], at[2], *cube, expected);
                return;
            }
}
