#define _DEFAULT_SOURCE
#include "cases.h"
#include "facts.h"

#include <mpi.h>
#include <stdio.h>

/* Whether any rank has a complaint; rank 0 says it. */
static bool anybody_complains(const struct session *session, char *complaint) {
    if (!polympi_share_complaint(complaint))
        return false;
    if (session->rank == 0)
        fprintf(stderr, "%s\n", complaint);
    return true;
}

/* Everything between the files and the exit code. */
static int32_t run_plan(const struct polympi_launch *launch, const struct polympi_plan *plan,
                        struct session *session) {
    char complaint[POLYMPI_COMPLAINT_BYTES] = "";
    common_start_begin();
    facts_write(session->samples, launch);
    facts_write_places(session->samples);
    if (!session_allocate(session, plan))
        snprintf(complaint, sizeof complaint,
                 "Not enough memory for the largest message of the plan '%.300s'.", launch->plan);
    if (anybody_complains(session, complaint))
        return POLYMPI_NO_MEMORY;
    facts_write_pages(session->samples, &session->arena);
    for (int64_t i = 0; i < plan->count; i++)
        case_run(&plan->cases[i], session);
    session_free(session);
    facts_write_clocks(session->samples);
    common_start_end();
    polympi_samples_record(session->samples, "end");
    polympi_samples_close(session->samples);
    return POLYMPI_DONE;
}

int32_t polympi_run(const struct polympi_launch *launch, const struct polympi_program *program) {
    char complaint[POLYMPI_COMPLAINT_BYTES] = "";
    struct session session = {.program = program, .opted_in = launch->opted_in};
    struct polympi_plan plan;
    MPI_Comm_rank(MPI_COMM_WORLD, &session.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &session.ranks);
    if (launch->complaint)
        snprintf(complaint, sizeof complaint, "%s", launch->complaint);
    if (anybody_complains(&session, complaint))
        return POLYMPI_CANNOT_DO_THE_PLAN;
    if (polympi_plan_read(launch->plan, &plan, complaint) && session.rank == 0)
        session.samples = polympi_samples_open(launch->samples, complaint);
    int32_t code = POLYMPI_CANNOT_DO_THE_PLAN;
    if (!anybody_complains(&session, complaint)) {
        session.window = plan.window;
        if (launch->plain_pages)
            plan.pages = POLYMPI_PLAIN_PAGES;
        code = run_plan(launch, &plan, &session);
    }
    polympi_plan_free(&plan);
    return code;
}
