#define _DEFAULT_SOURCE /* madvise */
#include "triad.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 2 << 20, PAGE = 4096, MOST_ARRAYS = 3 };

struct triad {
    int64_t start, count; /* this rank's elements */
    double factor;
    double *a, *b, *c; /* in place there is no c */
};

static void triad_pass(double *restrict a, const double *restrict b, const double *restrict c, double s,
                       int64_t count) {
    for (int64_t i = 0; i < count; i++)
        a[i] = b[i] + s * c[i];
}

static void in_place_pass(double *restrict a, const double *restrict b, double s, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        a[i] = b[i] + s * a[i];
}

void triad_advance(struct triad *t, int64_t passes) {
    for (; passes > 0; passes--) {
        if (t->c)
            triad_pass(t->a, t->b, t->c, t->factor, t->count);
        else
            in_place_pass(t->a, t->b, t->factor, t->count);
        /* For the compiler: this pass is over, and the next one is not to be merged with it. */
        atomic_signal_fence(memory_order_seq_cst);
    }
}

static double initial_b(int64_t i) { return 10 + (double)(i % 7); }
static double initial_c(int64_t i) { return (double)(i % 5); }

void triad_restart(struct triad *t) {
    for (int64_t i = 0; i < t->count; i++) {
        t->b[i] = initial_b(t->start + i);
        t->a[i] = t->c ? 0 : initial_c(t->start + i);
        if (t->c)
            t->c[i] = initial_c(t->start + i);
    }
}

double triad_value(int64_t i, int64_t passes, int in_place) {
    if (in_place && passes % 2 == 0)
        return initial_c(i);
    return passes ? initial_b(i) - initial_c(i) : 0;
}

void triad_part(const struct triad *t, struct application_part *part) {
    *part = (struct application_part){
        .values = t->a, .start = {t->start, 0, 0}, .count = {t->count, 1, 1}, .stride = {1, 0, 0}};
}

int64_t triad_communication_ns(const struct triad *t) {
    (void)t;
    return 0;
}

/* Which elements are this rank's. Of those that are left over, the first ranks get one more. */
static void divide(struct triad *t, MPI_Comm comm, int64_t length) {
    int ranks, rank;
    MPI_Comm_size(comm, &ranks);
    MPI_Comm_rank(comm, &rank);
    const int64_t more = length % ranks;
    t->count = length / ranks + (rank < more);
    t->start = length / ranks * rank + (rank < more ? rank : more);
}

/* All arrays, on huge pages where there are some. Each begins elsewhere in a page: else a processor takes
   values that are read for those of the same place in another page that are being written, and waits. */
static int allocate(struct triad *t, int in_place) {
    const size_t most = SIZE_MAX / (2 * MOST_ARRAYS * sizeof(double)), arrays = in_place ? 2 : 3;
    const size_t own = (size_t)t->count * sizeof(double);
    const size_t stride = (own + PAGE - 1) / PAGE * PAGE + PAGE / 4 + 64;
    const size_t bytes = (arrays * stride + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    if (t->count < 1 || (size_t)t->count > most)
        return 0;
    char *memory = aligned_alloc(HUGE_PAGE, bytes);
    if (!memory)
        return 0;
#ifdef MADV_HUGEPAGE
    madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    t->a = (double *)memory;
    t->b = (double *)(memory + stride);
    t->c = in_place ? NULL : (double *)(memory + 2 * stride);
    return 1;
}

struct triad *triad_create(MPI_Comm comm, int64_t length, int in_place) {
    struct triad *t = calloc(1, sizeof *t);
    int made = 0, everywhere;
    if (t) {
        t->factor = -1;
        divide(t, comm, length);
        made = allocate(t, in_place);
    }
    MPI_Allreduce(&made, &everywhere, 1, MPI_INT, MPI_LAND, comm);
    if (!everywhere) {
        triad_free(t);
        return NULL;
    }
    triad_restart(t);
    return t;
}

void triad_free(struct triad *t) {
    if (t)
        free(t->a);
    free(t);
}
