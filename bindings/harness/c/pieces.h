/* The messages of a rank in one iteration: who made them, how long they are, and where they lie. */
#ifndef POLYMPI_PIECES_H
#define POLYMPI_PIECES_H

#include "polympi_harness.h"

/* The rank that made message number `i` of those that a rank received. */
int piece_origin(const struct polympi_case *c, const struct polympi_buffers *buffers, int i);

/* The slot in which it was sent: its place in a window, or which of the destinations this rank is. */
int piece_slot(const struct polympi_case *c, const struct polympi_buffers *buffers, int i);

/* The case as if all messages had the size of message number `i` of those that a rank sends, or receives. */
struct polympi_case outgoing_piece(const struct polympi_case *c, const struct polympi_buffers *buffers,
                                   int i);
struct polympi_case incoming_piece(const struct polympi_case *c, const struct polympi_buffers *buffers,
                                   int i);

/* Bytes before message number `i` in the buffer of those that a rank sends, or receives. */
int64_t outgoing_place(const struct polympi_case *c, const struct polympi_buffers *buffers, int i);
int64_t incoming_place(const struct polympi_case *c, const struct polympi_buffers *buffers, int i);

#endif
