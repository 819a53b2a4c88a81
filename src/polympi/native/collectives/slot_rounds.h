/* The rounds that send the slots of gather, allgather, scatter and alltoall (pieces.h) to their ranks. */
#pragma once

#include "collectives/pieces.h"
#include "collectives/rounds.h"

/* Up a tree. `slots` begins with this rank's own, of `used` bytes; those of the ranks below it are received
 * after it, in the order of positions. */
typedef struct {
    Rounds rounds;
    const TreePosition *tree;
    char *slots;
    Py_ssize_t used;
    int child;  /* the next one to receive from */
    bool given; /* sent to the parent */
} Collecting;
void collecting_open(Collecting *collecting, Collective *collective, const TreePosition *tree, char *slots,
                     Py_ssize_t used);

/* Among all units. `slots` begins with those of this unit, of `used` bytes; those of the units after it are
 * received after them, cyclically. */
typedef struct {
    Rounds rounds;
    const TreePosition *tree; /* from this unit on */
    char *slots;
    Py_ssize_t used;
    int held; /* of how many units; twice as many after the next round */
} Exchanging;
void exchanging_open(Exchanging *exchanging, Collective *collective, const TreePosition *tree, char *slots,
                     Py_ssize_t used);

/* Down a tree. `slots` are those of this rank's part of the tree, its own first, received except at the root.
 */
typedef struct {
    Rounds rounds;
    const TreePosition *tree;
    char *slots;
    int child;   /* the last one that was sent its slots */
    bool awaits; /* the slots from the parent */
} Handing;
void handing_open(Handing *handing, Collective *collective, const TreePosition *tree, char *slots);

/* To and from all other ranks: slots to send follow each other from `slot` on; those received are in
 * `memory`, `room` bytes each, by rank. */
typedef struct {
    Rounds rounds;
    PyObject *pieces; /* NULL: they could not be cut, with a deferred exception */
    char *memory, *slot;
    MPI_Request *receives; /* pending, by distance */
    Py_ssize_t room;
    bool written;     /* all slots are, so no piece is needed any more */
    int given, taken; /* how many slots so far, in the order of distance */
    Departure *departures;
} Swapping;
/* `memory` has room for the slots of all ranks twice, `requests` for a send and a receive per rank. */
void swapping_open(Swapping *swapping, Collective *collective, PyObject *pieces, char *memory,
                   MPI_Request *requests);
/* Write all slots before the first round, rather than each before it is sent. */
void swapping_write(Swapping *swapping);
/* Leave the pending receives to MPI, after the rounds were given up. */
void swapping_give_up(Swapping *swapping);
/* Its rounds as a phase of a nonblocking call. */
extern const PhaseKind swapping_phase;
