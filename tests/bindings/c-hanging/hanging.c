/* Rank 1 sleeps for ever in the second case. The linker puts this in place of case_run (--wrap). */
#define _DEFAULT_SOURCE
#include "cases.h"

#include <unistd.h>

void __real_case_run(const struct plan_case *c, int window, struct ranks ranks, struct workspace *workspace,
                     struct samples *samples);
void __wrap_case_run(const struct plan_case *c, int window, struct ranks ranks, struct workspace *workspace,
                     struct samples *samples);

void __wrap_case_run(const struct plan_case *c, int window, struct ranks ranks, struct workspace *workspace,
                     struct samples *samples) {
    static int begun;
    while (begun == 1 && ranks.rank == 1)
        pause();
    begun++;
    __real_case_run(c, window, ranks, workspace, samples);
}
