#define _DEFAULT_SOURCE /* madvise */
#include "poisson_cg.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* MPICH before 4.1 declares the statuses as an array, for which GCC takes MPI_STATUSES_IGNORE, an address
   that only MPI reads anything into, to be one of size 0. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif

enum { SIDES = 4, VECTORS = 5, LANES = 16, HUGE_PAGE = 2 << 20 };

struct poisson_cg {
    MPI_Comm cart;
    enum poisson_cg_variant variant;
    int64_t edge, start[2];
    int64_t n[2]; /* this rank's unknowns; along each axis 0 and n + 1 are ghost layers, 0 at the boundary */
    int64_t row;  /* elements from one row to the next */
    int64_t size; /* elements of a vector */
    double *memory;
    double *x, *r, *p, *v;          /* v = A p */
    double *w;                      /* merged: A r */
    double rho, first, alpha, beta; /* rho = <r, r>, and its first value */
    int neighbors[SIDES];           /* side 2 a + s: the lower (s = 0) or the upper one (s = 1) of axis a */
    double *outgoing[2], *incoming[2]; /* columns, which are copied, at both ends of axis 1 */
    MPI_Request requests[2 * SIDES];
    int outstanding;
    int64_t communication_ns;
};

/* Unknowns from first to last, both included, along each axis. */
struct box {
    int64_t first[2], last[2];
};

static double *at(const struct poisson_cg *s, double *u, int64_t i, int64_t j) { return u + i * s->row + j; }

static int64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* The loops over a row. A compiler may not change the order of additions, so that each sum is made of LANES
   sums: two vectors of eight, so that one addition can begin while another is not complete. */

static double total(const double lanes[LANES]) {
    double sum = 0;
    for (int l = 0; l < LANES; l++)
        sum += lanes[l];
    return sum;
}

/* product = A u on a row; adds <u, product> to the sum. */
static double multiply_row(double *restrict product, const double *restrict u, const double *restrict below,
                           const double *restrict above, int64_t count) {
    double lanes[LANES] = {0};
    int64_t k = 0;
    for (; k + LANES <= count; k += LANES)
        for (int l = 0; l < LANES; l++) {
            const double value =
                4 * u[k + l] - ((below[k + l] + above[k + l]) + (u[k + l - 1] + u[k + l + 1]));
            product[k + l] = value;
            lanes[l] += u[k + l] * value;
        }
    for (; k < count; k++) {
        product[k] = 4 * u[k] - ((below[k] + above[k]) + (u[k - 1] + u[k + 1]));
        lanes[0] += u[k] * product[k];
    }
    return total(lanes);
}

/* x += alpha p, r -= alpha v; gives <r, r>. */
static double update_row(double *restrict x, double *restrict r, const double *restrict p,
                         const double *restrict v, double alpha, int64_t count) {
    double lanes[LANES] = {0};
    int64_t k = 0;
    for (; k + LANES <= count; k += LANES)
        for (int l = 0; l < LANES; l++) {
            x[k + l] += alpha * p[k + l];
            r[k + l] -= alpha * v[k + l];
            lanes[l] += r[k + l] * r[k + l];
        }
    for (; k < count; k++) {
        x[k] += alpha * p[k];
        r[k] -= alpha * v[k];
        lanes[0] += r[k] * r[k];
    }
    return total(lanes);
}

/* p = r + beta p. */
static void turn_row(double *restrict p, const double *restrict r, double beta, int64_t count) {
    for (int64_t k = 0; k < count; k++)
        p[k] = r[k] + beta * p[k];
}

/* product = A u in a box; gives <u, product> there. */
static double multiply(const struct poisson_cg *s, double *u, double *product, const struct box *box) {
    const int64_t j = box->first[1], count = box->last[1] - j + 1;
    double sum = 0;
    for (int64_t i = box->first[0]; i <= box->last[0]; i++)
        sum +=
            multiply_row(at(s, product, i, j), at(s, u, i, j), at(s, u, i - 1, j), at(s, u, i + 1, j), count);
    return sum;
}

