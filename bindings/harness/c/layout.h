/* A message of the benchmark datatype: doubles that do not lie side by side, laid out, filled, checked.

   The message lies in groups of `period` elements, of which some are sent and the others stay; which, is in
   the catalogue. */
#ifndef POLYMPI_LAYOUT_H
#define POLYMPI_LAYOUT_H

#include "polympi_harness.h"

/* Whether a message of this many bytes is made of whole groups, and of one at least. */
int32_t layout_allows(int64_t bytes);

/* Bytes of memory that a message of the case lies in, those between its parts included. */
int64_t layout_span(const struct polympi_case *c);

/* Overwrites both messages, and fills the one that rank `origin` sends. */
void layout_fill(const struct polympi_case *c, const struct polympi_buffers *buffers, int32_t origin);

/* Checks the message that came from rank `origin`, and that nothing between its parts was written to. */
void layout_check(const struct polympi_case *c, const struct polympi_buffers *buffers, int32_t origin,
                  char *complaint);

#endif
