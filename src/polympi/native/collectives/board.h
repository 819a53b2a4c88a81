/* Large data of collectives where ranks share processors and memory.
 *
 * A message of that size needs a handshake, and each of its steps waits for the scheduler. Here every rank
 * has a board: memory that only this rank writes and the others read. The rank copies its data there, page
 * by page, and continues; the others copy the data from there when they run.
 */
#ifndef POLYMPI_BOARD_H
#define POLYMPI_BOARD_H

#include "collectives/rounds.h"

/* What a page is for. */
enum { EVERYBODY = -1 };

/* Data that are sent to one rank or to EVERYBODY, and data that are received, each in separate pages. */
typedef struct {
    const char *data;
    Py_ssize_t nbytes, done;
    int reader;
} BoardWrite;
typedef struct {
    char *data; /* where bytes `first` to `end` of them go; NULL: they are not needed */
    Py_ssize_t first, end;
    Py_ssize_t nbytes, done;
    int writer;
    uint64_t page; /* of the writer's board, which comes next */
} BoardRead;

/* The page of what a rank writes first in a call, where this is not known yet. */
#define NOT_YET_KNOWN UINT64_MAX

/* Whether this rank has a board of the communicator, which others can read: made with the first call, and
 * then as long as there is memory for it. */
bool board_ready(const Communicator *comm);
/* The page of its board that this rank writes next: pages are counted from the first one ever, which is 0. */
uint64_t board_next(const Communicator *comm);
/* The pages that data take. */
uint64_t board_pages(Py_ssize_t nbytes);
/* What is written and read at the same time. Reads from one rank follow each other, in the order in which it
 * writes. */
typedef struct {
    Collective *collective;
    BoardWrite *write, *writes_end;
    BoardRead *reads;
    int read_count;
    int awaited; /* a rank that has not written yet what is read here; NOBODY: none */
    bool left;   /* it never will in this call */
} BoardExchange;
/* A phase of a call. A rank that leaves the call in it holds nobody up. */
extern const PhaseKind board_phase;
void board_open(BoardExchange *exchange, Collective *collective, BoardWrite *writes, int write_count,
                BoardRead *reads, int read_count);

enum { BOARD_ALIGNMENT = 4096 };

#endif
