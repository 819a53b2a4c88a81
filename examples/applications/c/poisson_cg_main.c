/* Poisson's equation in C:
       mpiexec -n 2 ./poisson_cg [--mesh UNKNOWNS] [--iterations NUMBER] [--variant NAME] */
#define _DEFAULT_SOURCE
#include "driver.h"
#include "poisson_cg.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static const char *const variants[] = {"blocking", "overlapped", "merged", NULL};

static int64_t edge = 1025, most,
               variant = POISSON_CG_BLOCKING; /* at most 0 iterations: as many as it takes */

/* The largest difference of this rank's part from the solution, over the solution's largest value, 1/16. */
static double error_of(const struct poisson_cg *s) {
    struct application_part part;
    const double h = 1 / (double)(edge + 1);
    double error = 0;
    poisson_cg_part(s, &part);
    for (int64_t i = 0; i < part.count[0]; i++)
        for (int64_t j = 0; j < part.count[1]; j++) {
            const double x = (double)(part.start[0] + i + 1) * h, y = (double)(part.start[1] + j + 1) * h;
            const double value = part.values[i * part.stride[0] + j * part.stride[1]];
            error = fmax(error, fabs(value - x * (1 - x) * y * (1 - y)));
        }
    return 16 * error;
}

/* Iterates, and says how long it took and how exact the result is. Returns the exit code. */
static int run(int rank, int ranks) {
    struct poisson_cg *s = poisson_cg_create(MPI_COMM_WORLD, edge, (enum poisson_cg_variant)variant);
    if (!s)
        return driver_refuse(rank, "There is no memory for the mesh, or it is smaller than the ranks.\n");
    int64_t iterations = 0;
    struct times times = driver_begin(poisson_cg_communication_ns(s));
    while (poisson_cg_residual(s) > POISSON_CG_SMALLEST && (!most || iterations < most)) {
        poisson_cg_advance(s, 1);
        iterations++;
    }
    times = driver_end(times, poisson_cg_communication_ns(s));

    double error = error_of(s);
    MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    const double known = poisson_cg_residual(s), residual = poisson_cg_recomputed(s);
    const int found = known <= POISSON_CG_SMALLEST;
    /* The recurrence and what is computed again differ by rounding errors, which grow with the iterations. */
    const int right =
        fabs(residual - known) <= 1e-6 * residual + 1e-20 * (double)iterations && (!found || error < 1e-2);
    if (rank == 0) {
        printf("%" PRId64 "^2 unknowns, %d rank%s, %s\n", edge, ranks, ranks == 1 ? "" : "s",
               variants[variant]);
        printf("%" PRId64 " iterations, the solution is %s\n", iterations, found ? "found" : "not found yet");
        printf("%.3f s, %.3f ms an iteration, at most %.1f %% of it in communication\n", times.all,
               1e3 * times.all / (double)iterations, 100 * times.communication / times.all);
        printf("|b - A x|^2 is %.2e of its first value; largest error %.1e of the solution\n", residual,
               error);
    }
    poisson_cg_free(s);
    return driver_judge(rank, right);
}

int main(int words, char **word) {
    const struct option options[] = {{.word = "--mesh", .number = &edge},
                                     {.word = "--iterations", .number = &most},
                                     {.word = "--variant", .place = &variant, .names = variants},
                                     {0}};
    return driver_main(
        words, word,
        "poisson_cg [--mesh UNKNOWNS] [--iterations NUMBER] [--variant blocking|overlapped|merged]", options,
        run);
}
