/* Allreduce of large arrays where ranks share processors and memory.
 *
 * Each rank combines one segment of the array for all, from the boards of the others (board.h), and writes
 * the result on its own board: two waits, for any number of ranks.
 */
#ifndef POLYMPI_BOARD_REDUCTION_H
#define POLYMPI_BOARD_REDUCTION_H

#include "collectives/board.h"
#include "collectives/mailbox.h"
#include "reductions/op.h"

typedef struct {
    Collective *collective;
    Native native;
    Py_ssize_t count, itemsize; /* of the elements */
    const char *source;
    char *result;           /* may be `source` */
    char *segments;         /* room for as many elements */
    BoardExchange exchange; /* the phase, and what it writes and reads */
    BoardWrite write;
    BoardRead reads[MOST_IN_A_CROWD];
} BoardReduction;

/* Whether a call uses this way, which is the same on all ranks with arrays of one type and shape. */
bool reduces_on_boards(const Collective *collective, Py_ssize_t nbytes);

/* Two phases (board_phase): bring this rank's segment of all here; then, when these are combined, give the
 * others the result and take theirs. 0 or -1. */
void board_bring(BoardReduction *reduction);
int board_spread(BoardReduction *reduction);

#endif
