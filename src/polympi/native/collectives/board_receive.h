/* Pieces of collectives that travel over boards (board.h), where ranks share processors. */
#ifndef POLYMPI_COLLECTIVES_BOARD_RECEIVE_H
#define POLYMPI_COLLECTIVES_BOARD_RECEIVE_H

#include "collectives/board.h"
#include "collectives/pieces.h"

/* The content of a slot for a stream with parts, if it may travel so and has room: its bytes, otherwise 0. */
Py_ssize_t board_content(const Collective *collective, const Stream *stream, uint64_t page, char *content,
                         Py_ssize_t room);

/* A piece on its way in. */
typedef struct BoardReceive {
    const char *stream; /* in its slot */
    Py_ssize_t stream_bytes;
    uint64_t page;
    Arrived *parts; /* without memory where nobody wants them */
    int part_count;
    const Target *into; /* NULL: an object is made of it */
    Target rows;        /* of a larger target, which `into` may be */
} BoardReceive;

/* What a slot says. 0, or -1 with Error where it is damaged, or MemoryError; to be closed in any case. */
int board_receive_open(BoardReceive *reading, const char *slot);
/* Memory for it: that of the target (NULL: there is none) where the elements can go straight there. 0, or -1
 * with an exception; its pages are then passed over. */
int board_receive_prepare(BoardReceive *reading, const Target *into, const Call *call);
/* When all has been read: the object, or the object of the target, a new reference; NULL with an exception.
 */
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

/* Begin to write the departures that are for the board, and to read what the `count` readings (by rank; those
 * without parts are skipped) want. 1; 0 if there is nothing of that, -1 with an exception. To be closed only
 * after 1. */
int traffic_open(Traffic *traffic, Collective *collective, Departure *departures,
                 const BoardReceive *readings, int count);
void traffic_close(Traffic *traffic);
/* The same, blocking: 0 or -1. */
int board_receives_run(Collective *collective, Departure *departures, const BoardReceive *readings,
                       int count);

#endif