static double update(const struct poisson_cg *s, const double alpha, double *v) {
    double sum = 0;
    for (int64_t i = 1; i <= s->n[0]; i++)
        sum += update_row(at(s, s->x, i, 1), at(s, s->r, i, 1), at(s, s->p, i, 1), at(s, v, i, 1), alpha,
                          s->n[1]);
    return sum;
}

static void turn(const struct poisson_cg *s, double *p, double *r, double beta) {
    for (int64_t i = 1; i <= s->n[0]; i++)
        turn_row(at(s, p, i, 1), at(s, r, i, 1), beta, s->n[1]);
}

/* The exchange of ghost layers of a vector. Rows are sent from where they are, columns are copied. */

static void copy_column(const struct poisson_cg *s, double *u, int64_t j, double *packed, int pack) {
    for (int64_t i = 0; i < s->n[0]; i++)
        if (pack)
            packed[i] = *at(s, u, i + 1, j);
        else
            *at(s, u, i + 1, j) = packed[i];
}

static void start_exchange(struct poisson_cg *s, double *u) {
    const int64_t begun = now_ns();
    MPI_Request *request = s->requests;
    for (int side = 0; side < SIDES; side++)
        if (s->neighbors[side] != MPI_PROC_NULL)
            MPI_Irecv(side < 2 ? at(s, u, side ? s->n[0] + 1 : 0, 1) : s->incoming[side - 2],
                      (int)(side < 2 ? s->n[1] : s->n[0]), MPI_DOUBLE, s->neighbors[side], side, s->cart,
                      request++);
    for (int side = 0; side < SIDES; side++) {
        if (s->neighbors[side] == MPI_PROC_NULL)
            continue;
        if (side >= 2)
            copy_column(s, u, side == 3 ? s->n[1] : 1, s->outgoing[side - 2], 1);
        MPI_Isend(side < 2 ? at(s, u, side ? s->n[0] : 1, 1) : s->outgoing[side - 2],
                  (int)(side < 2 ? s->n[1] : s->n[0]), MPI_DOUBLE, s->neighbors[side], side ^ 1, s->cart,
                  request++);
    }
    s->outstanding = (int)(request - s->requests);
    s->communication_ns += now_ns() - begun;
}

static void finish_exchange(struct poisson_cg *s, double *u) {
    const int64_t begun = now_ns();
    MPI_Waitall(s->outstanding, s->requests, MPI_STATUSES_IGNORE);
    for (int side = 2; side < SIDES; side++)
        if (s->neighbors[side] != MPI_PROC_NULL)
            copy_column(s, u, side == 3 ? s->n[1] + 1 : 0, s->incoming[side - 2], 0);
    s->communication_ns += now_ns() - begun;
}

static void add_over_ranks(struct poisson_cg *s, double *sums, int count) {
    const int64_t begun = now_ns();
    MPI_Allreduce(MPI_IN_PLACE, sums, count, MPI_DOUBLE, MPI_SUM, s->cart);
    s->communication_ns += now_ns() - begun;
}

/* product = A u, with the exchange of u; gives this rank's part of <u, product>. */
static double multiply_all(struct poisson_cg *s, double *u, double *product) {
    const struct box all = {{1, 1}, {s->n[0], s->n[1]}};
    start_exchange(s, u);
    if (s->variant != POISSON_CG_OVERLAPPED) {
        finish_exchange(s, u);
        return multiply(s, u, product, &all);
    }
    struct box inside, beside;
    for (int axis = 0; axis < 2; axis++) {
        inside.first[axis] = s->neighbors[2 * axis] == MPI_PROC_NULL ? 1 : 2;
        inside.last[axis] = s->n[axis] - (s->neighbors[2 * axis + 1] != MPI_PROC_NULL);
    }
    double sum = multiply(s, u, product, &inside);
    finish_exchange(s, u);
    /* Beside ghost layers: first the ends of the rows, then the rows that are left, each unknown once. */
    beside = inside;
    for (int axis = 1; axis >= 0; axis--) {
        if (inside.first[axis] == 2) {
            beside.first[axis] = beside.last[axis] = 1;
            sum += multiply(s, u, product, &beside);
        }
        if (inside.last[axis] < s->n[axis] && s->n[axis] >= inside.first[axis]) {
            beside.first[axis] = beside.last[axis] = s->n[axis];
            sum += multiply(s, u, product, &beside);
        }
        beside.first[axis] = 1;
        beside.last[axis] = s->n[axis];
    }
    return sum;
}

