/* One case after the other: buffers, validation pass, timing. */
#ifndef POLYMPI_CASES_H
#define POLYMPI_CASES_H

#include "arena.h"
#include "plan.h"
#include "ranks.h"
#include "samples.h"
#include "waiting.h"

#include <mpi.h>

/* How this arm does what a case asks for. */
enum way {
    BY_LIBRARY, /* with the calls of MPI that are made for it */
    BY_SPINNING,
    BY_PACKING /* faces packed by hand, and nothing else */
};

/* What all cases of a launch share, allocated and written to once before the first of them. */
struct workspace {
    enum way way;
    const struct waiting *waiting;
    struct arena arena;
    int64_t *ns;           /* times of the iterations of one case that are timed alone */
    int64_t *batches;      /* times of its batches */
    MPI_Request *requests; /* two windows */
};

/* Allocates for the most demanding case of the plan; false where there is no memory for it. Called by all
 * ranks. */
bool workspace_create(struct workspace *workspace, enum way way, const struct plan *plan, struct ranks ranks);

void workspace_free(struct workspace *workspace);

/* Runs one case and writes its records; called by all ranks. */
void case_run(const struct plan_case *c, int window, struct ranks ranks, struct workspace *workspace,
              struct samples *samples);

#endif
