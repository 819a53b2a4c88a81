#include "transfer/work.h"

Work *oldest_work;

void work_list(Work *work) {
    Work **link = &oldest_work;
    while (*link)
        link = &(*link)->next;
    work->next = NULL;
    *link = work;
}

void work_unlist(Work *work) {
    Work **link = &oldest_work;
    while (*link && *link != work)
        link = &(*link)->next;
    if (*link)
        *link = work->next;
}

bool work_is_first(const Communicator *comm, const Work *work) {
    for (const Work *other = oldest_work; other && other != work; other = other->next)
        if (other->comm == comm)
            return false;
    return true;
}

/* The next that has not had this turn. A step may run Python code, in which others change the list. */
static Work *next_in_turn(unsigned long turn) {
    for (Work *work = oldest_work; work; work = work->next)
        if (work->turn < turn && !work->moving && work_is_first(work->comm, work))
            return work;
    return NULL;
}

void work_progress(void) {
    static unsigned long turns;
    const unsigned long turn = ++turns;
    Work *work;
    while (state.phase == RUNNING && (work = next_in_turn(turn))) {
        work->turn = turn;
        work->step(work);
    }
}
