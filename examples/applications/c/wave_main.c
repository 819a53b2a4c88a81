/* The wave equation in C: mpiexec -n 2 ./wave [--mesh POINTS] [--steps NUMBER] [--overlapped] */
#define _DEFAULT_SOURCE
#include "driver.h"
#include "wave.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static int64_t edge = 129, steps, overlapped; /* steps 0: up to the time 2 */

/* The largest differences of this rank's part from the closed form of the scheme and from the wave itself. */
static void measure_errors(const struct wave *w, double errors[2]) {
    struct application_part part;
    const double h = 1 / (double)(edge - 1), dt = wave_time_step(edge), a = dt * dt / (h * h);
    const double scheme = cos((double)steps * acos(1 + 3 * a * (cos(M_PI * h) - 1)));
    const double exact = cos(sqrt(3) * M_PI * (double)steps * dt);
    wave_part(w, &part);
    errors[0] = errors[1] = 0;
    for (int64_t i = 0; i < part.count[0]; i++)
        for (int64_t j = 0; j < part.count[1]; j++) {
            const double two =
                2 * cos(M_PI * (double)(part.start[0] + i) * h) * cos(M_PI * (double)(part.start[1] + j) * h);
            const double *row = part.values + i * part.stride[0] + j * part.stride[1];
            for (int64_t k = 0; k < part.count[2]; k++) {
                const double shape = two * cos(M_PI * (double)(part.start[2] + k) * h);
                errors[0] = fmax(errors[0], fabs(row[k * part.stride[2]] - shape * scheme));
                errors[1] = fmax(errors[1], fabs(row[k * part.stride[2]] - shape * exact));
            }
        }
}

/* Makes the steps, and says how long they took and how exact they are. Returns the exit code. */
static int run(int rank, int ranks) {
    struct wave *w = wave_create(MPI_COMM_WORLD, edge, (int)overlapped);
    if (!w)
        return driver_refuse(
            rank,
            "There is no memory for the mesh, or it is too small: each rank needs %d points along "
            "each axis.\n",
            WAVE_LEAST_POINTS);
    if (steps == 0)
        steps = (int64_t)ceil(2 / wave_time_step(edge));
    struct times times = driver_begin(wave_communication_ns(w));
    wave_advance(w, steps);
    times = driver_end(times, wave_communication_ns(w));

    double errors[2]; /* of this rank, then the largest of all */
    measure_errors(w, errors);
    MPI_Allreduce(MPI_IN_PLACE, errors, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    const double points = (double)edge * (double)edge * (double)edge, h = 1 / (double)(edge - 1);
    if (rank == 0) {
        printf("%" PRId64 "^3 points, %" PRId64 " steps, %d rank%s, %s\n", edge, steps, ranks,
               ranks == 1 ? "" : "s", overlapped ? "overlapped" : "blocking");
        printf("%.3f s, %.1f million points a second, at most %.1f %% of it in the exchange\n", times.all,
               1e-6 * points * (double)steps / times.all, 100 * times.communication / times.all);
        printf(
            "largest error: %.1e against the closed form of the scheme, %.1e (%.1e dx^2) against the wave\n",
            errors[0], errors[1], errors[1] / (h * h));
    }
    wave_free(w);
    return driver_judge(rank, errors[0] < 1e-11);
}

int main(int words, char **word) {
    const struct option options[] = {{.word = "--mesh", .number = &edge},
                                     {.word = "--steps", .number = &steps},
                                     {.word = "--overlapped", .flag = &overlapped},
                                     {0}};
    return driver_main(words, word, "wave [--mesh POINTS] [--steps NUMBER] [--overlapped]", options, run);
}
