/* Pieces of collectives that travel over boards (board.h), where ranks share processors. */
#ifndef POLYMPI_READINGS_H
#define POLYMPI_READINGS_H

#include "collectives/board.h"
#include "collectives/pieces.h"

/* The content of a slot for a stream with parts, if it may travel so and has room: its bytes, otherwise 0. */
Py_ssize_t board_content(const Collective *collective, const Stream *stream, uint64_t page, char *content,
                         Py_ssize_t room);

/* A piece on its way in. */
typedef struct Reading {
    const char *stream; /* in its slot */
    Py_ssize_t stream_bytes;
    uint64_t page;
    Arrived *parts; /* without memory where nobody wants them */
    int part_count;
    const Target *into; /* NULL: an object is made of it */
    Target rows;        /* of a larger target, which `into` may be */
} Reading;

/* What a slot says. 0, or -1 with Error where it is damaged, or MemoryError; to be closed in any case. */
int reading_open(Reading *reading, const char *slot);
/* Memory for it: that of the target (NULL: there is none) where the elements can go straight there. 0, or -1
 * with an exception; its pages are then passed over. */
int reading_prepare(Reading *reading, const Target *into, const Call *call);
/* When all has been read: the object, or the object of the target, a new reference; NULL with an exception.
 */
PyObject *reading_deliver(Reading *reading, const Call *call);
void reading_close(Reading *reading);

/* What is written on boards and read there at the same time. */
typedef struct {
    BoardExchange exchange; /* the leg */
    BoardWrite *writes;
    BoardRead *reads;
    char **packed; /* copies of strided parts, by write */
    int write_count, read_count;
} Traffic;

/* Begin to write the departures that are for the board, and to read what the `count` readings (by rank; those
 * without parts are skipped) want. 1; 0 if there is nothing of that, -1 with an exception. To be closed only
 * after 1. */
int traffic_open(Traffic *traffic, Collective *collective, Departure *departures, const Reading *readings,
                 int count);
void traffic_close(Traffic *traffic);
/* The same, blocking: 0 or -1. */
int readings_run(Collective *collective, Departure *departures, const Reading *readings, int count);

#endif