static double dot(const struct poisson_cg *s, double *a) {
    double sum = 0;
    for (int64_t i = 1; i <= s->n[0]; i++)
        for (int64_t j = 1; j <= s->n[1]; j++)
            sum += *at(s, a, i, j) * *at(s, a, i, j);
    return sum;
}

static double right_side(const struct poisson_cg *s, int64_t i, int64_t j) {
    const double h = 1 / (double)(s->edge + 1);
    const double x = (double)(s->start[0] + i) * h, y = (double)(s->start[1] + j) * h;
    return h * h * 2 * (x * (1 - x) + y * (1 - y));
}

/* x = b, r = b - A x, p = r. */
void poisson_cg_restart(struct poisson_cg *s) {
    for (int64_t i = 1; i <= s->n[0]; i++)
        for (int64_t j = 1; j <= s->n[1]; j++)
            *at(s, s->x, i, j) = right_side(s, i, j);
    multiply_all(s, s->x, s->v);
    for (int64_t i = 1; i <= s->n[0]; i++)
        for (int64_t j = 1; j <= s->n[1]; j++)
            *at(s, s->r, i, j) = *at(s, s->p, i, j) = right_side(s, i, j) - *at(s, s->v, i, j);
    double sums[2] = {dot(s, s->r), 0};
    if (s->variant == POISSON_CG_MERGED)
        sums[1] = multiply_all(s, s->r, s->w);
    add_over_ranks(s, sums, 2);
    s->rho = s->first = sums[0];
    s->alpha = sums[0] / sums[1];
    s->beta = 0;
}

static void iterate(struct poisson_cg *s) {
    double sum = multiply_all(s, s->p, s->v);
    add_over_ranks(s, &sum, 1);
    double rho = update(s, s->rho / sum, s->v);
    add_over_ranks(s, &rho, 1);
    turn(s, s->p, s->r, rho / s->rho);
    s->rho = rho;
}

/* Here v = A p follows from w = A r, so that <r, r> and <r, A r> are known at the same time. */
static void iterate_merged(struct poisson_cg *s) {
    turn(s, s->p, s->r, s->beta);
    turn(s, s->v, s->w, s->beta);
    double sums[2] = {update(s, s->alpha, s->v), 0};
    sums[1] = multiply_all(s, s->r, s->w);
    add_over_ranks(s, sums, 2);
    s->beta = sums[0] / s->rho;
    s->alpha = sums[0] > 0 ? sums[0] / (sums[1] - s->beta * sums[0] / s->alpha) : 0; /* 0: x is exact */
    s->rho = sums[0];
}

void poisson_cg_advance(struct poisson_cg *s, int64_t iterations) {
    for (; iterations > 0; iterations--) {
        if (s->rho <= POISSON_CG_SMALLEST * s->first)
            poisson_cg_restart(s);
        if (s->variant == POISSON_CG_MERGED)
            iterate_merged(s);
        else
            iterate(s);
    }
}

double poisson_cg_recomputed(struct poisson_cg *s) {
    double sum = 0, *u = s->variant == POISSON_CG_MERGED ? s->r : s->p;
    memcpy(u, s->x, (size_t)((s->n[0] + 2) * s->row) * sizeof *u);
    multiply_all(s, u, s->v);
    for (int64_t i = 1; i <= s->n[0]; i++)
        for (int64_t j = 1; j <= s->n[1]; j++) {
            const double rest = right_side(s, i, j) - *at(s, s->v, i, j);
            sum += rest * rest;
        }
    add_over_ranks(s, &sum, 1);
    return sum / s->first;
}

double poisson_cg_residual(const struct poisson_cg *s) { return s->rho / s->first; }

