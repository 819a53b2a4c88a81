/* The seam between the core and MPI's calls for one-sided communication (MPI 5.0, chapter 12).
 *
 * MPI_Win_fence isn't called: a fence is MPI_Win_unlock_all and a barrier of the core, in whose wait
 * time-outs, signals and all pending messages have their turns.
 */
#pragma once

#include "transport/transport.h"

enum window_call {
    WINDOW_LOCK,
    WINDOW_UNLOCK,
    WINDOW_LOCK_ALL,
    WINDOW_UNLOCK_ALL,
    WINDOW_FLUSH,
    WINDOW_FLUSH_ALL,
    WINDOW_PUT,
    WINDOW_GET,
    WINDOW_ACCUMULATE,
    WINDOW_GET_ACCUMULATE,
    WINDOW_FETCH_AND_OP, /* this one and the next are complete when they return */
    WINDOW_COMPARE_AND_SWAP
};

enum { WIDEST_ELEMENT = 32 }; /* a complex long double */

typedef struct {
    enum window_call call;
    MPI_Win win;
    int rank;       /* of the target; not of calls for all */
    bool exclusive; /* of a lock */
    void *data;     /* of the origin: contiguous */
    void *result;   /* of WINDOW_GET_ACCUMULATE: likewise */
    MPI_Aint count; /* of elements */
    MPI_Aint itemsize;
    int units; /* of the type, in an element */
    MPI_Datatype type;
    MPI_Request *requests; /* of an access: one for each of its pieces, or NULL */
    MPI_Aint offset;       /* in elements of the target's window */
    MPI_Op op;
    char value[WIDEST_ELEMENT], expected[WIDEST_ELEMENT], found[WIDEST_ELEMENT]; /* of the last two calls */
} WindowCall;

/* The most bytes of one of MPI's accesses, which count in an int; larger ones are made in pieces. */
extern size_t window_most_bytes;
/* How many pieces an access has. */
MPI_Aint window_pieces(const WindowCall *what);

/* Make the call: MPI's code. Needs the turn in MPI, not the GIL. */
int window_call(WindowCall *what);

/* A window of this memory, whose errors are returned. Collective. */
int window_make(MPI_Comm comm, void *memory, MPI_Aint nbytes, int itemsize, MPI_Win *win);
/* Free it. Collective. */
int window_free(MPI_Win *win);
