/* Reductions of large arrays, by the MPI library's collectives, over boards or in segments, phase by phase.
 */
#pragma once

#include "collectives/async_collective.h"
#include "collectives/board.h"
#include "collectives/mailbox.h"
#include "collectives/pieces.h"
#include "reductions/segments.h"

/* Allreduce of large arrays on an oversubscribed machine.
 *
 * Each rank combines one segment of the array for all, from the boards of the others (board.h), and writes
 * the result to its own board: two waits, for any number of ranks.
 */
typedef struct {
    Collective *collective;
    Native native;
    Py_ssize_t count, itemsize; /* of the elements */
    const char *source;
    char *result;           /* may be `source` */
    char *segments;         /* room for as many elements */
    BoardExchange exchange; /* the phase, and what it writes and reads */
    BoardWrite write;
    BoardRead reads[MOST_OVERSUBSCRIBED];
} BoardReduction;

typedef struct {
    Collective *collective;
    Native native;
    int type, root;
    Layout layout; /* of the contribution */
    char *source;  /* its elements in C order: in place, or packed */
    bool packed;
    bool in_place; /* the result overwrites the contribution */
    const Target *into;
    char *result;     /* memory for the elements of the result; NULL: this rank has none */
    bool own_result;  /* that is memory of the pool rather than the target's */
    char *segments;   /* scratch memory for boards or segments, or NULL */
    bool wanted;      /* this rank returns a result */
    Py_ssize_t first; /* row of the result, of reduce_scatter */
    Layout shape;     /* of the result: count, nbytes, ndim and shape only */
    enum { IN_LIBRARY, BRINGING, SPREADING } stage;
    bool by_messages; /* these are, rather than over boards */
    bool blocking;
    Py_ssize_t done; /* elements that are reduced, or will be at the end of the phase */
    int piece;       /* of reduce_scatter, if its pieces are reduced one by one: the rank */
    int *counts;     /* of reduce_scatter */
    PhaseOp phase;
    LibraryCall library;
    BoardReduction board;
    SegmentReduction by_segment;
} LargeReduction;

/* Allocate memory, before the ranks have agreed. `into` fits the result, or is NULL. 0, or -1 with
 * MemoryError; to be closed in either case. */
int large_open(LargeReduction *large, Collective *collective, PyObject *value, enum op op, int root,
               bool wanted, const Target *into);
/* Begin; the arrays of all ranks have the same type and shape. `blocking`: all ranks may block; `in_place`:
 * all can reduce in place; `in_segments`: all have memory for that. 1 with the first phase in `phase`, 0 if
 * there is none, -1. */
int large_begin(LargeReduction *large, bool blocking, bool in_place, bool in_segments);
/* The next one, likewise. */
int large_next(LargeReduction *large);
/* The result, a new reference; None if this rank gets none. */
PyObject *large_result(LargeReduction *large);
/* Before it begins: stop using user buffers, since the result isn't wanted any more. Whether that worked. */
bool large_detach(LargeReduction *large);
void large_close(LargeReduction *large);
