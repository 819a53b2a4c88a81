/* The rounds that bring the slots of gather, allgather, scatter and alltoall (pieces.h) to where they are
 * for. */
#ifndef POLYMPI_SLOT_ROUNDS_H
#define POLYMPI_SLOT_ROUNDS_H

#include "collectives/pieces.h"
#include "collectives/rounds.h"

/* Up a tree. `slots` begins with this rank's own, of `used` bytes; those of its part of the tree follow, in
 * the order of positions. */
typedef struct {
    Rounds rounds;
    const TreePosition *tree;
    char *slots;
    Py_ssize_t used;
    int child;  /* the next one that gives this rank its slots */
    bool given; /* to the parent */
} Collecting;
void collecting_open(Collecting *collecting, Collective *collective, const TreePosition *tree, char *slots,
                     Py_ssize_t used);

/* Among all units. `slots` begins with those of this unit, of `used` bytes; in the end those of the units
 * after it follow, the last one's after the first's. */
typedef struct {
    Rounds rounds;
    const TreePosition *tree; /* from this unit on */
    char *slots;
    Py_ssize_t used;
    int held; /* of so many units, after the next round of twice as many */
} Exchanging;
void exchanging_open(Exchanging *exchanging, Collective *collective, const TreePosition *tree, char *slots,
                     Py_ssize_t used);

/* Down a tree. `slots` are those of this rank's part of the tree, its own first; elsewhere than at the root
 * they come there. */
typedef struct {
    Rounds rounds;
    const TreePosition *tree;
    char *slots;
    int child;   /* the one that got its slots last */
    bool awaits; /* the slots from above */
} Handing;
void handing_open(Handing *handing, Collective *collective, const TreePosition *tree, char *slots);

/* To and from all other ranks: slots to send follow each other from `slot` on, those that come have `room`
 * each, by rank. */
typedef struct {
    Rounds rounds;
    PyObject *pieces; /* NULL: they could not be cut, for a reason that is deferred */
    char *memory, *slot;
    MPI_Request *receives; /* begun, of each source */
    Py_ssize_t room;
    bool written;     /* the slots are: no piece is needed any more */
    int given, taken; /* slots so far, in order of distance */
    Departure *departures;
} Swapping;
/* `memory` has room for the slots of all ranks twice, `requests` for one to and one from each rank. */
void swapping_open(Swapping *swapping, Collective *collective, PyObject *pieces, char *memory,
                   MPI_Request *requests);
/* Write all slots before the first round, instead of each before it is sent. */
void swapping_write(Swapping *swapping);
/* Leave the receives that were begun to MPI, after the rounds were given up. */
void swapping_give_up(Swapping *swapping);
/* Its rounds as a phase of a call that was begun. */
extern const PhaseKind swapping_phase;

#endif
