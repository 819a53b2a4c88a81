/* Whether the memory of a send and of a receive overlap: large data are sent directly from their memory, so
 * the data that are received there would be sent. If so, they are copied. */
#pragma once

#include "codec/codec.h"

/* Whether the parts of a stream may share bytes with memory that is received into: from its first byte to its
 * last, with everything between them. Then the sender copies the parts first (outgoing_copy_parts). Never
 * true without parts. */
bool stream_overlaps(const Stream *stream, const Layout *into);

/* Whether two pieces of memory may share bytes, likewise. */
bool layouts_overlap(const Layout *one, const Layout *other);

/* Copy the data of a part, in C order, to memory of its size. */
void part_copy(const Part *part, char *to);
