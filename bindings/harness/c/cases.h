/* One case after the other: buffers, validation pass, timing. */
#ifndef POLYMPI_CASES_H
#define POLYMPI_CASES_H

#include "polympi_harness.h"

#include <stdbool.h>

/* What all cases of a launch share; its memory is allocated and written to once before the first of them. */
struct session {
    const struct polympi_program *program;
    struct polympi_samples *samples; /* NULL on all ranks but 0 */
    int32_t rank;
    int32_t ranks;
    int32_t window;
    int64_t opted_in; /* as in struct polympi_launch */
    struct polympi_arena arena;
    int64_t *ns;            /* times of the iterations of one case that are timed alone */
    int64_t *batches;       /* times of its batches */
    int64_t *communication; /* of these, the times that an application spent in calls of communication */
};

/* Allocates for the most demanding case of the plan; false where there is no memory for it. */
bool session_allocate(struct session *session, const struct polympi_plan *plan);

void session_free(struct session *session);

/* Runs one case and writes its records; called by all ranks. */
void case_run(const struct polympi_case *c, struct session *session);

#endif
