#define _DEFAULT_SOURCE
#include "applications.h"
#include "catalogue.h"

#include <inttypes.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static const double PI = 3.14159265358979323846;

/* What element (i, j, k) of a result has to be: `first`, `second` and `third` hold what depends on one of the
   indices alone, and `iterate` is a whole array. */
struct expected {
    int64_t edge;
    double *first;
    double *iterate;
    double sum; /* of what the formulas of matmul need, and of its squares */
    double squares;
    double factor; /* of a wave: that of the first state; of iterates: the largest value */
};

/* cos(l theta) of the wave after l steps. The mirrored boundary makes cos(pi i h) an eigenvector of the
   second difference, so that the scheme multiplies the first state by this. */
static double wave_factor(int64_t edge, int64_t steps) {
    const double h = 1.0 / (double)(edge - 1), dt = 0.004510 * 128.0 * h, a = dt * dt / (h * h);
    return cos((double)steps * acos(1.0 + 3.0 * a * (cos(PI * h) - 1.0)));
}

static double wave_value(const struct expected *e, const int64_t at[3]) {
    return 2.0 * e->first[at[0]] * e->first[at[1]] * e->first[at[2]] * e->factor;
}

static double poisson_value(const struct expected *e, const int64_t at[3]) {
    return e->iterate[at[0] * e->edge + at[1]];
}

/* A = sin(i) + cos(k), B = cos(k) + sin(j); the sum over k by hand. */
static double matmul_value(const struct expected *e, const int64_t at[3]) {
    const double row = sin((double)at[0]), column = sin((double)at[1]);
    return (row + column) * e->sum + (double)e->edge * row * column + e->squares;
}

/* The keys are a permutation of 0, 1, ... */
static double sort_value(const struct expected *e, const int64_t at[3]) {
    (void)e;
    return (double)at[0];
}

/* x_i y_i = 1 + i mod 3. */
static double inner_product_value(const struct expected *e, const int64_t at[3]) {
    const int64_t whole = e->edge / 3, rest = e->edge % 3;
    (void)at;
    return (double)(6 * whole + (rest == 2 ? 3 : rest));
}

/* b - c after an odd number of passes, as in a check of both modes: events make four passes each. */
static double triad_value(const struct expected *e, const int64_t at[3]) {
    (void)e;
    return 10.0 + (double)(at[0] % 7) - (double)(at[0] % 5);
}

/* How far a value may be from the expected one: programs add in different orders. Values of a wave are of the
   order of 1, those of a sum of that of the number of its terms, and an iterate is compared with its largest
   value. */
static double tolerance(const struct polympi_case *c, const struct expected *e) {
    switch (c->benchmark) {
    case POLYMPI_SORT:
    case POLYMPI_TRIAD:
        return 0.0;
    case POLYMPI_POISSON_CG:
        return 1e-9 * e->factor;
    case POLYMPI_WAVE:
        return 1e-11;
    default:
        return 1e-12 * (double)e->edge;
    }
}

typedef double value_at(const struct expected *, const int64_t[3]);

/* Fills in what the formula of the benchmark needs; NULL without the memory for it. */
static value_at *prepare_expected(const struct polympi_case *c, int64_t iterations, struct expected *e) {
    const size_t edge = (size_t)e->edge;
    switch (c->benchmark) {
    case POLYMPI_WAVE:
        e->first = malloc(edge * sizeof *e->first);
        for (size_t i = 0; e->first && i < edge; i++)
            e->first[i] = cos(PI * (double)i / (double)(edge - 1));
        e->factor = wave_factor(e->edge, iterations);
        return e->first ? wave_value : NULL;
    case POLYMPI_POISSON_CG:
        e->iterate = malloc(edge * edge * sizeof *e->iterate);
        if (!e->iterate || !poisson_iterate(e->edge, iterations, e->iterate))
            return NULL;
        for (size_t i = 0; i < edge * edge; i++)
            e->factor = fmax(e->factor, fabs(e->iterate[i]));
        return poisson_value;
    case POLYMPI_MATMUL:
        for (size_t k = 0; k < edge; k++) {
            e->sum += cos((double)k);
            e->squares += cos((double)k) * cos((double)k);
        }
        return matmul_value;
    case POLYMPI_SORT:
        return sort_value;
    case POLYMPI_TRIAD:
        return triad_value;
    default:
        return inner_product_value;
    }
}

/* The first element that is not as it has to be. A comparison that is true only of numbers near each other
   finds NaN, too. */
static void compare(const struct polympi_case *c, const struct polympi_part *part, const struct expected *e,
                    value_at *value, char *complaint) {
    const double allowed = tolerance(c, e);
    int64_t i[3];
    for (i[0] = 0; i[0] < part->count[0]; i[0]++)
        for (i[1] = 0; i[1] < part->count[1]; i[1]++)
            for (i[2] = 0; i[2] < part->count[2]; i[2]++) {
                const int64_t at[3] = {part->start[0] + i[0], part->start[1] + i[1], part->start[2] + i[2]};
                const double found =
                    part->values[i[0] * part->stride[0] + i[1] * part->stride[1] + i[2] * part->stride[2]];
                const double expected = value(e, at);
                if (fabs(found - expected) <= allowed)
                    continue;
                snprintf(complaint, POLYMPI_COMPLAINT_BYTES,
                         "element (%" PRId64 ", %" PRId64 ", %" PRId64
                         ") of the result is %.17g instead of %.17g",
                         at[0], at[1], at[2], found, expected);
                return;
            }
}

/* Elements of the whole result, of which every rank has a part. */
static int64_t elements(const struct polympi_case *c) {
    return c->benchmark == POLYMPI_INNER_PRODUCT ? 1 : c->bytes / (int64_t)sizeof(double);
}

void polympi_application_check(const struct polympi_case *c, const struct polympi_buffers *buffers,
                               int64_t iterations, char *complaint) {
    const struct polympi_part *part = buffers->part;
    const int64_t count = part->count[0] * part->count[1] * part->count[2];
    struct expected e = {.edge = buffers->edge};
    int64_t all;
    MPI_Allreduce(&count, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    value_at *value = prepare_expected(c, iterations, &e);
    if (!value)
        snprintf(complaint, POLYMPI_COMPLAINT_BYTES, "there is no memory to check the result");
    else if (all != elements(c))
        snprintf(complaint, POLYMPI_COMPLAINT_BYTES,
                 "the parts of the ranks have %" PRId64 " elements together instead of %" PRId64, all,
                 elements(c));
    else
        compare(c, part, &e, value, complaint);
    free(e.first);
    free(e.iterate);
}
