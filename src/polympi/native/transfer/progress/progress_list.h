/* Calls in flight that nobody waits for; `progress` steps them together with the messages. */
#pragma once

#include "transfer/communicator.h"

/* Those on one communicator progress one after another, in the order in which they began, which is the same
 * on all ranks: so no letter of a later one blocks a letter of an earlier one. */
typedef struct ProgressItem {
    /* Move it on without waiting. When it is over, it takes itself off the list, and may be given back. May
     * run Python code. */
    void (*step)(struct ProgressItem *item);
    const Communicator *comm;
    bool moving;          /* a thread is stepping it, perhaps in Python code: leave it alone */
    unsigned long thread; /* that one */
    unsigned long turn;   /* the last in which it was stepped */
    struct ProgressItem *next;
} ProgressItem;

void progress_list_add(ProgressItem *item);
void progress_list_remove(ProgressItem *item);
extern ProgressItem *oldest_item; /* guarded by the GIL; NULL: there is none */
/* Whether nothing on its communicator began before it; for NULL, whether nothing there is in flight. */
bool progress_list_is_first(const Communicator *comm, const ProgressItem *item);
/* Whether this thread is stepping one on the communicator, in Python code that it runs. */
bool progress_list_runs_this(const Communicator *comm);
/* For wait_poll: whether nothing is in flight there. */
int progress_list_over(void *comm);
/* Step all of them as far as possible. */
void progress_list_step(void);
