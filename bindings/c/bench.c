/* The reference program of the laboratory: every case of docs/protocol.md in C, as lean as C gets.

       mpiexec -n RANKS bench PLAN SAMPLES [single|funneled|serialized|multiple] [spin|pack|plain] [--name
   NAME] */
#define _DEFAULT_SOURCE
#include "cases.h"
#include "clock.h"
#include "common_start.h"
#include "facts.h"
#include "payload.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CANNOT_DO_THE_PLAN = 3, NO_MEMORY = 4 };

struct arguments {
    const char *plan;
    const char *samples;
    const char *name;
    int thread_level;
    enum way way;
    bool plain; /* small pages, whatever the plan says */
};

/* Reads the command line; on failure writes one sentence to `complaint`. */
static struct arguments read_arguments(int argc, char **argv, char complaint[COMPLAINT_BYTES]) {
    struct arguments arguments = {.name = "c", .thread_level = MPI_THREAD_SINGLE, .way = BY_LIBRARY};
    if (argc < 3) {
        snprintf(complaint, COMPLAINT_BYTES,
                 "Usage: bench PLAN SAMPLES [single|funneled|serialized|multiple] [spin|pack|plain] "
                 "[--name NAME].");
        return arguments;
    }
    arguments.plan = argv[1];
    arguments.samples = argv[2];
    for (int i = 3; i < argc; i++)
        if (strcmp(argv[i], "--name") == 0 && i + 1 < argc)
            arguments.name = argv[++i];
        else if (strcmp(argv[i], "spin") == 0)
            arguments.way = BY_SPINNING;
        else if (strcmp(argv[i], "pack") == 0)
            arguments.way = BY_PACKING;
        else if (strcmp(argv[i], "plain") == 0)
            arguments.plain = true;
        else if (!thread_level(argv[i], &arguments.thread_level))
            snprintf(
                complaint, COMPLAINT_BYTES,
                "'%.80s' is neither a thread level (single, funneled, serialized, multiple), nor spin, pack, "
                "plain, or --name NAME.",
                argv[i]);
    return arguments;
}

/* Starts MPI and times it, up to the first barrier. */
static struct startup start_mpi(int *argc, char ***argv, int level) {
    struct startup startup;
    int provided;
    const int64_t start = now_ns();
    MPI_Init_thread(argc, argv, level, &provided);
    startup.init = now_ns() - start;
    MPI_Barrier(MPI_COMM_WORLD);
    startup.ready = now_ns();
    return startup;
}

/* Ends all ranks with `code` if any has a complaint; rank 0 says it. */
static void end_if_any_complains(struct ranks ranks, char complaint[COMPLAINT_BYTES], int code) {
    if (!share_complaint(ranks, complaint))
        return;
    if (ranks.rank == 0)
        fprintf(stderr, "%s\n", complaint);
    MPI_Finalize();
    exit(code);
}

int main(int argc, char **argv) {
    char complaint[COMPLAINT_BYTES] = "";
    const struct arguments arguments = read_arguments(argc, argv, complaint);
    const struct startup startup = start_mpi(&argc, &argv, arguments.thread_level);
    const struct memory memory = memory_now();
    struct ranks ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &ranks.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks.size);
    end_if_any_complains(ranks, complaint, CANNOT_DO_THE_PLAN);

    struct plan plan;
    struct samples *samples = NULL;
    if (plan_read(arguments.plan, &plan, complaint, sizeof complaint) && ranks.rank == 0)
        samples = samples_open(arguments.samples, complaint, sizeof complaint);
    end_if_any_complains(ranks, complaint, CANNOT_DO_THE_PLAN);
    if (arguments.plain)
        plan.pages = PLAIN_PAGES;
    common_start_begin();
    facts_write(samples, ranks, arguments.name, startup, memory);

    struct workspace workspace = {0};
    payload_begin();
    if (!workspace_create(&workspace, arguments.way, &plan, ranks))
        snprintf(complaint, sizeof complaint,
                 "Not enough memory for the largest message of the plan '%.300s'.", arguments.plan);
    end_if_any_complains(ranks, complaint, NO_MEMORY);
    facts_write_pages(samples, ranks, &workspace.arena);
    for (size_t i = 0; i < plan.count; i++)
        case_run(&plan.cases[i], plan.window, ranks, &workspace, samples);
    payload_end();
    workspace_free(&workspace);
    common_start_end();
    plan_free(&plan);
    samples_record(samples, "end");
    samples_close(samples);
    MPI_Finalize();
    return 0;
}
