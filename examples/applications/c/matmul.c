#define _DEFAULT_SOURCE /* clock_gettime */
#include "matmul.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The product of two panels, by the method of K. Goto and R. van de Geijn, ACM Trans. Math. Softw. 34 (2008),
   with vectors of GCC and Clang. A tile of C, ROWS by COLUMNS, is added up in registers. The panels are
   copied into slivers, in the order in which they are read. NumPy leaves this to a BLAS, tuned by hand for
   each processor; here is the plain method, so that the program needs no library. A ratio of the times of the
   two compares these products before it compares MPI: look at the share of communication beside it. */
#if defined(__AVX512F__)
enum { LANES = 8, VECTORS = 3, ROWS = 8 }; /* 24 of 32 registers for the tile */
#elif defined(__AVX__)
enum { LANES = 4, VECTORS = 2, ROWS = 6 }; /* 12 of 16 */
#else
enum { LANES = 2, VECTORS = 2, ROWS = 4 };
#endif
enum {
    COLUMNS = LANES * VECTORS,
    WIDTH = 256,         /* of a panel at most */
    STRIP = 8 * COLUMNS, /* columns of B whose slivers stay in the second cache */
    ALIGNMENT = 64
};
typedef double vector __attribute__((vector_size(LANES * sizeof(double))));

struct matmul {
    MPI_Comm cart, row, column; /* the ranks next to this one, and above and below it */
    int dims[2], coords[2];
    int64_t edge, start[2], n[2]; /* this rank's block */
    double *a, *b, *c;
    double *panels[2];  /* of A and of B, as they are broadcast */
    double *slivers[2]; /* the same, as they are read */
    int64_t communication_ns;
};

static int64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

static int64_t round_up(int64_t count, int64_t to) { return (count + to - 1) / to * to; }

/* Copies slivers of this many rows of a panel, or columns: element (i, k) is panel[i * across + k * along].
   Zeros fill up the last one. */
static void pack(double *sliver, const double *panel, int64_t count, int64_t across, int64_t along,
                 int64_t width, int64_t rows) {
    for (int64_t first = 0; first < count; first += rows, sliver += rows * width) {
        const int64_t here = smaller(rows, count - first);
        for (int64_t k = 0; k < width; k++)
            for (int64_t i = 0; i < rows; i++)
                sliver[k * rows + i] = i < here ? panel[(first + i) * across + k * along] : 0;
    }
}

/* tile = the product of a sliver of A and one of B. */
static inline void multiply_slivers(const double *restrict a, const double *restrict b, int64_t width,
                                    vector tile[ROWS][VECTORS]) {
    vector sums[ROWS][VECTORS] = {{{0}}};
    for (int64_t k = 0; k < width; k++, a += ROWS, b += COLUMNS) {
        vector of_b[VECTORS];
        memcpy(of_b, b, sizeof of_b);
        for (int i = 0; i < ROWS; i++)
            for (int v = 0; v < VECTORS; v++)
                sums[i][v] += a[i] * of_b[v];
    }
    memcpy(tile, sums, sizeof sums);
}

/* Adds a tile to C, as much of it as lies in the block. */
static void add_tile(double *c, int64_t row, vector tile[ROWS][VECTORS], int64_t rows, int64_t columns) {
    double values[ROWS][COLUMNS];
    memcpy(values, tile, sizeof values);
    if (rows == ROWS && columns == COLUMNS)
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLUMNS; j++)
                c[i * row + j] += values[i][j];
    else
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < columns; j++)
                c[i * row + j] += values[i][j];
}

/* C += a panel of A, which has this many columns, times a panel of B, which has this many rows. */
static void multiply(struct matmul *s, const double *a, const double *b, int64_t width) {
    vector tile[ROWS][VECTORS];
    pack(s->slivers[0], a, s->n[0], width, 1, width, ROWS);
    pack(s->slivers[1], b, s->n[1], 1, s->n[1], width, COLUMNS);
    for (int64_t strip = 0; strip < s->n[1]; strip += STRIP)
        for (int64_t i = 0; i < s->n[0]; i += ROWS)
            for (int64_t j = strip; j < smaller(strip + STRIP, s->n[1]); j += COLUMNS) {
                multiply_slivers(s->slivers[0] + i * width, s->slivers[1] + j * width, width, tile);
                add_tile(s->c + i * s->n[1] + j, s->n[1], tile, smaller(ROWS, s->n[0] - i),
                         smaller(COLUMNS, s->n[1] - j));
            }
}

/* Where a part of an axis begins. Of what is left over, each of the first parts has one. */
static int64_t start_of(int64_t edge, int parts, int64_t part) {
    return edge / parts * part + smaller(edge % parts, part);
}

/* Which part an index is in. */
static int part_of(int64_t edge, int parts, int64_t index) {
    int part = (int)(index * parts / edge);
    while (part > 0 && start_of(edge, parts, part) > index)
        part--;
    while (start_of(edge, parts, part + 1) <= index)
        part++;
    return part;
}

/* Broadcasts the panels of the indices from k on, and adds their product. Returns where the next ones begin:
   each panel lies on one column of ranks, and on one row. */
