/* The reference program of the laboratory: every case of docs/protocol.md in C, as lean as C gets.

       mpiexec -n RANKS bench PLAN SAMPLES [single|funneled|serialized|multiple]
   [spin|pack|plain|unacknowledged]
       [--name NAME] */
#define _DEFAULT_SOURCE
#include "applications.h"
#include "arm.h"
#include "polympi_harness.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct arguments {
    const char *plan;
    const char *samples;
    const char *name;
    int thread_level;
    enum way way;
    bool plain; /* small pages, whatever the plan says */
};

/* MPI's constant for `single`, `funneled`, `serialized` or `multiple`; false for another name. */
static bool thread_level(const char *name, int *level) {
    const char *const names[] = {"single", "funneled", "serialized", "multiple"};
    const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};
    for (int i = 0; i < 4; i++)
        if (strcmp(name, names[i]) == 0) {
            *level = levels[i];
            return true;
        }
    return false;
}

/* Reads the command line; on failure writes one sentence to `complaint`. */
static struct arguments read_arguments(int argc, char **argv, char complaint[POLYMPI_COMPLAINT_BYTES]) {
    struct arguments arguments = {.name = "c", .thread_level = MPI_THREAD_SINGLE, .way = BY_LIBRARY};
    if (argc < 3) {
        snprintf(complaint, POLYMPI_COMPLAINT_BYTES,
                 "Usage: bench PLAN SAMPLES [single|funneled|serialized|multiple] "
                 "[spin|pack|plain|unacknowledged] [--name NAME].");
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
        else if (strcmp(argv[i], "unacknowledged") == 0)
            arguments.way = UNACKNOWLEDGED;
        else if (strcmp(argv[i], "plain") == 0)
            arguments.plain = true;
        else if (!thread_level(argv[i], &arguments.thread_level))
            snprintf(
                complaint, POLYMPI_COMPLAINT_BYTES,
                "'%.80s' is neither a thread level (single, funneled, serialized, multiple), nor spin, pack, "
                "plain, unacknowledged, or --name NAME.",
                argv[i]);
    return arguments;
}

/* What the arm does, and applications, which are the same in all arms. */
static struct polympi_program arm;

static const char *refuse(void *context, const struct polympi_case *c) {
    return application_is_asked_for(c) ? NULL : arm.refuse(context, c);
}

static void prepare(void *context, const struct polympi_case *c, const struct polympi_buffers *buffers,
                    struct polympi_callbacks *callbacks) {
    if (application_is_asked_for(c))
        application_prepare(c, buffers, callbacks);
    else
        arm.prepare(context, c, buffers, callbacks);
}

int main(int argc, char **argv) {
    char complaint[POLYMPI_COMPLAINT_BYTES] = "";
    const struct arguments arguments = read_arguments(argc, argv, complaint);
    struct polympi_launch launch = {.plan = arguments.plan,
                                    .samples = arguments.samples,
                                    .binding = arguments.name,
                                    .complaint = complaint,
                                    .plain_pages = arguments.plain,
                                    .opted_in = arm_opts_in() | applications_opt_in()};
    int provided;
    const int64_t start = polympi_now();
    MPI_Init_thread(&argc, &argv, arguments.thread_level, &provided);
    launch.init_ns = polympi_now() - start;
    MPI_Barrier(MPI_COMM_WORLD);
    launch.ready_ns = polympi_now();
    polympi_memory(&launch.pss_bytes, &launch.rss_bytes);
    const struct polympi_program program = {.refuse = refuse, .prepare = prepare};
    arm = arm_begin(arguments.way, arguments.plan);
    const int32_t code = polympi_run(&launch, &program);
    arm_end();
    MPI_Finalize();
    return code;
}
