/* Allreduce of large arrays on an oversubscribed machine.
 *
 * Each rank combines one segment of the array for all, from the boards of the others (board.h), and writes
 * the result to its own board: two waits, for any number of ranks.
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

/* Whether a call is reduced so: the same on all ranks if their arrays have the same type and shape. */
bool reduces_on_boards(const Collective *collective, Py_ssize_t nbytes);

/* Two phases (board_phase): read this rank's segment of all arrays; then combine these, write the result, and
 * read those of the others. 0 or -1. */
void board_bring(BoardReduction *reduction);
int board_spread(BoardReduction *reduction);

#endif
