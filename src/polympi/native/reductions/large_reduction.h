/* Reductions of large arrays, by the MPI library's own collectives or over boards: moved on phase by phase.
 */
#ifndef POLYMPI_LARGE_REDUCTION_H
#define POLYMPI_LARGE_REDUCTION_H

#include "collectives/async_collective.h"
#include "collectives/pieces.h"
#include "reductions/board_reduction.h"

typedef struct {
    Collective *collective;
    Native native;
    int type, root;
    Layout layout; /* of the contribution */
    char *source;  /* its elements in C order: where they lie, or packed */
    bool packed;
    bool in_place; /* the result goes where the contribution lies */
    const Target *into;
    char *result;     /* where the elements of the result go; NULL where there are none */
    bool own_result;  /* memory of the pool rather than that of the target */
    char *segments;   /* where it is made on boards (board_reduction.h): room for that */
    bool wanted;      /* this rank returns a result */
    Py_ssize_t first; /* row of the result, of reduce_scatter */
    Layout shape;     /* of the result: count, nbytes, ndim and shape only */
    enum { IN_LIBRARY, BRINGING, SPREADING } stage;
    bool blocking;
    Py_ssize_t done; /* elements that are reduced, or will be when the phase is over */
    int piece;       /* of reduce_scatter, where its pieces are reduced one by one: the rank */
    int *counts;     /* of reduce_scatter */
    PhaseOp phase;
    LibraryCall library;
    BoardReduction board;
} LargeReduction;

/* Get ready, before the ranks have agreed. `into` fits the result, or is NULL. 0, or
 * -1 with MemoryError; to be closed in either case. */
int large_open(LargeReduction *large, Collective *collective, PyObject *value, enum op op, int root,
               bool wanted, const Target *into);
/* All ranks have come with arrays of one type and shape. `blocking`: all may block; `in_place`: all can
 * reduce in place; `on_boards`: all have room for that. 1 with the first phase in `phase`, 0 when there is
 * none, -1. */
int large_begin(LargeReduction *large, bool blocking, bool in_place, bool on_boards);
/* The next one, likewise. */
int large_next(LargeReduction *large);
/* The result, a new reference, None where there is none. */
PyObject *large_result(LargeReduction *large);
/* Before it begins: do without memory of the user, as nobody wants the result any more. Whether that is so
 * now. */
bool large_detach(LargeReduction *large);
void large_close(LargeReduction *large);

#endif