void poisson_cg_part(const struct poisson_cg *s, struct application_part *part) {
    *part = (struct application_part){.values = at(s, s->x, 1, 1),
                                      .start = {s->start[0], s->start[1], 0},
                                      .count = {s->n[0], s->n[1], 1},
                                      .stride = {s->row, 1, 0}};
}

int64_t poisson_cg_communication_ns(const struct poisson_cg *s) { return s->communication_ns; }

/* The mesh of ranks, and which unknowns are this rank's. Of those that are left over, the first ranks get one
   more. */
static void divide(struct poisson_cg *s, MPI_Comm comm) {
    int ranks, rank, dims[2] = {0, 0}, coords[2];
    const int periods[2] = {0, 0};
    MPI_Comm_size(comm, &ranks);
    MPI_Dims_create(ranks, 2, dims);
    MPI_Cart_create(comm, 2, dims, periods, 0, &s->cart);
    MPI_Comm_rank(s->cart, &rank);
    MPI_Cart_coords(s->cart, rank, 2, coords);
    for (int axis = 0; axis < 2; axis++) {
        const int64_t more = s->edge % dims[axis];
        s->n[axis] = s->edge / dims[axis] + (coords[axis] < more);
        s->start[axis] = s->edge / dims[axis] * coords[axis] + (coords[axis] < more ? coords[axis] : more);
        MPI_Cart_shift(s->cart, axis, 1, &s->neighbors[2 * axis], &s->neighbors[2 * axis + 1]);
    }
}

/* All vectors with their ghost layers, zeroed, on huge pages where there are some. Each begins at another
   place in a page: else a processor takes a value that is read for one with the same place in a page that is
   just written, and waits. */
static int allocate(struct poisson_cg *s) {
    const int64_t page = 4096 / sizeof(double), apart = page / VECTORS / LANES * LANES;
    /* Counts of messages are of type int, and sizes in bytes of 63 bits. */
    if (s->n[0] < 1 || s->n[1] < 1 || s->n[0] > INT_MAX - 2 || s->n[1] > INT_MAX - 2 ||
        (double)(s->n[0] + 4) * (double)(s->n[1] + 4) * (VECTORS + 1) * sizeof(double) > 0x1p60)
        return 0;
    s->row = s->n[1] + 2;
    s->size = ((s->n[0] + 2) * s->row + page - 1) / page * page + apart;
    const size_t columns = (size_t)(4 * s->n[0]);
    const size_t bytes =
        (((size_t)(VECTORS * s->size) + columns) * sizeof(double) + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    s->memory = aligned_alloc(HUGE_PAGE, bytes);
    if (!s->memory)
        return 0;
#ifdef MADV_HUGEPAGE
    madvise(s->memory, bytes, MADV_HUGEPAGE);
#endif
    memset(s->memory, 0, bytes);
    double **const vectors[VECTORS] = {&s->x, &s->r, &s->p, &s->v, &s->w};
    for (int i = 0; i < VECTORS; i++)
        *vectors[i] = s->memory + i * s->size;
    double *column = s->memory + VECTORS * s->size;
    for (int end = 0; end < 2; end++, column += 2 * s->n[0]) {
        s->outgoing[end] = column;
        s->incoming[end] = column + s->n[0];
    }
    return 1;
}

/* Whether something is so on all ranks. All of them call it. */
static int everywhere(MPI_Comm comm, int here) {
    int all;
    MPI_Allreduce(&here, &all, 1, MPI_INT, MPI_LAND, comm);
    return all;
}

struct poisson_cg *poisson_cg_create(MPI_Comm comm, int64_t edge, enum poisson_cg_variant variant) {
    struct poisson_cg *s = calloc(1, sizeof *s);
    if (!everywhere(comm, s != NULL)) {
        free(s);
        return NULL;
    }
    s->edge = edge;
    s->variant = variant;
    divide(s, comm);
    if (!everywhere(comm, allocate(s))) {
        poisson_cg_free(s);
        return NULL;
    }
    poisson_cg_restart(s);
    return s;
}

void poisson_cg_free(struct poisson_cg *s) {
    if (!s)
        return;
    MPI_Comm_free(&s->cart);
    free(s->memory);
    free(s);
}
