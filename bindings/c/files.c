/* Messages in a file: each rank writes its own, side by side, or reads that of the rank before it. */
#define _DEFAULT_SOURCE
#include "delay.h"
#include "exchange.h"

#include <stdio.h>

#define IGNORE MPI_STATUS_IGNORE

INLINED void write_at(const struct exchange *x) {
    planted_delay();
    MPI_File_write_at(x->file, x->own_offset, x->outgoing, x->count, x->type, IGNORE);
}

INLINED void write_at_all(const struct exchange *x) {
    planted_delay();
    MPI_File_write_at_all(x->file, x->own_offset, x->outgoing, x->count, x->type, IGNORE);
}

INLINED void read_at(const struct exchange *x) {
    planted_delay();
    MPI_File_read_at(x->file, x->other_offset, x->incoming, x->count, x->type, IGNORE);
}

INLINED void read_at_all(const struct exchange *x) {
    planted_delay();
    MPI_File_read_at_all(x->file, x->other_offset, x->incoming, x->count, x->type, IGNORE);
}

DEFINE_COLLECTIVE_LOOPS(write_at);
DEFINE_COLLECTIVE_LOOPS(write_at_all);
DEFINE_COLLECTIVE_LOOPS(read_at);
DEFINE_COLLECTIVE_LOOPS(read_at_all);

const struct loops *file_loops(int32_t benchmark) {
    static const struct loops *const loops[POLYMPI_BENCHMARKS] = {[POLYMPI_WRITE_AT] = &write_at_loops,
                                                                  [POLYMPI_WRITE_AT_ALL] =
                                                                      &write_at_all_loops,
                                                                  [POLYMPI_READ_AT] = &read_at_loops,
                                                                  [POLYMPI_READ_AT_ALL] = &read_at_all_loops};
    return loops[benchmark];
}

static bool reads(const struct polympi_case *c) {
    return c->benchmark == POLYMPI_READ_AT || c->benchmark == POLYMPI_READ_AT_ALL;
}

/* All ranks have written, and may read what the others wrote. */
static void store(const struct exchange *exchange) {
    MPI_File_sync(exchange->file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_sync(exchange->file);
}

void file_open(const struct polympi_case *c, const char *path, struct exchange *exchange) {
    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_ARE_FATAL);
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &exchange->file);
    MPI_File_set_size(exchange->file, 0);
    exchange->own_offset = (MPI_Offset)c->bytes * exchange->rank;
    exchange->other_offset = (MPI_Offset)c->bytes * exchange->previous;
    if (!reads(c))
        return;
    MPI_File_write_at_all(exchange->file, exchange->own_offset, exchange->outgoing, exchange->count,
                          exchange->type, IGNORE);
    store(exchange);
}

/* What was written is read by the rank after. */
void file_show(const struct polympi_case *c, const struct exchange *exchange) {
    if (reads(c))
        return;
    store(exchange);
    MPI_File_read_at(exchange->file, exchange->other_offset, exchange->incoming, exchange->count,
                     exchange->type, IGNORE);
}

void file_close(struct exchange *exchange) { MPI_File_close(&exchange->file); }
