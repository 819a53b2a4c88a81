/* The wave equation in C: mpiexec -n 2 ./wave [--mesh POINTS] [--steps NUMBER] [--overlapped]

   Built by  mpicc -O3 -march=native -std=c11 -o wave wave.c wave_main.c -lm  */
#define _DEFAULT_SOURCE
#include "wave.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
    int64_t edge, steps; /* steps 0: up to the time 2 */
    int overlapped;
};

/* Whether the words of the command line have a meaning. */
static int read_options(int words, char **word, struct options *o) {
    for (int i = 1; i < words; i++) {
        int64_t *number = strcmp(word[i], "--mesh") == 0    ? &o->edge
                          : strcmp(word[i], "--steps") == 0 ? &o->steps
                                                            : NULL;
        char *end = NULL;
        if (strcmp(word[i], "--overlapped") == 0) {
            o->overlapped = 1;
            continue;
        }
        if (!number || ++i == words)
            return 0;
        *number = strtoll(word[i], &end, 10);
        if (*end || *number < 1)
            return 0;
    }
    return o->edge > 1;
}

/* The largest differences of this rank's part from the closed form of the scheme and from the wave itself. */
static void measure_errors(const struct wave *w, int64_t edge, int64_t steps, double errors[2]) {
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

/* Makes the steps, and says how long they took and how exact they are. Gives the exit code. */
static int run(struct wave *w, const struct options *o) {
    int rank, ranks;
    double times[2],
        errors[2]; /* of this rank, then the largest of all: seconds in all, and in the exchange */
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Barrier(MPI_COMM_WORLD);
    times[0] = -MPI_Wtime();
    wave_advance(w, o->steps);
    times[0] += MPI_Wtime();
    times[1] = (double)wave_communication_ns(w) * 1e-9;
    measure_errors(w, o->edge, o->steps, errors);
    MPI_Allreduce(MPI_IN_PLACE, times, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, errors, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    const double points = (double)o->edge * (double)o->edge * (double)o->edge, h = 1 / (double)(o->edge - 1);
    const int exact = errors[0] < 1e-11;
    if (rank == 0) {
        printf("%" PRId64 "^3 points, %" PRId64 " steps, %d rank%s, %s\n", o->edge, o->steps, ranks,
               ranks == 1 ? "" : "s", o->overlapped ? "overlapped" : "blocking");
        printf("%.3f s, %.1f million points a second, at most %.1f %% of it in the exchange\n", times[0],
               1e-6 * points * (double)o->steps / times[0], 100 * times[1] / times[0]);
        printf(
            "largest error: %.1e against the closed form of the scheme, %.1e (%.1e dx^2) against the wave\n",
            errors[0], errors[1], errors[1] / (h * h));
        if (!exact)
            fprintf(stderr, "The result is wrong.\n");
    }
    return exact ? 0 : 1;
}

int main(int words, char **word) {
    struct options o = {129, 0, 0};
    int rank, code = 2;
    MPI_Init(&words, &word);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!read_options(words, word, &o)) {
        if (rank == 0)
            fprintf(stderr, "usage: wave [--mesh POINTS] [--steps NUMBER] [--overlapped]\n");
    } else {
        struct wave *w = wave_create(MPI_COMM_WORLD, o.edge, o.overlapped);
        if (o.steps == 0)
            o.steps = (int64_t)ceil(2 / wave_time_step(o.edge));
        if (w)
            code = run(w, &o);
        else if (rank == 0)
            fprintf(stderr,
                    "There is no memory for the mesh, or it is too small: each rank needs %d points along "
                    "each axis.\n",
                    WAVE_LEAST_POINTS);
        wave_free(w);
    }
    MPI_Finalize();
    return code;
}
