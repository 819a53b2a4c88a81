/* Rank 1 sleeps forever in the second case. The linker puts this in place of case_run (--wrap). */
#define _DEFAULT_SOURCE
#include "cases.h"

#include <unistd.h>

void __real_case_run(const struct polympi_case *c, struct session *session);
void __wrap_case_run(const struct polympi_case *c, struct session *session);

void __wrap_case_run(const struct polympi_case *c, struct session *session) {
    static int begun;
    while (begun == 1 && session->rank == 1)
        pause();
    begun++;
    __real_case_run(c, session);
}
