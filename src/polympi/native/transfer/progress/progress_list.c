#include "transfer/progress/progress_list.h"

#include "base/list.h"

ProgressItem *oldest_item;

void progress_list_add(ProgressItem *item) { LIST_APPEND(oldest_item, item); }

void progress_list_remove(ProgressItem *item) { LIST_REMOVE(oldest_item, item); }

bool progress_list_is_first(const Communicator *comm, const ProgressItem *item) {
    for (const ProgressItem *other = oldest_item; other && other != item; other = other->next)
        if (other->comm == comm)
            return false;
    return true;
}

bool progress_list_runs_this(const Communicator *comm) {
    for (const ProgressItem *item = oldest_item; item; item = item->next)
        if (item->comm == comm && item->moving && item->thread == PyThread_get_thread_ident())
            return true;
    return false;
}

int progress_list_over(void *comm) { return progress_list_is_first(comm, NULL); }

/* The next that hasn't been stepped in this turn. A step may run Python code, in which others change the
 * list. */
static ProgressItem *next_in_turn(unsigned long turn) {
    for (ProgressItem *item = oldest_item; item; item = item->next)
        if (item->turn < turn && !item->moving && progress_list_is_first(item->comm, item))
            return item;
    return NULL;
}

void progress_list_step(void) {
    static unsigned long turns;
    const unsigned long turn = ++turns;
    ProgressItem *item;
    while (state.phase == RUNNING && (item = next_in_turn(turn))) {
        item->turn = turn;
        item->step(item);
    }
}
