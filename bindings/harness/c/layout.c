#define _DEFAULT_SOURCE
#include "layout.h"
#include "catalogue.h"

#include <stdio.h>
#include <string.h>

enum { OUTGOING, INCOMING };

int32_t layout_allows(int64_t bytes) {
    return bytes > 0 && bytes % (POLYMPI_LAYOUT_GROUP * (int64_t)sizeof(double)) == 0;
}

int64_t layout_span(const struct polympi_case *c) {
    return c->bytes / POLYMPI_LAYOUT_GROUP * layout_facts[c->layout].period;
}

/* Where element k of the message lies. */
static int64_t place(const struct polympi_case *c, int64_t k) {
    const struct layout_facts *facts = &layout_facts[c->layout];
    return k / POLYMPI_LAYOUT_GROUP * facts->period + facts->sent[k % POLYMPI_LAYOUT_GROUP];
}

static void gather_parts(const struct polympi_case *c, const double *message, double *packed) {
    const int64_t count = c->bytes / (int64_t)sizeof(double);
    for (int64_t k = 0; k < count; k++)
        packed[k] = message[place(c, k)];
}

static void scatter_parts(const struct polympi_case *c, const double *packed, double *message) {
    const int64_t count = c->bytes / (int64_t)sizeof(double);
    for (int64_t k = 0; k < count; k++)
        message[place(c, k)] = packed[k];
}

void layout_fill(const struct polympi_case *c, const struct polympi_buffers *buffers, int32_t origin) {
    polympi_payload_poison(buffers->outgoing, layout_span(c));
    polympi_payload_poison(buffers->incoming, layout_span(c));
    polympi_payload_fill(buffers->packed[OUTGOING], c, origin, 0);
    scatter_parts(c, buffers->packed[OUTGOING], buffers->outgoing);
}

void layout_check(const struct polympi_case *c, const struct polympi_buffers *buffers, int32_t origin,
                  char *complaint) {
    gather_parts(c, buffers->incoming, buffers->packed[INCOMING]);
    polympi_payload_check(buffers->packed[INCOMING], c, origin, 0, complaint);
    if (complaint[0])
        return;
    /* With its parts overwritten as well, all of the message holds one byte. */
    polympi_payload_poison(buffers->packed[INCOMING], c->bytes);
    scatter_parts(c, buffers->packed[INCOMING], buffers->incoming);
    const char *message = buffers->incoming, *poison = (const char *)buffers->packed[INCOMING];
    if (message[0] != poison[0] || memcmp(message, message + 1, (size_t)(layout_span(c) - 1)) != 0)
        snprintf(complaint, POLYMPI_COMPLAINT_BYTES,
                 "an element between the parts of the message was written to");
}
