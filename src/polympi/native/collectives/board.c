#include "collectives/board.h"

#include <stdatomic.h>
#include <string.h>

#include "collectives/call_log.h"
#include "collectives/letters.h"
#include "collectives/mailbox.h"

enum { PAGE_BYTES = 32 * 1024, MOST_PAGES = 16 };

/* For all boards of a communicator. */
enum { MOST_BYTES = 4 << 20 };

struct Board {
    _Alignas(64) _Atomic uint64_t written; /* pages so far; written last */
    _Atomic uint64_t begun; /* upper half: the last call that wrote pages; lower half: pages before it */
    _Atomic uint32_t calls[MOST_PAGES]; /* for each place, the call of its page */
    int readers[MOST_PAGES];            /* whom it is for; only the writer uses this */
    _Alignas(64) _Atomic uint64_t
        read[MOST_OVERSUBSCRIBED]; /* by rank: it no longer needs the pages before this one */
    _Alignas(BOARD_ALIGNMENT) char pages[];
};

static int places(int size) {
    int most = MOST_BYTES / PAGE_BYTES / size;
    return most < MOST_PAGES ? most : MOST_PAGES;
}

static size_t board_bytes(int size) { return sizeof(Board) + (size_t)places(size) * PAGE_BYTES; }

static Board *board_of(const Communicator *comm, int rank) { return mail_board(comm->mailboxes, rank); }

bool board_ready(const Communicator *comm) {
    if (!state.oversubscribed || !comm->together || comm->size > MOST_OVERSUBSCRIBED)
        return false;
    return board_of(comm, comm->rank) ||
           mail_make_board(comm->mailboxes, board_bytes(comm->size), sizeof(Board));
}

uint64_t board_next(const Communicator *comm) {
    const Board *board = comm->together ? board_of(comm, comm->rank) : NULL;
    return board ? atomic_load_explicit(&board->written, memory_order_relaxed) : 0;
}

uint64_t board_pages(Py_ssize_t nbytes) { return ((uint64_t)nbytes + PAGE_BYTES - 1) / PAGE_BYTES; }

/* How much of the data that are left goes into one page. */
static size_t page_bytes(Py_ssize_t left) { return (size_t)(left < PAGE_BYTES ? left : PAGE_BYTES); }

/* ---- writing ---- */

/* Whether a rank no longer needs a page of this rank's board. */
static bool has_read(const Communicator *comm, Board *board, uint64_t page, uint32_t call, int rank) {
    return atomic_load_explicit(&board->read[rank], memory_order_acquire) > page ||
           has_left_call(comm, rank, call);
}

/* Whether the next page may overwrite the one in its place. */
static bool is_free(const Communicator *comm, Board *board, uint64_t next) {
    uint64_t count = (uint64_t)places(comm->size);
    if (next < count)
        return true;
    uint32_t call = atomic_load_explicit(&board->calls[next % count], memory_order_relaxed);
    int reader = board->readers[next % count];
    if (reader != EVERYBODY)
        return has_read(comm, board, next - count, call, reader);
    for (int rank = 0; rank < comm->size; rank++)
        if (rank != comm->rank && !has_read(comm, board, next - count, call, rank))
            return false;
    return true;
}

static void wake_readers(const Communicator *comm, int reader) {
    for (int rank = 0; reader == EVERYBODY && rank < comm->size; rank++)
        if (rank != comm->rank)
            mail_wake(comm->mailboxes, rank);
    if (reader != EVERYBODY)
        mail_wake(comm->mailboxes, reader);
}

static void write_page(const Collective *collective, Board *board, uint64_t next, BoardWrite *write) {
    const Communicator *comm = collective->comm;
    size_t place = next % (uint64_t)places(comm->size), nbytes = page_bytes(write->nbytes - write->done);
    board->readers[place] = write->reader;
    atomic_store_explicit(&board->calls[place], collective->number, memory_order_relaxed);
    memcpy(board->pages + place * PAGE_BYTES, write->data + write->done, nbytes);
    atomic_store_explicit(&board->written, next + 1, memory_order_release);
    write->done += (Py_ssize_t)nbytes;
    wake_readers(comm, write->reader);
}

/* Write as much as there is room for. */
static void write_some(BoardExchange *exchange) {
    const Communicator *comm = exchange->collective->comm;
    const uint32_t number = exchange->collective->number;
    Board *board = board_of(comm, comm->rank);
    uint64_t next = board_next(comm);
    if (!board) /* then nothing is to be written */
        return;
    if (atomic_load_explicit(&board->begun, memory_order_relaxed) >> 32 != number)
        atomic_store_explicit(&board->begun, (uint64_t)number << 32 | (uint32_t)next, memory_order_release);
    while (exchange->write < exchange->writes_end) {
        if (exchange->write->done == exchange->write->nbytes)
            exchange->write++;
        else if (is_free(comm, board, next))
            write_page(exchange->collective, board, next++, exchange->write);
        else
            return;
    }
}

