#include "collectives/board_receive.h"

#include <stdlib.h>

#include "codec/stream.h"
#include "memory/pool.h"
#include "memory/strided.h"

/* ---- slots ---- */

/* For more than this, a message with one copy is faster than two copies, although it waits. */
enum { MOST_BOARD_BYTES = 1 << 20 };

/* Not pieces of scatter and alltoall, each for another rank: they fill a board before all ranks have run (64
 * KiB each to 8 ranks on 2 processors: 162 us, mpi4py 64 us, Open MPI 5.0). */
static bool is_for_board(const Collective *collective, const Stream *stream) {
    Py_ssize_t nbytes = 0;
    for (int i = 0; i < stream->part_count; i++)
        nbytes += stream->parts[i].nbytes;
    return (collective->verb == GATHER || collective->verb == ALLGATHER) && nbytes <= MOST_BOARD_BYTES;
}

Py_ssize_t board_content(const Collective *collective, const Stream *stream, uint64_t page, char *content,
                         Py_ssize_t room) {
    const BoardHead head = {.page = page, .part_count = (uint64_t)stream->part_count};
    Py_ssize_t nbytes = (Py_ssize_t)sizeof head + stream_body_bytes(stream);
    if (!stream->part_count || nbytes > room || collective->in_flight || !is_for_board(collective, stream) ||
        !board_ready(collective->comm))
        return 0;
    memcpy(content, &head, sizeof head);
    stream_put_body(stream, content + sizeof head);
    return nbytes;
}

/* ---- one piece ---- */

int board_receive_open(BoardReceive *reading, const char *slot) {
    BoardHead head;
    const char *content = slot_content(slot);
    Py_ssize_t left = slot_content_bytes(slot) - (Py_ssize_t)sizeof head;
    *reading = (BoardReceive){0};
    if (left < 0)
        return raise_damaged(), -1;
    memcpy(&head, content, sizeof head);
    if (head.part_count > (uint64_t)most_parts(left))
        return raise_damaged(), -1;
    Arrived *parts = calloc((size_t)head.part_count + 1, sizeof *parts);
    if (!parts)
        return no_memory();
    reading->parts = parts;
    reading->part_count = (int)head.part_count;
    reading->page = head.page;
    const char *body = content + sizeof head;
    reading->stream = body + sizes_of_parts(head.part_count);
    reading->stream_bytes = left - sizes_of_parts(head.part_count);
    for (int i = 0; i < reading->part_count; i++) {
        parts[i].nbytes = (Py_ssize_t)wire_get_size(body, (uint64_t)i);
        if (parts[i].nbytes < 0 || parts[i].nbytes > MOST_BOARD_BYTES)
            return raise_damaged(), -1;
    }
    return 0;
}

int board_receive_prepare(BoardReceive *reading, const Target *into, const Call *call) {
    int straight = into ? fills_target(into, reading->stream, reading->stream_bytes, reading->parts,
                                       reading->part_count, call)
                        : 0;
    if (straight < 0)
        return -1;
    reading->into = into;
    if (straight) {
        reading->parts[0].data = into->layout.data;
        reading->parts[0].taken = true;
        return 0;
    }
    for (int i = 0; i < reading->part_count; i++)
        if (!(reading->parts[i].data = pool_allocate(reading->parts[i].nbytes)))
            return -1;
    return 0;
}

PyObject *board_receive_deliver(BoardReceive *reading, const Call *call) {
    if (reading->into && reading->parts[0].taken)
        return target_result(reading->into, reading->parts[0].nbytes / reading->into->layout.itemsize);
    return deliver(reading->stream, reading->stream_bytes, reading->parts, reading->part_count, reading->into,
                   call);
}

void board_receive_close(BoardReceive *reading) {
    for (int i = 0; i < reading->part_count; i++)
        if (!reading->parts[i].taken && reading->parts[i].data)
            pool_release(reading->parts[i].data, reading->parts[i].nbytes);
    free(reading->parts);
    *reading = (BoardReceive){0};
}

/* ---- all pieces of a call ---- */

static int add_writes(Traffic *traffic, const Departure *departure) {
    const Stream *stream = &departure->out.stream;
    for (int i = 0; i < stream->part_count; i++) {
        const Part *part = &stream->parts[i];
        BoardWrite *write = &traffic->writes[traffic->write_count];
        *write = (BoardWrite){.data = part->data, .nbytes = part->nbytes, .reader = departure->dest};
        traffic->packed[traffic->write_count++] = NULL;
        if (!part->strided)
            continue;
        char *packed = pool_allocate(part->nbytes);
        if (!packed)
            return -1;
        Layout layout;
        array_layout(part->owner, &layout);
        strided_pack(&layout, packed);
        write->data = traffic->packed[traffic->write_count - 1] = packed;
    }
    return 0;
}

static void add_reads(Traffic *traffic, const BoardReceive *reading, int owner) {
    uint64_t page = reading->page;
    for (int i = 0; i < reading->part_count; i++) {
        traffic->reads[traffic->read_count++] = (BoardRead){.data = reading->parts[i].data,
                                                            .end = reading->parts[i].nbytes,
                                                            .nbytes = reading->parts[i].nbytes,
                                                            .writer = owner,
                                                            .page = page};
        page += board_pages(reading->parts[i].nbytes);
    }
}

/* Departures are listed last first; their pages were announced in the opposite order. */
static int add_departures(Traffic *traffic, Departure *departure) {
    if (!departure)
        return 0;
    if (add_departures(traffic, departure->next) < 0)
        return -1;
    bool now = departure->on_board && !departure->written;
    departure->written = true;
    return now ? add_writes(traffic, departure) : 0;
}

static int count_parts(const Departure *departure, const BoardReceive *readings, int count) {
    int parts = 0;
    for (; departure; departure = departure->next)
        parts += departure->on_board ? departure->out.stream.part_count : 0;
    for (int i = 0; i < count; i++)
        parts += readings[i].part_count;
    return parts;
}

void traffic_close(Traffic *traffic) {
    for (int i = 0; i < traffic->write_count; i++)
        if (traffic->packed[i])
            pool_release(traffic->packed[i], traffic->writes[i].nbytes);
    free(traffic->writes);
    free(traffic->reads);
    free(traffic->packed);
}

int traffic_open(Traffic *traffic, Collective *collective, Departure *departures,
                 const BoardReceive *readings, int count) {
    size_t parts = (size_t)count_parts(departures, readings, count);
    if (!parts)
        return 0;
    *traffic = (Traffic){.writes = malloc(parts * sizeof *traffic->writes),
                         .reads = malloc(parts * sizeof *traffic->reads),
                         .packed = malloc(parts * sizeof *traffic->packed)};
    int failed = -1;
    if (!traffic->writes || !traffic->reads || !traffic->packed)
        PyErr_NoMemory();
    else
        failed = add_departures(traffic, departures);
    if (failed) {
        traffic_close(traffic);
        return -1;
    }
    for (int i = 0; i < count; i++)
        add_reads(traffic, &readings[i], i);
    board_open(&traffic->exchange, collective, traffic->writes, traffic->write_count, traffic->reads,
               traffic->read_count);
    return 1;
}

int board_receives_run(Collective *collective, Departure *departures, const BoardReceive *readings,
                       int count) {
    Traffic traffic;
    int any = traffic_open(&traffic, collective, departures, readings, count);
    if (any <= 0)
        return any;
    int done = board_phase.wait(&traffic.exchange);
    traffic_close(&traffic);
    return done > 0 ? 0 : -1;
}
