/* Shows the parts of a result: parts inner_product|matmul|sort SIZE ITERATIONS. Rank R writes a line into the
   file part.R: its rank, where its part begins in two dimensions, how many elements it has there, and these.
 */
#include "inner_product.h"
#include "matmul.h"
#include "sort.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void show(const struct application_part *part, int64_t communication_ns) {
    char name[20];
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof name, "part.%d", rank);
    FILE *file = fopen(name, "w");
    if (!file || part->count[2] != 1 || part->start[2] != 0 || communication_ns <= 0)
        MPI_Abort(MPI_COMM_WORLD, 3);
    fprintf(file, "%d %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64, rank, part->start[0], part->start[1],
            part->count[0], part->count[1]);
    for (int64_t i = 0; i < part->count[0]; i++)
        for (int64_t j = 0; j < part->count[1]; j++)
            fprintf(file, " %.17g", part->values[i * part->stride[0] + j * part->stride[1]]);
    fclose(file);
}

#define RUN(name)                                                                                            \
    if (strcmp(words[1], #name) == 0) {                                                                      \
        struct name *s = name##_create(MPI_COMM_WORLD, size);                                                \
        if (!s)                                                                                              \
            fputs("none\n", stdout);                                                                         \
        if (s) {                                                                                             \
            name##_advance(s, iterations);                                                                   \
            name##_restart(s);                                                                               \
            name##_advance(s, iterations);                                                                   \
            name##_part(s, &part);                                                                           \
            show(&part, name##_communication_ns(s));                                                         \
        }                                                                                                    \
        name##_free(s);                                                                                      \
    }

int main(int count, char **words) {
    struct application_part part;
    MPI_Init(&count, &words);
    const int64_t size = atoll(words[2]), iterations = atoll(words[3]);
    RUN(inner_product)
    RUN(matmul)
    RUN(sort)
    MPI_Finalize();
    return 0;
}
