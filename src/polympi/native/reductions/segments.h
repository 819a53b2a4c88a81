/* Reduce and allreduce of large arrays in segments, by messages between the ranks.
 *
 * Each rank receives its segment of the arrays of all others, combines it with its own, and sends the result
 * to the ranks that get it: two steps for any number of ranks, in which each rank sends and receives as much
 * as in the library's algorithms. Below MPI_THREAD_MULTIPLE, MPICH 5.0 instead copies arrays in pieces of 8
 * KiB through shared memory, with a handshake each, while a message of this size is copied once, between the
 * processes. Its algorithm for MPI_THREAD_MULTIPLE sends such messages, too, but its reduce allocates memory
 * in every call, whose pages the C library gives back each time.
 */
#pragma once

#include "collectives/phase_op.h"
#include "reductions/op.h"

typedef struct {
    Collective *collective;
    Native native;
    Py_ssize_t count, itemsize; /* of the elements */
    const char *source;
    char *result;   /* may be `source`; NULL: this rank has none */
    char *segments; /* room for a segment from each other rank */
    bool blocking;  /* wait without sleeping, as in a blocking call of the library */
    int root;       /* which alone gets the result; NOBODY: all do */
    MPI_Request *requests;
    int request_count;
} SegmentReduction;

/* Whether a blocking call is reduced so: the same on all ranks if their arrays have the same type and shape.
 */
bool reduces_in_segments(const Collective *collective, Py_ssize_t nbytes);
/* The segment of a rank: where it begins, and its bytes. */
Py_ssize_t segment_of(Py_ssize_t count, Py_ssize_t itemsize, int size, int rank, Py_ssize_t *first);

/* The first step, then the second: 1 if it goes on as the phase below; 0 if it is over, or -1. */
int segments_bring(SegmentReduction *reduction);
int segments_spread(SegmentReduction *reduction);
void segments_close(SegmentReduction *reduction);
/* The messages of a step. */
extern const PhaseKind segments_phase;