static int64_t add_panels(struct matmul *s, int64_t k) {
    const int row = part_of(s->edge, s->dims[0], k), column = part_of(s->edge, s->dims[1], k);
    const int64_t end = smaller(smaller(start_of(s->edge, s->dims[0], row + 1),
                                        start_of(s->edge, s->dims[1], column + 1)),
                                k + WIDTH),
                  width = end - k;
    double *a = s->panels[0], *b = s->panels[1];
    const int64_t begun = now_ns();
    if (s->coords[1] == column)
        for (int64_t i = 0; i < s->n[0]; i++)
            memcpy(a + i * width, s->a + i * s->n[1] + k - s->start[1], (size_t)width * sizeof *a);
    if (s->coords[0] == row)
        b = s->b + (k - s->start[0]) * s->n[1]; /* rows lie one after another */
    MPI_Bcast(a, (int)(s->n[0] * width), MPI_DOUBLE, column, s->row);
    MPI_Bcast(b, (int)(width * s->n[1]), MPI_DOUBLE, row, s->column);
    s->communication_ns += now_ns() - begun;
    multiply(s, a, b, width);
    return end;
}

void matmul_advance(struct matmul *s, int64_t iterations) {
    for (; iterations > 0; iterations--) {
        matmul_restart(s);
        for (int64_t k = 0; k < s->edge;)
            k = add_panels(s, k);
    }
}

void matmul_restart(struct matmul *s) { memset(s->c, 0, (size_t)(s->n[0] * s->n[1]) * sizeof *s->c); }

void matmul_part(const struct matmul *s, struct application_part *part) {
    *part = (struct application_part){.values = s->c,
                                      .start = {s->start[0], s->start[1], 0},
                                      .count = {s->n[0], s->n[1], 1},
                                      .stride = {s->n[1], 1, 0}};
}

int64_t matmul_communication_ns(const struct matmul *s) { return s->communication_ns; }

/* The mesh of ranks, its rows and columns, and which block is this rank's. */
static void divide(struct matmul *s, MPI_Comm comm) {
    const int periods[2] = {0, 0}, along_row[2] = {0, 1}, along_column[2] = {1, 0};
    int ranks, rank;
    MPI_Comm_size(comm, &ranks);
    MPI_Dims_create(ranks, 2, s->dims);
    MPI_Cart_create(comm, 2, s->dims, periods, 0, &s->cart);
    MPI_Comm_rank(s->cart, &rank);
    MPI_Cart_coords(s->cart, rank, 2, s->coords);
    MPI_Cart_sub(s->cart, along_row, &s->row);
    MPI_Cart_sub(s->cart, along_column, &s->column);
    for (int axis = 0; axis < 2; axis++) {
        s->start[axis] = start_of(s->edge, s->dims[axis], s->coords[axis]);
        s->n[axis] = start_of(s->edge, s->dims[axis], s->coords[axis] + 1) - s->start[axis];
    }
}

static int allocate(struct matmul *s) {
    /* Panels are counted by an int, and a block of this many rows and columns has less than 2^46 elements. */
    if (s->n[0] > INT_MAX / WIDTH || s->n[1] > INT_MAX / WIDTH)
        return 0;
    const int64_t block = s->n[0] * s->n[1];
    const struct {
        double **at;
        int64_t count;
    } rooms[] = {{&s->a, block},
                 {&s->b, block},
                 {&s->c, block},
                 {&s->panels[0], s->n[0] * WIDTH},
                 {&s->panels[1], s->n[1] * WIDTH},
                 {&s->slivers[0], round_up(s->n[0], ROWS) * WIDTH},
                 {&s->slivers[1], round_up(s->n[1], COLUMNS) * WIDTH}};
    if (block == 0)
        return 0;
    for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; i++) {
        *rooms[i].at =
            aligned_alloc(ALIGNMENT, (size_t)round_up(rooms[i].count * (int64_t)sizeof(double), ALIGNMENT));
        if (!*rooms[i].at)
            return 0;
    }
    for (int64_t i = 0; i < s->n[0]; i++)
        for (int64_t j = 0; j < s->n[1]; j++) {
            const double row = (double)(s->start[0] + i), column = (double)(s->start[1] + j);
            s->a[i * s->n[1] + j] = sin(row) + cos(column);
            s->b[i * s->n[1] + j] = cos(row) + sin(column);
        }
    return 1;
}

/* Whether something is so on all ranks. All of them call it. */
static int everywhere(MPI_Comm comm, int here) {
    int all;
    MPI_Allreduce(&here, &all, 1, MPI_INT, MPI_LAND, comm);
    return all;
}

struct matmul *matmul_create(MPI_Comm comm, int64_t edge) {
    struct matmul *s = calloc(1, sizeof *s);
    if (!everywhere(comm, s != NULL)) {
        free(s);
        return NULL;
    }
    s->edge = edge;
    divide(s, comm);
    if (!everywhere(comm, allocate(s))) {
        matmul_free(s);
        return NULL;
    }
    matmul_restart(s);
    return s;
}

void matmul_free(struct matmul *s) {
    if (!s)
        return;
    MPI_Comm_free(&s->row);
    MPI_Comm_free(&s->column);
    MPI_Comm_free(&s->cart);
    free(s->a);
    free(s->b);
    free(s->c);
    for (int i = 0; i < 2; i++) {
        free(s->panels[i]);
        free(s->slivers[i]);
    }
    free(s);
}
