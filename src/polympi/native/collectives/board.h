/* Large data of collectives on an oversubscribed machine.
 *
 * A message of that size needs a handshake, and each of its steps waits for the scheduler. Here every rank
 * has a board: shared memory that only this rank writes and the others read. The rank copies its data there,
 * page by page, and continues; the others copy the data from there when they run.
 */
#pragma once

#include "collectives/rounds.h"

enum { EVERYBODY = -1 }; /* as the reader of a page */

/* Data that are sent to one rank or to EVERYBODY, and data that are received; each begin on a new page. */
typedef struct {
    const char *data;
    Py_ssize_t nbytes, done;
    int reader;
} BoardWrite;
typedef struct {
    char *data; /* where bytes `first` to `end` go; NULL: they are not needed */
    Py_ssize_t first, end;
    Py_ssize_t nbytes, done;
    int writer;
    uint64_t page; /* the next one to read, of the writer's board */
} BoardRead;

/* As BoardRead.page: the first that the writer writes in this call. */
#define NOT_YET_KNOWN UINT64_MAX

/* Whether this rank has a board that the others can read; the first call makes it, if there is memory. */
bool board_ready(const Communicator *comm);
/* The page of its board that this rank writes next; the first one ever is 0. */
uint64_t board_next(const Communicator *comm);
/* The pages that data take. */
uint64_t board_pages(Py_ssize_t nbytes);
/* What is written and read at the same time. Reads from one rank are in the order in which it writes. */
typedef struct {
    Collective *collective;
    BoardWrite *write, *writes_end;
    BoardRead *reads;
    int read_count;
    int awaited; /* a rank that hasn't written yet what is read here; NOBODY: none */
    bool left;   /* that rank has left the call */
} BoardExchange;
/* The exchange as a phase of a call. A rank that leaves the call in it holds nobody up. */
extern const PhaseKind board_phase;
void board_open(BoardExchange *exchange, Collective *collective, BoardWrite *writes, int write_count,
                BoardRead *reads, int read_count);

enum { BOARD_ALIGNMENT = 4096 };

/* The most bytes of a reduction over boards: for more, messages with one copy are faster than two copies,
 * although they wait. */
enum { MOST_ON_BOARDS = 1 << 20 };