/* ---- reading ---- */

/* The writer has left this call. */
static void has_left(BoardExchange *exchange, const BoardRead *read) {
    exchange->left = true;
    exchange->awaited = read->writer;
}

/* Find the page where the writer begins in this call; false if it hasn't written any yet. */
static bool find_page(BoardExchange *exchange, Board *board, BoardRead *read) {
    uint64_t begun = atomic_load_explicit(&board->begun, memory_order_acquire),
             written = atomic_load_explicit(&board->written, memory_order_acquire);
    int32_t later = (int32_t)((uint32_t)(begun >> 32) - exchange->collective->number);
    if (later > 0)
        has_left(exchange, read);
    else if (later == 0) /* a call does not write 2^32 pages before it waits for this rank */
        read->page = written - (uint32_t)((uint32_t)written - (uint32_t)begun);
    return later == 0;
}

/* Copy the wanted bytes from a page. */
static void take_page(const BoardRead *read, const char *page, Py_ssize_t nbytes) {
    Py_ssize_t first = read->first > read->done ? read->first : read->done,
               end = read->end < read->done + nbytes ? read->end : read->done + nbytes;
    if (read->data && first < end)
        memcpy(read->data + (first - read->first), page + (first - read->done), (size_t)(end - first));
}

/* Read what one rank has written: whether that was all. */
static bool read_from(BoardExchange *exchange, BoardRead *read) {
    const Communicator *comm = exchange->collective->comm;
    Board *board = board_of(comm, read->writer);
    if (read->page == NOT_YET_KNOWN && read->nbytes && !find_page(exchange, board, read))
        return false;
    while (read->done < read->nbytes &&
           atomic_load_explicit(&board->written, memory_order_acquire) > read->page) {
        size_t place = read->page % (uint64_t)places(comm->size),
               nbytes = page_bytes(read->nbytes - read->done);
        if (atomic_load_explicit(&board->calls[place], memory_order_relaxed) !=
            exchange->collective->number) {
            has_left(exchange, read);
            break;
        }
        take_page(read, board->pages + place * PAGE_BYTES, (Py_ssize_t)nbytes);
        read->done += (Py_ssize_t)nbytes;
        atomic_store_explicit(&board->read[comm->rank], ++read->page, memory_order_release);
        mail_wake(comm->mailboxes, read->writer); /* which may wait for room */
    }
    return read->done == read->nbytes;
}

/* A later read of a rank waits for the earlier one, even if that rank has written more by now: otherwise this
 * rank would report that it no longer needs the earlier pages. */
static void read_some(BoardExchange *exchange) {
    int unread = NOBODY;
    exchange->awaited = NOBODY;
    for (int i = 0; i < exchange->read_count && !exchange->left; i++) {
        BoardRead *read = &exchange->reads[i];
        if (read->writer == unread || read_from(exchange, read))
            continue;
        unread = read->writer;
        if (exchange->awaited == NOBODY)
            exchange->awaited = unread;
    }
}

/* ---- both ---- */

void board_open(BoardExchange *exchange, Collective *collective, BoardWrite *writes, int write_count,
                BoardRead *reads, int read_count) {
    *exchange = (BoardExchange){.collective = collective,
                                .write = writes,
                                .writes_end = writes + write_count,
                                .reads = reads,
                                .read_count = read_count};
}

/* Whether it is complete, or a rank has left. */
static bool go_on(void *context) {
    BoardExchange *exchange = context;
    write_some(exchange);
    read_some(exchange);
    return exchange->left || (exchange->write == exchange->writes_end && exchange->awaited == NOBODY);
}

static int over(const BoardExchange *exchange) {
    return exchange->left ? raise_left(exchange->collective, exchange->awaited) : 1;
}

static int step_exchange(void *state) { return go_on(state) ? over(state) : 0; }

static int wait_for_exchange(void *state) {
    BoardExchange *exchange = state;
    if (!go_on(exchange) && wait_in_memory(exchange->collective, go_on, exchange, &exchange->awaited) < 0)
        return 0;
    return over(exchange);
}

static void give_up_exchange(void *Py_UNUSED(state)) {}

static int awaits(const void *state) { return ((const BoardExchange *)state)->awaited; }

const PhaseKind board_phase = {
    .step = step_exchange, .wait = wait_for_exchange, .give_up = give_up_exchange, .awaits = awaits};
