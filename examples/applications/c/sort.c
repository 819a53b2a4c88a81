#define _DEFAULT_SOURCE /* clock_gettime */
#include "sort.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DIGIT_BITS = 11, BUCKETS = 1 << DIGIT_BITS, DIGITS = 6 };

struct sort {
    MPI_Comm comm;
    int rank, ranks;
    int64_t count;         /* this rank's keys at first */
    double *keys;          /* as they are at first */
    double *buffers[2];    /* room for as many keys as a rank can receive */
    double *samples[3];    /* this rank's; those of all, and room to merge them */
    int64_t *ends;         /* of runs that are to be merged */
    int *counts, *offsets; /* keys for each rank, then keys from each rank */
    double *result;
    int64_t result_count;
    int64_t communication_ns;
};

static int64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* The bits of a double as an integer of the same order: the sign bit of positive numbers and all bits of
   negative ones are inverted. */
static uint64_t to_ordered(double key) {
    uint64_t bits;
    memcpy(&bits, &key, sizeof bits);
    return bits ^ (bits >> 63 ? UINT64_MAX : UINT64_C(1) << 63);
}

static double from_ordered(uint64_t bits) {
    double key;
    bits ^= bits >> 63 ? UINT64_C(1) << 63 : UINT64_MAX;
    memcpy(&key, &bits, sizeof key);
    return key;
}

/* A radix sort, digit after digit from the lowest one. It compares nothing, and so takes the same time for
   any order of the keys; a digit that all keys have in common takes none. (NumPy compares, in vectors where
   the processor has the instructions; qsort calls a function for each comparison, and is many times slower.)
   Returns where the sorted keys are: in `first` or in `second`, which both have room for them. */
static double *sort_keys(const double *keys, int64_t count, double *first, double *second) {
    int64_t places[DIGITS][BUCKETS] = {{0}};
    uint64_t *from = (uint64_t *)first, *to = (uint64_t *)second;
    for (int64_t i = 0; i < count; i++) {
        const uint64_t bits = to_ordered(keys[i]);
        from[i] = bits;
        for (int digit = 0; digit < DIGITS; digit++)
            places[digit][bits >> digit * DIGIT_BITS & (BUCKETS - 1)]++;
    }
    for (int digit = 0; digit < DIGITS && count > 0; digit++) {
        int64_t *place = places[digit], sum = 0;
        const int shift = digit * DIGIT_BITS;
        if (place[from[0] >> shift & (BUCKETS - 1)] == count)
            continue;
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            const int64_t here = place[bucket];
            place[bucket] = sum;
            sum += here;
        }
        for (int64_t i = 0; i < count; i++)
            to[place[from[i] >> shift & (BUCKETS - 1)]++] = from[i];
        uint64_t *const swapped = from;
        from = to;
        to = swapped;
    }
    double *const result = (double *)from;
    for (int64_t i = 0; i < count; i++)
        result[i] = from_ordered(from[i]);
    return result;
}

/* Without a branch that depends on a comparison, which a processor would guess wrong half of the time. */
static void merge(const double *a, int64_t a_count, const double *b, int64_t b_count, double *merged) {
    int64_t i = 0, j = 0;
    while (i < a_count && j < b_count) {
        const int second = b[j] < a[i];
        merged[i + j] = second ? b[j] : a[i];
        j += second;
        i += !second;
    }
    memcpy(merged + i + j, a + i, (size_t)(a_count - i) * sizeof *a);
    memcpy(merged + a_count + j, b + j, (size_t)(b_count - j) * sizeof *b);
}

/* Merges sorted runs, two by two, until one is left. Run r goes from ends[r - 1], or 0, to ends[r], which are
   overwritten. Returns where the result is: in `from` or in `to`. */
static double *merge_runs(double *from, double *to, int64_t *ends, int runs) {
    while (runs > 1) {
        int merged = 0;
        int64_t begin = 0;
        for (int r = 0; r < runs; r += 2) {
            const int64_t middle = ends[r], end = r + 1 < runs ? ends[r + 1] : middle;
            merge(from + begin, middle - begin, from + middle, end - middle, to + begin);
            ends[merged++] = begin = end;
        }
        runs = merged;
        double *const swapped = from;
        from = to;
        to = swapped;
    }
    return from;
}

