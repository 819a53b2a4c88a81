/* Notes between the members of subsets (collective_wire.h), on the shadow communicator with their own tag:
 * ranks that aren't members take no part, so that no collective call of the communicator can serve.
 *
 * Notes that have arrived are kept in a list of the communicator, in their order, until the call that they
 * belong to takes them, or is over.
 */
#pragma once

#include "collectives/collective_wire.h"
#include "transfer/communicator.h"

typedef struct ArrivedNote {
    struct ArrivedNote *next;
    int source;
    SubsetNote note;
} ArrivedNote;

struct Subsets {
    ArrivedNote *arrived;
    struct SentNote *sent;        /* that may be in flight */
    struct SubsetNumber *numbers; /* of calls with the same ranks */
};

/* Before anything else with a communicator: 0 or -1. */
int subset_notes_open(Communicator *comm);
/* How many calls this rank has begun with the ranks of that key, to be changed by the caller; NULL with
 * MemoryError. */
uint32_t *subset_number(Communicator *comm, uint64_t key);
/* Count a call with the ranks of a key, and those before it, as if this rank had made them. 0 or -1. */
int subset_count(Communicator *comm, uint64_t key, uint32_t number);
/* Send a note, and don't wait. 0 or -1. */
int subset_note_send(Communicator *comm, int dest, const SubsetNote *note, const Call *call);
/* Append the notes that have arrived to the list. 0 or -1. */
int subset_notes_take(Communicator *comm, const Call *call);
/* Drop the notes of a call that is over, and of earlier ones with the same ranks. */
void subset_notes_drop(Communicator *comm, uint64_t key, uint32_t number);
/* Drop the notes of a rank that it waits, and count its calls here, too: the two ranks have waited for each
 * other in vain, so that neither will make them. 0 or -1. */
int subset_notes_cross(Communicator *comm, int source);
/* The communicator is being freed. */
void subset_notes_close(Communicator *comm);
