#define _DEFAULT_SOURCE /* clock_gettime */
#include "inner_product.h"

#include <stdlib.h>
#include <time.h>

/* A compiler may not change the order of additions, so that the sum is made of LANES sums: four vectors of
   eight, enough to begin an addition while others are not complete. */
enum { LANES = 32, ALIGNMENT = 64 };

struct inner_product {
    MPI_Comm comm;
    int rank;
    int64_t count; /* this rank's elements of each vector */
    double *x, *y;
    double value; /* on rank 0 */
    int64_t communication_ns;
};

static int64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static double multiply(const double *restrict x, const double *restrict y, int64_t count) {
    double lanes[LANES] = {0}, sum = 0;
    int64_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (int l = 0; l < LANES; l++)
            lanes[l] += x[i + l] * y[i + l];
    for (; i < count; i++)
        sum += x[i] * y[i];
    for (int l = 0; l < LANES; l++)
        sum += lanes[l];
    return sum;
}

void inner_product_advance(struct inner_product *s, int64_t iterations) {
    for (; iterations > 0; iterations--) {
        const double mine = multiply(s->x, s->y, s->count);
        const int64_t begun = now_ns();
        MPI_Reduce(&mine, &s->value, 1, MPI_DOUBLE, MPI_SUM, 0, s->comm);
        s->communication_ns += now_ns() - begun;
    }
}

void inner_product_restart(struct inner_product *s) { s->value = 0; }

void inner_product_part(const struct inner_product *s, struct application_part *part) {
    *part = (struct application_part){
        .values = &s->value, .count = {s->rank == 0 ? 1 : 0, 1, 1}, .stride = {1, 0, 0}};
}

int64_t inner_product_communication_ns(const struct inner_product *s) { return s->communication_ns; }

/* This rank's parts. Of the elements that are left over, each of the first ranks has one. */
static int allocate(struct inner_product *s, int64_t length) {
    int ranks;
    MPI_Comm_size(s->comm, &ranks);
    MPI_Comm_rank(s->comm, &s->rank);
    const int64_t each = length / ranks, more = length % ranks;
    const int64_t start = each * s->rank + (s->rank < more ? s->rank : more);
    s->count = each + (s->rank < more);
    if (s->count > INT64_MAX / 16) /* bytes, and a little more, have to fit */
        return 0;
    const size_t bytes = ((size_t)s->count * sizeof(double) / ALIGNMENT + 1) * ALIGNMENT;
    s->x = aligned_alloc(ALIGNMENT, bytes);
    s->y = aligned_alloc(ALIGNMENT, bytes);
    if (!s->x || !s->y)
        return 0;
    for (int64_t i = 0; i < s->count; i++) {
        s->x[i] = 1 / (double)(start + i + 1);
        s->y[i] = (double)(start + i + 1) * (double)(1 + (start + i) % 3);
    }
    return 1;
}

struct inner_product *inner_product_create(MPI_Comm comm, int64_t length) {
    int made = 0, all_made;
    struct inner_product *s = calloc(1, sizeof *s);
    if (s && length > 0) {
        s->comm = comm;
        made = allocate(s, length);
    }
    MPI_Allreduce(&made, &all_made, 1, MPI_INT, MPI_LAND, comm);
    if (!all_made) {
        inner_product_free(s);
        return NULL;
    }
    return s;
}

void inner_product_free(struct inner_product *s) {
    if (!s)
        return;
    free(s->x);
    free(s->y);
    free(s);
}
