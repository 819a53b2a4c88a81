/* The faults that the variable PLANTED_FAULT chooses from. The linker calls these functions instead of the
   functions of the harness (--wrap). */
#define _DEFAULT_SOURCE
#include "cases.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void __real_case_run(const struct polympi_case *c, struct session *session);
void __wrap_case_run(const struct polympi_case *c, struct session *session);
void __real_polympi_payload_fill(void *message, const struct polympi_case *c, int32_t origin, int32_t slot);
void __wrap_polympi_payload_fill(void *message, const struct polympi_case *c, int32_t origin, int32_t slot);

static int planted(const char *fault) { return strcmp(getenv("PLANTED_FAULT"), fault) == 0; }

/* Rank 1 aborts at the beginning of the second case, or sleeps there forever. */
void __wrap_case_run(const struct polympi_case *c, struct session *session) {
    static int begun;
    const int faulty = begun++ == 1 && session->rank == 1;
    while (faulty && planted("hang"))
        pause();
    if (faulty && planted("crash")) {
        /* Rank 0 has time to write that the case began, as it has when a case crashes by itself. */
        nanosleep(&(struct timespec){.tv_nsec = 200 * 1000 * 1000}, NULL);
        abort();
    }
    __real_case_run(c, session);
}

/* The last byte of every message of bytes or doubles is sent wrong: the validation pass must report it. */
void __wrap_polympi_payload_fill(void *message, const struct polympi_case *c, int32_t origin, int32_t slot) {
    __real_polympi_payload_fill(message, c, origin, slot);
    if (planted("wrong") && (c->payload == POLYMPI_BYTES || c->payload == POLYMPI_FLOAT64) && c->bytes > 0)
        ((unsigned char *)message)[c->bytes - 1] ^= 1;
}
