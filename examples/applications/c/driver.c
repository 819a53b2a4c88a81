#include "driver.h"

#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int read_number(const char *word, int64_t *number) {
    char *end;
    *number = strtoll(word, &end, 10);
    return end != word && !*end && *number > 0;
}

static int read_name(const char *word, const char *const *names, int64_t *place) {
    for (*place = 0; names[*place]; ++*place)
        if (strcmp(word, names[*place]) == 0)
            return 1;
    return 0;
}

/* Whether the words of the command line have a meaning. */
static int read_options(int words, char **word, const struct option *options) {
    for (int i = 1; i < words; i++) {
        const struct option *o = options;
        while (o->word && strcmp(word[i], o->word) != 0)
            o++;
        if (o->flag)
            *o->flag = 1;
        else if (!o->word || ++i == words)
            return 0;
        else if (!(o->number ? read_number(word[i], o->number) : read_name(word[i], o->names, o->place)))
            return 0;
    }
    return 1;
}

int driver_main(int words, char **word, const char *usage, const struct option *options,
                int (*run)(int rank, int ranks)) {
    int rank, ranks;
    MPI_Init(&words, &word);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int code =
        read_options(words, word, options) ? run(rank, ranks) : driver_refuse(rank, "usage: %s\n", usage);
    MPI_Finalize();
    return code;
}

struct times driver_begin(int64_t communication_ns) {
    MPI_Barrier(MPI_COMM_WORLD);
    return (struct times){MPI_Wtime(), (double)communication_ns * 1e-9};
}

struct times driver_end(struct times begun, int64_t communication_ns) {
    double times[] = {MPI_Wtime() - begun.all, (double)communication_ns * 1e-9 - begun.communication};
    MPI_Allreduce(MPI_IN_PLACE, times, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return (struct times){times[0], times[1]};
}

int driver_refuse(int rank, const char *format, ...) {
    va_list values;
    va_start(values, format);
    if (rank == 0)
        vfprintf(stderr, format, values);
    va_end(values);
    return 2;
}

int driver_judge(int rank, int right) {
    if (rank == 0 && !right)
        fprintf(stderr, "The result is wrong.\n");
    return right ? 0 : 1;
}
