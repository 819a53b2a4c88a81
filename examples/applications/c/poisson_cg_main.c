/* Poisson's equation in C:
       mpiexec -n 2 ./poisson_cg [--mesh UNKNOWNS] [--iterations NUMBER] [--variant NAME]

   Built by  mpicc -O3 -march=native -std=c11 -o poisson_cg poisson_cg.c poisson_cg_main.c -lm  */
#define _DEFAULT_SOURCE
#include "poisson_cg.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const variants[] = {"blocking", "overlapped", "merged"};

struct options {
    int64_t edge, iterations; /* iterations 0: as many as it takes */
    int variant;
};

static int find_variant(const char *name) {
    for (int i = 0; i < 3; i++)
        if (strcmp(name, variants[i]) == 0)
            return i;
    return -1;
}

/* Whether the words of the command line have a meaning. */
static int read_options(int words, char **word, struct options *o) {
    for (int i = 1; i + 1 < words; i += 2) {
        int64_t *number = strcmp(word[i], "--mesh") == 0         ? &o->edge
                          : strcmp(word[i], "--iterations") == 0 ? &o->iterations
                                                                 : NULL;
        char *end = "";
        if (number)
            *number = strtoll(word[i + 1], &end, 10);
        else if (strcmp(word[i], "--variant") == 0)
            o->variant = find_variant(word[i + 1]);
        else
            return 0;
        if (*end || (number && *number < 1))
            return 0;
    }
    return words % 2 == 1 && o->variant >= 0;
}

/* The largest difference of this rank's part from the solution, over the solution's largest value, 1/16. */
static double error_of(const struct poisson_cg *s, int64_t edge) {
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

/* Iterates, and says how long it took and how exact the result is. Gives the exit code. */
static int run(struct poisson_cg *s, const struct options *o) {
    int rank, ranks;
    int64_t iterations = 0;
    double figures[3]; /* of this rank, then the largest of all: seconds, those of communication, error */
    const int64_t before = poisson_cg_communication_ns(s);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Barrier(MPI_COMM_WORLD);
    figures[0] = -MPI_Wtime();
    while (poisson_cg_residual(s) > POISSON_CG_SMALLEST && (!o->iterations || iterations < o->iterations)) {
        poisson_cg_advance(s, 1);
        iterations++;
    }
    figures[0] += MPI_Wtime();
    figures[1] = (double)(poisson_cg_communication_ns(s) - before) * 1e-9;
    figures[2] = error_of(s, o->edge);
    MPI_Allreduce(MPI_IN_PLACE, figures, 3, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    const double known = poisson_cg_residual(s), residual = poisson_cg_recomputed(s);
    const int found = known <= POISSON_CG_SMALLEST;
    /* The recurrence and what is computed anew differ by rounding errors, which grow with the iterations. */
    const int right = fabs(residual - known) <= 1e-6 * residual + 1e-20 * (double)iterations &&
                      (!found || figures[2] < 1e-2);
    if (rank == 0) {
        printf("%" PRId64 "^2 unknowns, %d rank%s, %s\n", o->edge, ranks, ranks == 1 ? "" : "s",
               variants[o->variant]);
        printf("%" PRId64 " iterations, the solution is %s\n", iterations, found ? "found" : "not found yet");
        printf("%.3f s, %.3f ms an iteration, at most %.1f %% of it in communication\n", figures[0],
               1e3 * figures[0] / (double)iterations, 100 * figures[1] / figures[0]);
        printf("|b - A x|^2 is %.2e of its first value; largest error %.1e of the solution\n", residual,
               figures[2]);
        if (!right)
            fprintf(stderr, "The result is wrong.\n");
    }
    return right ? 0 : 1;
}

int main(int words, char **word) {
    struct options o = {1025, 0, POISSON_CG_BLOCKING};
    int rank, code = 2;
    MPI_Init(&words, &word);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!read_options(words, word, &o)) {
        if (rank == 0)
            fprintf(stderr, "usage: poisson_cg [--mesh UNKNOWNS] [--iterations NUMBER] "
                            "[--variant blocking|overlapped|merged]\n");
    } else {
        struct poisson_cg *s = poisson_cg_create(MPI_COMM_WORLD, o.edge, (enum poisson_cg_variant)o.variant);
        if (s)
            code = run(s, &o);
        else if (rank == 0)
            fprintf(stderr, "There is no memory for the mesh, or it is smaller than the ranks.\n");
        poisson_cg_free(s);
    }
    MPI_Finalize();
    return code;
}
