/* Rank 1 aborts at the beginning of the second case. The linker puts this in place of case_run (--wrap). */
#define _DEFAULT_SOURCE
#include "cases.h"

#include <stdlib.h>
#include <time.h>

void __real_case_run(const struct polympi_case *c, struct session *session);
void __wrap_case_run(const struct polympi_case *c, struct session *session);

void __wrap_case_run(const struct polympi_case *c, struct session *session) {
    static int begun;
    if (begun++ == 1 && session->rank == 1) {
        /* Rank 0 has time to write that the case began, as it has when a case crashes by itself. */
        nanosleep(&(struct timespec){.tv_nsec = 200 * 1000 * 1000}, NULL);
        abort();
    }
    __real_case_run(c, session);
}
