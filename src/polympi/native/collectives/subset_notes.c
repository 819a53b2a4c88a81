#include "collectives/subset_notes.h"

#include "base/errors.h"
#include "base/list.h"
#include "transfer/transfer.h"

typedef struct SentNote {
    struct SentNote *next;
    MPI_Request request;
    SubsetNote note;
} SentNote;

typedef struct SubsetNumber {
    struct SubsetNumber *next;
    uint64_t key;
    uint32_t calls;
} SubsetNumber;

int subset_notes_open(Communicator *comm) {
    if (!comm->subsets && !(comm->subsets = PyMem_RawCalloc(1, sizeof *comm->subsets)))
        return no_memory();
    return 0;
}

uint32_t *subset_number(Communicator *comm, uint64_t key) {
    SubsetNumber *number = comm->subsets->numbers;
    while (number && number->key != key)
        number = number->next;
    if (number)
        return &number->calls;
    number = PyMem_RawMalloc(sizeof *number);
    if (!number)
        return no_memory(), NULL;
    number->key = key;
    number->calls = 0;
    LIST_PUSH(comm->subsets->numbers, number);
    return &number->calls;
}

/* ---- out ---- */

static void forget_what_was_received(struct Subsets *subsets) {
    for (SentNote **link = &subsets->sent; *link;) {
        SentNote *sent = *link;
        int complete = 0;
        if (locked_test(&sent->request, 1, MPI_STATUSES_IGNORE, &complete) == MPI_SUCCESS && !complete) {
            link = &sent->next;
            continue;
        }
        *link = sent->next;
        PyMem_RawFree(sent);
    }
}

int subset_note_send(Communicator *comm, int dest, const SubsetNote *note, const Call *call) {
    forget_what_was_received(comm->subsets);
    SentNote *sent = PyMem_RawMalloc(sizeof *sent);
    if (!sent)
        return no_memory();
    sent->note = *note;
    if (checked_isend(&sent->note, sizeof sent->note, MPI_BYTE, dest, subset_tag(), comm->shadow,
                      &sent->request, call) < 0) {
        PyMem_RawFree(sent);
        return -1;
    }
    LIST_PUSH(comm->subsets->sent, sent);
    return 0;
}

/* ---- in ---- */

/* NULL: it doesn't wait, as far as this rank knows. */
static ArrivedNote *take_wait(struct Subsets *subsets, int source) {
    return LIST_TAKE(subsets->arrived, arrived,
                     arrived->source == source && arrived->note.step == SUBSET_WAITS);
}

int subset_count(Communicator *comm, uint64_t key, uint32_t number) {
    uint32_t *calls = subset_number(comm, key);
    if (!calls)
        return -1;
    if (*calls < number)
        *calls = number;
    return 0;
}

int subset_notes_cross(Communicator *comm, int source) {
    ArrivedNote *wait;
    while ((wait = take_wait(comm->subsets, source))) {
        const SubsetNote note = wait->note;
        PyMem_RawFree(wait);
        if (subset_count(comm, note.key, note.number) < 0)
            return -1;
    }
    return 0;
}

int subset_notes_take(Communicator *comm, const Call *call) {
    for (;;) {
        SubsetNote note;
        MPI_Status status;
        int found = 0;
        int code = IN_TURN(receive_found(&note, sizeof note, subset_tag(), comm->shadow, &found, &status));
        if (code != MPI_SUCCESS)
            return raise_mpi(code, call);
        if (!found)
            return 0;
        ArrivedNote *arrived = PyMem_RawMalloc(sizeof *arrived);
        if (!arrived)
            return no_memory();
        *arrived = (ArrivedNote){.source = status.MPI_SOURCE, .note = note};
        if (note.step == SUBSET_LEFT) /* and so waits no longer */
            PyMem_RawFree(take_wait(comm->subsets, arrived->source));
        LIST_APPEND(comm->subsets->arrived, arrived);
    }
}

void subset_notes_drop(Communicator *comm, uint64_t key, uint32_t number) {
    ArrivedNote *dropped;
    while ((dropped = LIST_TAKE(comm->subsets->arrived, arrived,
                                arrived->note.key == key && arrived->note.number <= number)))
        PyMem_RawFree(dropped);
}

void subset_notes_close(Communicator *comm) {
    struct Subsets *subsets = comm->subsets;
    if (!subsets)
        return;
    comm->subsets = NULL;
    while (subsets->arrived)
        PyMem_RawFree(LIST_TAKE(subsets->arrived, first, true));
    while (subsets->numbers)
        PyMem_RawFree(LIST_TAKE(subsets->numbers, first, true));
    if (state.phase == RUNNING)
        forget_what_was_received(subsets);
    PyMem_RawFree(subsets); /* MPI may still read notes that are in flight */
}
