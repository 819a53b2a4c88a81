/* How a slot lies in memory. */
#ifndef POLYMPI_SLOT_H
#define POLYMPI_SLOT_H

#include "collectives/rounds.h"

/* Slots follow each other at multiples of 8 bytes; Head.type is how many bytes fill up to there. */
enum { SLOT_HEAD = sizeof(Head), SLOT_ALIGNMENT = 8 };

static inline const char *slot_content(const char *slot) { return slot + SLOT_HEAD; }
static inline Py_ssize_t slot_content_bytes(const char *slot) {
    const Head *head = (const Head *)slot;
    return (Py_ssize_t)head->nbytes - SLOT_HEAD - head->type;
}

#endif
