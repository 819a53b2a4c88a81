/* The small message of what does not fit into it, and how files of the transfer reach each other's lists. */
#ifndef POLYMPI_ANNOUNCEMENT_H
#define POLYMPI_ANNOUNCEMENT_H

#include "transfer.h"

/* What begins a small message that announces. The body follows, or is the first that travels apart: uint64
 * bytes of each part, then the stream. Then come the parts, all with sequence_tag(sequence). */
struct announcement {
    uint8_t tag; /* TAG_REMOTE */
    uint8_t body_apart;
    uint16_t unused;
    uint32_t sequence;
    uint64_t body_bytes;
    uint64_t part_count;
};

/* The most that one MPI message carries: counts are int, and a round number keeps pages aligned. */
#define CHUNK_BYTES ((Py_ssize_t)1 << 30)

int sequence_tag(uint32_t sequence);

void orphans_progress(void);
int orphans_report(PyObject *sentences);
/* Append "send(dest=1, tag=0) was never received" to a list. */
int report_call(PyObject *sentences, const Call *call, const char *fate);

#endif
