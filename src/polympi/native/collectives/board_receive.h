/* Pieces of collectives that are sent over boards (board.h). */
#pragma once

#include "collectives/board.h"
#include "collectives/pieces.h"

/* Write the content of a slot for a stream with parts, if these may go over the board: its bytes, else 0. */
Py_ssize_t board_content(const Collective *collective, const Stream *stream, uint64_t page, char *content,
                         Py_ssize_t room);

/* A piece to receive. */
typedef struct BoardReceive {
    const char *stream; /* in its slot */
    Py_ssize_t stream_bytes;
    uint64_t page;
    Arrived *parts; /* without memory if they aren't wanted */
    int part_count;
    const Target *into; /* NULL: an object is made of it */
    Target rows;        /* of a larger target, which `into` may be */
} BoardReceive;

/* Read a slot. 0, or -1 with Error if it is damaged, or MemoryError; to be closed in any case. */
int board_receive_open(BoardReceive *reading, const char *slot);
/* Memory for it: that of the target (NULL: none) if the elements can be received there. 0, or -1 with an
 * exception; its pages are then skipped. */
int board_receive_prepare(BoardReceive *reading, const Target *into, const Call *call);
/* After all has been read: the object, or the target's, a new reference; NULL with an exception. */
PyObject *board_receive_deliver(BoardReceive *reading, const Call *call);
void board_receive_close(BoardReceive *reading);

/* What is written on boards and read there at the same time. */
typedef struct {
    BoardExchange exchange; /* the phase */
    BoardWrite *writes;
    BoardRead *reads;
    char **packed; /* copies of strided parts, by write */
    int write_count, read_count;
} Traffic;

/* Begin to write the departures that are for the board, and to read the parts of the `count` readings, by
 * rank. 1; 0 if there is nothing to write or read, -1 with an exception. To be closed only after 1. */
int traffic_open(Traffic *traffic, Collective *collective, Departure *departures,
                 const BoardReceive *readings, int count);
void traffic_close(Traffic *traffic);
/* The same, blocking: 0 or -1. */
int board_receives_run(Collective *collective, Departure *departures, const BoardReceive *readings,
                       int count);
