/* What the members of a subset agree on before they make its communicator, without the other ranks.
 *
 * The lowest member leads: all others ask it, and it answers when all have. A rank that has waited for long
 * tells all members, so that two members that wait for each other in different calls notice it.
 */
#pragma once

#include "collectives/subset_notes.h"

typedef struct Subset {
    Communicator *comm;
    const int *ranks; /* of `comm`, in the order of the new communicator */
    int count;
    int leader;
    SubsetNote note; /* how those of this rank begin */
    Call call;       /* its peer is the member that this one waits for */
    char *members;   /* enum membership of each rank of `comm` */
    int missing;     /* members that have not asked; except at the leader, 1 until it answers */
    bool all;        /* whether all that have asked say yes; or that answer */
    bool begun;
    double since; /* when the call began */
    bool told;    /* this rank has told all that it waits */
} Subset;

/* Ranks that were checked, this one among them; 0, or -1 with MemoryError. */
int subset_open(Subset *subset, Communicator *comm, const int *ranks, int count, uint32_t label);
/* Before the first question; earlier calls with these ranks are over. 0 or -1. */
int subset_begin(Subset *subset);
/* Whether all members say yes: 1, 0, or -1 with an exception. */
int subset_ask(Subset *subset, bool yes);
/* The call is over, or `left` by the current exception, which the others learn of. */
void subset_close(Subset *subset, bool left);
