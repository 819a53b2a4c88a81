/* Pieces that travel by themselves, in and out, while their rank does something else: a leg of a call. */
#ifndef POLYMPI_PASSAGE_H
#define POLYMPI_PASSAGE_H

#include "collectives/leg.h"
#include "collectives/readings.h"

typedef struct {
    Collective *collective;
    Departure *departures;
    const char **slots; /* what comes from each rank, on the heap; NULL: a single piece, or nothing */
    PyObject *own;      /* of this rank; borrowed */
    int looked;         /* at so many slots, in the order of ranks */
    Arrivals arrivals;
    Incoming *single; /* NULL: there is none */
    enum { UNREAD, READING, READ } boards;
    Traffic traffic;
} Passage;
extern const LegKind passage_leg;

/* All clear, with nothing under way. */
void passage_open(Passage *passage, Collective *collective);
/* Send the departures, which are taken over in any case. 0 or -1. */
int passage_send(Passage *passage, Departure *departures);
/* Expect the pieces of all ranks, from their slots (taken over), and this rank's own. 0 or -1. */
int passage_expect(Passage *passage, const char **slots, PyObject *own, const Target *into);
/* Expect a single piece, which travels as a message. 0 or -1. */
int passage_expect_single(Passage *passage, int owner, const Target *into);

/* When the leg is over: the pieces of all ranks, or the single one. A new reference, or NULL. */
PyObject *passage_result(Passage *passage);
/* Nothing is under way, or was given up. */
void passage_close(Passage *passage);

#endif
