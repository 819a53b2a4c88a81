#define _DEFAULT_SOURCE
#include "applications.h"
#include "inner_product.h"
#include "matmul.h"
#include "poisson_cg.h"
#include "sort.h"
#include "triad.h"
#include "wave.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

/* The functions of a program; the first argument of all but `create` is what that returned. */
struct program {
    void *(*create)(const struct polympi_case *c, int64_t edge);
    void (*restart)(void *program);
    void (*advance)(void *program, int64_t iterations);
    void (*part)(const void *program, struct application_part *part);
    int64_t (*communication_ns)(const void *program);
    void (*free)(void *program);
};

/* Makes `NAME_program` of the functions NAME_restart, ...; EXPRESSION creates the program. */
#define DEFINE_PROGRAM(name, expression)                                                                     \
    static void *name##_make(const struct polympi_case *c, int64_t edge) {                                   \
        (void)c;                                                                                             \
        return expression;                                                                                   \
    }                                                                                                        \
    static void name##_begin(void *program) { name##_restart(program); }                                     \
    static void name##_iterate(void *program, int64_t iterations) { name##_advance(program, iterations); }   \
    static void name##_show(const void *program, struct application_part *part) {                            \
        name##_part(program, part);                                                                          \
    }                                                                                                        \
    static int64_t name##_spent(const void *program) { return name##_communication_ns(program); }            \
    static void name##_end(void *program) { name##_free(program); }                                          \
    static const struct program name##_program = {name##_make, name##_begin, name##_iterate,                 \
                                                  name##_show, name##_spent, name##_end}

DEFINE_PROGRAM(inner_product, inner_product_create(MPI_COMM_WORLD, edge));
DEFINE_PROGRAM(wave, wave_create(MPI_COMM_WORLD, edge, c->variant == POLYMPI_VARIANT_OVERLAPPED));
DEFINE_PROGRAM(poisson_cg,
               poisson_cg_create(MPI_COMM_WORLD, edge,
                                 c->variant == POLYMPI_VARIANT_MERGED       ? POISSON_CG_MERGED
                                 : c->variant == POLYMPI_VARIANT_OVERLAPPED ? POISSON_CG_OVERLAPPED
                                                                            : POISSON_CG_BLOCKING));
DEFINE_PROGRAM(matmul, matmul_create(MPI_COMM_WORLD, edge));
DEFINE_PROGRAM(sort, sort_create(MPI_COMM_WORLD, edge));
DEFINE_PROGRAM(triad, triad_create(MPI_COMM_WORLD, edge, c->variant == POLYMPI_VARIANT_IN_PLACE));

/* The case that is running: one after the other. */
static struct {
    const struct program *functions;
    void *program;
    struct polympi_part *part;
} running;

static const struct program *find(int32_t benchmark) {
    switch (benchmark) {
    case POLYMPI_INNER_PRODUCT:
        return &inner_product_program;
    case POLYMPI_WAVE:
        return &wave_program;
    case POLYMPI_POISSON_CG:
        return &poisson_cg_program;
    case POLYMPI_MATMUL:
        return &matmul_program;
    case POLYMPI_SORT:
        return &sort_program;
    case POLYMPI_TRIAD:
        return &triad_program;
    default:
        return NULL;
    }
}

int application_is_asked_for(const struct polympi_case *c) { return find(c->benchmark) != NULL; }

int64_t applications_opt_in(void) {
    int64_t benchmarks = 0;
    for (int32_t benchmark = 0; benchmark < POLYMPI_BENCHMARKS; benchmark++)
        if (find(benchmark))
            benchmarks |= POLYMPI_OPT_IN(benchmark);
    return benchmarks;
}

static void begin(void *program) { running.functions->restart(program); }

static void batch(void *program, int32_t iterations) { running.functions->advance(program, iterations); }

static void singly(void *program, int32_t iterations, int64_t *ns) {
    for (int i = 0; i < iterations; i++) {
        const int64_t start = polympi_now();
        running.functions->advance(program, 1);
        ns[i] = polympi_now() - start;
    }
}

static void singly_from_start(void *program, int32_t iterations, int64_t *ns) {
    common_start_agree();
    for (int i = 0; i < iterations;) {
        running.functions->advance(program, UNTIMED_CALLS);
        const int64_t start = common_start_wait();
        running.functions->advance(program, 1);
        ns[i] = polympi_now() - start;
        i += common_start_agree();
    }
}

static void show(void *program) {
    struct application_part part;
    running.functions->part(program, &part);
    running.part->values = part.values;
    memcpy(running.part->start, part.start, sizeof part.start);
    memcpy(running.part->count, part.count, sizeof part.count);
    memcpy(running.part->stride, part.stride, sizeof part.stride);
}

static int64_t communication(void *program) { return running.functions->communication_ns(program); }

static void release(void *program) { running.functions->free(program); }

void application_prepare(const struct polympi_case *c, const struct polympi_buffers *buffers,
                         struct polympi_callbacks *callbacks) {
    running.functions = find(c->benchmark);
    running.program = running.functions->create(c, buffers->edge);
    running.part = buffers->part;
    if (!running.program) {
        if (buffers->rank == 0)
            fprintf(stderr,
                    "The mesh of case %d does not fit: a rank has no memory for its part, or no points.\n",
                    (int)c->id);
        MPI_Barrier(MPI_COMM_WORLD); /* else another rank may end rank 0 before it has told */
        polympi_abort(POLYMPI_NO_MEMORY);
    }
    *callbacks =
        (struct polympi_callbacks){.context = running.program,
                                   .begin = begin,
                                   .batch = batch,
                                   .singly = c->kind == POLYMPI_APPLICATION ? singly : singly_from_start,
                                   .show = show,
                                   .release = release,
                                   .communication = communication,
                                   .check = polympi_application_check};
}
