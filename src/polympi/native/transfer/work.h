/* Calls under way that nobody waits for: `progress` moves them on with the messages. */
#ifndef POLYMPI_WORK_H
#define POLYMPI_WORK_H

#include "transfer/communicator.h"

/* Those on one communicator go on one after another, in the order in which they began, which is the same at
 * all ranks: so no letter of a later one is in the way of a letter of an earlier one. */
typedef struct Work {
    /* Move it on without waiting. When it is over, it takes itself off the list, and may be given back. May
     * run Python code. */
    void (*step)(struct Work *work);
    const Communicator *comm;
    bool moving;        /* a thread moves it on, perhaps in Python code, where others run: leave it alone */
    unsigned long turn; /* the last in which it was moved on */
    struct Work *next;
} Work;

void work_list(Work *work);
void work_unlist(Work *work);
extern Work *oldest_work; /* guarded by the GIL; NULL: there is none */
/* Whether nothing on its communicator began before it; NULL: whether nothing there is under way at all. */
bool work_is_first(const Communicator *comm, const Work *work);
/* Move all on, as far as they go. */
void work_progress(void);

#endif