/* How many of sorted keys are less than a bound. */
static int64_t less_than(double bound, const double *keys, int64_t count) {
    int64_t low = 0, high = count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (keys[middle] < bound)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Of all samples in order, each one after as many as there are ranks is the first key of a rank. Fills in how
   many keys go to which rank. */
static void divide_keys(struct sort *s, const double *mine) {
    for (int r = 0; r < s->ranks; r++)
        s->samples[0][r] = mine[r * s->count / s->ranks];
    const int64_t begun = now_ns();
    MPI_Allgather(s->samples[0], s->ranks, MPI_DOUBLE, s->samples[1], s->ranks, MPI_DOUBLE, s->comm);
    s->communication_ns += now_ns() - begun;
    for (int r = 0; r < s->ranks; r++)
        s->ends[r] = (int64_t)(r + 1) * s->ranks;
    const double *samples = merge_runs(s->samples[1], s->samples[2], s->ends, s->ranks);
    for (int r = 0; r < s->ranks; r++) {
        s->offsets[r] = r ? (int)less_than(samples[r * s->ranks], mine, s->count) : 0;
        if (r)
            s->counts[r - 1] = s->offsets[r] - s->offsets[r - 1];
    }
    s->counts[s->ranks - 1] = (int)s->count - s->offsets[s->ranks - 1];
}

/* Sends each rank its keys, and receives one sorted run from each, one after another. */
static void exchange(struct sort *s, const double *mine, double *received) {
    int *incoming = s->counts + s->ranks, *places = s->offsets + s->ranks;
    const int64_t begun = now_ns();
    MPI_Alltoall(s->counts, 1, MPI_INT, incoming, 1, MPI_INT, s->comm);
    s->result_count = 0;
    for (int r = 0; r < s->ranks; r++) {
        places[r] = (int)s->result_count;
        s->ends[r] = s->result_count += incoming[r];
    }
    MPI_Alltoallv(mine, s->counts, s->offsets, MPI_DOUBLE, received, incoming, places, MPI_DOUBLE, s->comm);
    s->communication_ns += now_ns() - begun;
}

void sort_advance(struct sort *s, int64_t iterations) {
    for (; iterations > 0; iterations--) {
        double *mine = sort_keys(s->keys, s->count, s->buffers[0], s->buffers[1]);
        double *other = mine == s->buffers[0] ? s->buffers[1] : s->buffers[0];
        divide_keys(s, mine);
        exchange(s, mine, other);
        s->result = merge_runs(other, mine, s->ends, s->ranks);
    }
}

void sort_restart(struct sort *s) { s->result_count = 0; }

void sort_part(const struct sort *s, struct application_part *part) {
    *part =
        (struct application_part){.values = s->result, .count = {s->result_count, 1, 1}, .stride = {1, 0, 0}};
    MPI_Exscan(&s->result_count, &part->start[0], 1, MPI_INT64_T, MPI_SUM, s->comm);
    if (s->rank == 0)
        part->start[0] = 0; /* MPI_Exscan leaves it undefined */
}

int64_t sort_communication_ns(const struct sort *s) { return s->communication_ns; }

/* The most keys that a rank can receive. Between two of its first keys lie as many samples as there are
   ranks. A rank that has a of these has at most a + 1 distances of samples there. */
static int64_t most_keys(int64_t length, int ranks) {
    const int64_t distance = length / ranks / ranks + 2, most = 2 * ranks * distance;
    return most < length ? most : length;
}

static int allocate(struct sort *s, int64_t length) {
    const size_t ranks = (size_t)s->ranks, capacity = (size_t)most_keys(length, s->ranks);
    const int64_t each = length / s->ranks, more = length % s->ranks;
    const int64_t start = each * s->rank + (s->rank < more ? s->rank : more);
    s->count = each + (s->rank < more);
    s->keys = malloc((size_t)s->count * sizeof *s->keys);
    s->samples[0] = malloc((2 * ranks + 1) * ranks * sizeof *s->samples[0]);
    s->ends = malloc(ranks * sizeof *s->ends);
    s->counts = malloc(2 * ranks * sizeof *s->counts);
    s->offsets = malloc(2 * ranks * sizeof *s->offsets);
    for (int i = 0; i < 2; i++)
        s->buffers[i] = malloc(capacity * sizeof *s->buffers[i]);
    if (!s->keys || !s->samples[0] || !s->ends || !s->counts || !s->offsets || !s->buffers[0] ||
        !s->buffers[1])
        return 0;
    s->samples[1] = s->samples[0] + ranks;
    s->samples[2] = s->samples[1] + ranks * ranks;
    s->result = s->buffers[0];
    for (int64_t i = 0; i < s->count; i++) /* below 2^64 */
        s->keys[i] = (double)(((uint64_t)(start + i) * SORT_FACTOR + 12345) % (uint64_t)length);
    return 1;
}

struct sort *sort_create(MPI_Comm comm, int64_t length) {
    int made = 0, all_made;
    struct sort *s = calloc(1, sizeof *s);
    if (s) {
        s->comm = comm;
        MPI_Comm_size(comm, &s->ranks);
        MPI_Comm_rank(comm, &s->rank);
        if (length >= s->ranks && length < SORT_FACTOR && most_keys(length, s->ranks) <= INT_MAX)
            made = allocate(s, length);
    }
    MPI_Allreduce(&made, &all_made, 1, MPI_INT, MPI_LAND, comm);
    if (!all_made) {
        sort_free(s);
        return NULL;
    }
    return s;
}

void sort_free(struct sort *s) {
    if (!s)
        return;
    free(s->keys);
    free(s->buffers[0]);
    free(s->buffers[1]);
    free(s->samples[0]);
    free(s->ends);
    free(s->counts);
    free(s->offsets);
    free(s);
}
