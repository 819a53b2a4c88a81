/* What many_ranks_rank.py does, in C: see there. Arguments: a folder, and how many ranks there are. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char *const steps[] = {"start", "barrier", "neighbours", "all", "collectives", "at-once"};
enum { START, BARRIER, NEIGHBOURS, ALL, COLLECTIVES, AT_ONCE };
enum { WINDOW = 16 };

static int rank, size;
static const char *folder;

/* Wait, without a call of MPI, until all ranks have arrived. */
static void meet(const char *where, int step) {
    static const struct timespec pause = {.tv_nsec = 50 * 1000 * 1000};
    char name[4096];
    struct stat now;
    snprintf(name, sizeof name, "%s/%s-%s", folder, where, steps[step]);
    int file = open(name, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (file < 0 || write(file, "x", 1) != 1)
        exit(1);
    while (fstat(file, &now) == 0 && now.st_size < size)
        nanosleep(&pause, NULL);
    close(file);
}

/* Proportional and private memory in KiB, with the tables of pages. */
static void read_memory(long *pss, long *private) {
    static const char *const files[] = {"/proc/self/smaps_rollup", "/proc/self/status"};
    char line[256];
    long kib;
    *pss = *private = 0;
    for (int i = 0; i < 2; i++) {
        FILE *file = fopen(files[i], "r");
        while (file && fgets(line, sizeof line, file)) {
            bool tables = sscanf(line, "VmPTE: %ld", &kib) == 1;
            if (tables || sscanf(line, "Pss: %ld", &kib) == 1)
                *pss += kib;
            if (tables || sscanf(line, "Private_Clean: %ld", &kib) == 1 ||
                sscanf(line, "Private_Dirty: %ld", &kib) == 1)
                *private += kib;
        }
        if (file)
            fclose(file);
    }
}

static void write_figures(int step) {
    struct timespec now;
    struct rusage used;
    char line[256], name[4096];
    long pss, private;
    clock_gettime(CLOCK_MONOTONIC, &now);
    getrusage(RUSAGE_SELF, &used);
    double cpu = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                 (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
    meet("come", step);
    read_memory(&pss, &private);
    snprintf(line, sizeof line, "%d %d %ld %ld 0 %.6f %.6f\n", step, rank, pss, private, cpu,
             (double)now.tv_sec + (double)now.tv_nsec / 1e9);
    snprintf(name, sizeof name, "%s/figures", folder);
    int file = open(name, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (file < 0 || write(file, line, strlen(line)) != (ssize_t)strlen(line))
        exit(1);
    close(file);
    meet("written", step);
}

static void exchange(const int *others, int count) {
    int64_t *in = malloc((size_t)count * sizeof *in), out = rank;
    MPI_Request *requests = malloc(2 * (size_t)count * sizeof(MPI_Request));
    for (int i = 0; i < count; i++)
        MPI_Irecv(&in[i], 1, MPI_INT64_T, others[i], 1, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < count; i++)
        MPI_Isend(&out, 1, MPI_INT64_T, others[i], 1, MPI_COMM_WORLD, &requests[count + i]);
    MPI_Waitall(2 * count, requests, MPI_STATUSES_IGNORE);
    free(requests);
    free(in);
}

/* With all others, this many at a time, from the nearest on: who waits for a rank is waited for by it. */
static void exchange_with_all(int window) {
    int count = 0, *others = malloc((size_t)size * sizeof *others);
    for (int near = 1; near <= size / 2; near++) {
        others[count++] = (rank + near) % size;
        if (2 * near != size)
            others[count++] = (rank + size - near) % size;
    }
    for (int first = 0; first < count; first += window)
        exchange(others + first, window < count - first ? window : count - first);
    free(others);
}

static void collectives(void) {
    int64_t one = rank, sum, *all = malloc(2 * (size_t)size * sizeof *all);
    for (int i = 0; i < 2 * size; i++)
        all[i] = i;
    MPI_Bcast(&one, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&one, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Gather(&one, 1, MPI_INT64_T, all, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    MPI_Allgather(&one, 1, MPI_INT64_T, all, 1, MPI_INT64_T, MPI_COMM_WORLD);
    MPI_Alltoall(all, 1, MPI_INT64_T, all + size, 1, MPI_INT64_T, MPI_COMM_WORLD);
    free(all);
}

int main(int argc, char **argv) {
    if (argc != 3)
        return 2;
    folder = argv[1];
    size = atoi(argv[2]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    write_figures(START);
    MPI_Barrier(MPI_COMM_WORLD);
    write_figures(BARRIER);
    const int neighbours[] = {(rank + 1) % size, (rank + size - 1) % size};
    exchange(neighbours, 2);
    write_figures(NEIGHBOURS);
    exchange_with_all(WINDOW);
    write_figures(ALL);
    collectives();
    write_figures(COLLECTIVES);
    exchange_with_all(size);
    write_figures(AT_ONCE);
    return MPI_Finalize();
}
