#define _DEFAULT_SOURCE /* madvise, M_PI */
#include "wave.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* MPICH before 4.1 declares the statuses as an array, for which GCC takes MPI_STATUSES_IGNORE, an address
   that only MPI reads anything into, to be one of size 0. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif

/* MOST_POINTS: along an axis of a rank, so that the elements of a face are counted by an int, also where each
   row ends with LINE - 1 elements that are not used. LINE: elements of 64 bytes, a cache line. */
enum { SIDES = 6, HUGE_PAGE = 2 << 20, LINE = 8, FOUR = 4, MOST_POINTS = 46328 };

/* Side 2 a + s is the lower (s = 0) or the upper one (s = 1) of axis a. */
struct side {
    int neighbor; /* MPI_PROC_NULL: the boundary of the cube, which reflects */
    double *outgoing, *incoming;
};

struct wave {
    MPI_Comm cart;
    int64_t edge, start[3];
    int64_t n[3];       /* this rank's points; along each axis 0 and n + 1 are ghost layers */
    int64_t row, plane; /* elements from one row, and from one plane, to the next */
    int64_t size;       /* elements of a field */
    int overlapped;
    double a;
    struct side sides[SIDES];
    double *memory, *fields[2]; /* of u and of the step before it, by turns */
    int current;                /* the field of u */
    int64_t steps;
    /* Persistent requests for the faces of either field, first all receives, then all sends. */
    MPI_Request requests[2][2 * SIDES];
    int outstanding;
    int64_t communication_ns;
};

/* Points from first to last, both included, along each axis. */
struct box {
    int64_t first[3], last[3];
};

static double *at(const struct wave *w, double *u, int64_t i, int64_t j, int64_t k) {
    return u + i * w->plane + j * w->row + k;
}

static int64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

double wave_time_step(int64_t edge) { return 0.004510 * 128 / (double)(edge - 1); }

/* The update of a point: what it had before u, u, and the sums of its neighbours along each axis. */
static inline double updated(double before, double u, double axis0, double axis1, double axis2, double a,
                             double c) {
    return a * ((axis0 + axis1) + axis2) + c * u - before;
}

/* What a row needs of others lies in rows, too: `below` and `above` along axis 0, and so many elements away
   `left` and `right` along axis 1. So that a compiler makes vectors of it, nothing depends on where the row
   is. */
static void update_row(double *restrict next, const double *restrict u, const double *restrict below,
                       const double *restrict above, int64_t left, int64_t right, double a, double c,
                       int64_t count) {
    for (int64_t k = 0; k < count; k++)
        next[k] = updated(next[k], u[k], below[k] + above[k], u[left + k] + u[right + k], u[k - 1] + u[k + 1],
                          a, c);
}

/* A row of a plane and the same ones of the three planes above it. A plane is a neighbour of the planes
   beside it, and too large for the cache nearest to the processor: of four planes, six are loaded for four
   that are made, and of single planes twelve. It takes 0.65 of the time of four rows apart; with six planes
   or eight there are more streams from memory than a processor loads ahead. */
static void update_four(double *restrict next, double *restrict next1, double *restrict next2,
                        double *restrict next3, const double *restrict u, int64_t plane,
                        const double *restrict below, const double *restrict above, int64_t left,
                        int64_t right, double a, double c, int64_t count) {
    const double *u1 = u + plane, *u2 = u1 + plane, *u3 = u2 + plane;
    for (int64_t k = 0; k < count; k++) {
        const double v = updated(next[k], u[k], below[k] + u1[k], u[left + k] + u[right + k],
                                 u[k - 1] + u[k + 1], a, c),
                     v1 = updated(next1[k], u1[k], u[k] + u2[k], u1[left + k] + u1[right + k],
                                  u1[k - 1] + u1[k + 1], a, c),
                     v2 = updated(next2[k], u2[k], u1[k] + u3[k], u2[left + k] + u2[right + k],
                                  u2[k - 1] + u2[k + 1], a, c),
                     v3 = updated(next3[k], u3[k], u2[k] + above[k], u3[left + k] + u3[right + k],
                                  u3[k - 1] + u3[k + 1], a, c);
        next[k] = v;
        next1[k] = v1;
        next2[k] = v2;
        next3[k] = v3;
    }
}

/* The next values of a box overwrite the values before last, FOUR planes at a time, and the planes that are
   left over one by one. A row beside the boundary takes its mirror image for the ghost row: u_0 = u_2. Only
   at the ends of rows the ghost points are written, while the row is in the cache. */
static void update(struct wave *w, const struct box *box, double a, double c) {
    double *u = w->fields[w->current], *next = w->fields[!w->current];
    const int mirror[SIDES] = {
        w->sides[0].neighbor == MPI_PROC_NULL,
        w->sides[1].neighbor == MPI_PROC_NULL,
        w->sides[2].neighbor == MPI_PROC_NULL,
        w->sides[3].neighbor == MPI_PROC_NULL,
        w->sides[4].neighbor == MPI_PROC_NULL && box->first[2] == 1,
        w->sides[5].neighbor == MPI_PROC_NULL && box->last[2] == w->n[2],
    };
    const int64_t first = box->first[2], count = box->last[2] - first + 1, n = w->n[2], stride = w->plane;
    int64_t planes;
    for (int64_t i = box->first[0]; i <= box->last[0]; i += planes) {
        planes = i + FOUR - 1 <= box->last[0] ? FOUR : 1;
        const int64_t last = i + planes - 1;
        const int64_t below = i == 1 && mirror[0] ? 2 : i - 1,
                      above = last == w->n[0] && mirror[1] ? last - 1 : last + 1;
        for (int64_t j = box->first[1]; j <= box->last[1]; j++) {
            const int64_t left = j == 1 && mirror[2] ? w->row : -w->row,
                          right = j == w->n[1] && mirror[3] ? -w->row : w->row;
            double *to = at(w, next, i, j, first);
            const double *from = at(w, u, i, j, first), *lower = at(w, u, below, j, first),
                         *upper = at(w, u, above, j, first);
            if (planes == FOUR)
                update_four(to, to + stride, to + 2 * stride, to + 3 * stride, from, stride, lower, upper,
                            left, right, a, c, count);
            else
                update_row(to, from, lower, upper, left, right, a, c, count);
            for (int64_t plane = i; plane <= last; plane++) {
                double *row = at(w, next, plane, j, 0);
                if (mirror[4])
                    row[0] = row[2];
                if (mirror[5])
                    row[n + 1] = row[n - 1];
            }
        }
    }
}

/* The exchange. Faces across axis 0 are planes, which are sent from where they are, with the ghost points at
   the ends of their rows; the others are copied. */

static void copy_face(const struct wave *w, int axis, double *u, int64_t layer, double *packed, int pack) {
    for (int64_t i = 1; i <= w->n[0]; i++) {
        if (axis == 1) {
            double *row = at(w, u, i, layer, 1);
            const size_t bytes = (size_t)w->n[2] * sizeof *row;
            memcpy(pack ? packed : row, pack ? row : packed, bytes);
            packed += w->n[2];
        } else {
            double *point = at(w, u, i, 1, layer);
            if (pack)
                for (int64_t j = 0; j < w->n[1]; j++)
                    packed[j] = point[j * w->row];
            else
                for (int64_t j = 0; j < w->n[1]; j++)
                    point[j * w->row] = packed[j];
            packed += w->n[1];
        }
    }
}

static void start_exchange(struct wave *w) {
    const int64_t begun = now_ns();
    for (int side = 2; side < SIDES; side++)
        if (w->sides[side].neighbor != MPI_PROC_NULL)
            copy_face(w, side / 2, w->fields[w->current], side % 2 ? w->n[side / 2] : 1,
                      w->sides[side].outgoing, 1);
    MPI_Startall(w->outstanding, w->requests[w->current]);
    w->communication_ns += now_ns() - begun;
}

static void finish_exchange(struct wave *w) {
    const int64_t begun = now_ns();
    MPI_Waitall(w->outstanding, w->requests[w->current], MPI_STATUSES_IGNORE);
    for (int side = 2; side < SIDES; side++)
        if (w->sides[side].neighbor != MPI_PROC_NULL)
            copy_face(w, side / 2, w->fields[w->current], side % 2 ? w->n[side / 2] + 1 : 0,
                      w->sides[side].incoming, 0);
    w->communication_ns += now_ns() - begun;
}

/* One step, with the faces in flight while the points inside are updated. The points next to ghost layers
   follow, axis by axis, each of them once. */
static void overlapped_step(struct wave *w, double a, double c) {
    struct box inside, beside;
    for (int axis = 0; axis < 3; axis++) {
        inside.first[axis] = w->sides[2 * axis].neighbor == MPI_PROC_NULL ? 1 : 2;
        inside.last[axis] = w->n[axis] - (w->sides[2 * axis + 1].neighbor != MPI_PROC_NULL);
    }
    start_exchange(w);
    update(w, &inside, a, c);
    finish_exchange(w);
    beside = inside;
    for (int axis = 2; axis >= 0; axis--) {
        if (inside.first[axis] == 2) {
            beside.first[axis] = beside.last[axis] = 1;
            update(w, &beside, a, c);
        }
        if (inside.last[axis] < w->n[axis]) {
            beside.first[axis] = beside.last[axis] = w->n[axis];
            update(w, &beside, a, c);
        }
        beside.first[axis] = 1;
        beside.last[axis] = w->n[axis];
    }
}

void wave_advance(struct wave *w, int64_t steps) {
    const struct box all = {{1, 1, 1}, {w->n[0], w->n[1], w->n[2]}};
    for (; steps > 0; steps--) {
        /* u_t = 0 at the beginning, so u^{-1} = u^1, and half of each term makes the first step. */
        const double share = w->steps == 0 ? 0.5 : 1, a = share * w->a, c = share * (2 - 6 * w->a);
        if (w->overlapped) {
            overlapped_step(w, a, c);
        } else {
            start_exchange(w);
            finish_exchange(w);
            update(w, &all, a, c);
        }
        w->current = !w->current;
        w->steps++;
    }
}

void wave_restart(struct wave *w) {
    double *cosines = w->fields[1]; /* along axis 2, until the field is set to 0 */
    const double h = 1 / (double)(w->edge - 1);
    for (int64_t k = 1; k <= w->n[2]; k++)
        cosines[k] = cos(M_PI * (double)(w->start[2] + k - 1) * h);
    for (int64_t i = 1; i <= w->n[0]; i++)
        for (int64_t j = 1; j <= w->n[1]; j++) {
            double *row = at(w, w->fields[0], i, j, 0);
            const double two = 2 * cos(M_PI * (double)(w->start[0] + i - 1) * h) *
                               cos(M_PI * (double)(w->start[1] + j - 1) * h);
            for (int64_t k = 1; k <= w->n[2]; k++)
                row[k] = two * cosines[k];
            row[0] = row[2]; /* ghost points of a neighbour are overwritten by what it sends */
            row[w->n[2] + 1] = row[w->n[2] - 1];
        }
    memset(w->fields[1], 0,
           (size_t)w->size * sizeof(double)); /* the first step takes nothing from before it */
    w->current = 0;
    w->steps = 0;
}

void wave_part(const struct wave *w, struct application_part *part) {
    part->values = at(w, w->fields[w->current], 1, 1, 1);
    for (int axis = 0; axis < 3; axis++) {
        part->start[axis] = w->start[axis];
        part->count[axis] = w->n[axis];
    }
    part->stride[0] = w->plane;
    part->stride[1] = w->row;
    part->stride[2] = 1;
}

int64_t wave_communication_ns(const struct wave *w) { return w->communication_ns; }

/* The mesh of ranks, and which points are this rank's. Of those that are left over, the first ranks get one
 * more. */
static void divide(struct wave *w, MPI_Comm comm) {
    int ranks, rank, dims[3] = {0, 0, 0}, coords[3];
    const int periods[3] = {0, 0, 0};
    MPI_Comm_size(comm, &ranks);
    MPI_Dims_create(ranks, 3, dims);
    MPI_Cart_create(comm, 3, dims, periods, 0, &w->cart);
    MPI_Comm_rank(w->cart, &rank);
    MPI_Cart_coords(w->cart, rank, 3, coords);
    for (int axis = 0; axis < 3; axis++) {
        const int64_t more = w->edge % dims[axis];
        w->n[axis] = w->edge / dims[axis] + (coords[axis] < more);
        w->start[axis] = w->edge / dims[axis] * coords[axis] + (coords[axis] < more ? coords[axis] : more);
        MPI_Cart_shift(w->cart, axis, 1, &w->sides[2 * axis].neighbor, &w->sides[2 * axis + 1].neighbor);
    }
    w->row = (w->n[2] + 2 + LINE - 1) / LINE * LINE; /* so that all rows lie alike in cache lines */
    w->plane = (w->n[1] + 2) * w->row;
}

/* Where face's points are sent from, or received into. */
static int64_t face_points(const struct wave *w, int axis) {
    return axis == 0 ? w->n[1] * w->row : axis == 1 ? w->n[0] * w->n[2] : w->n[0] * w->n[1];
}

/* Both fields, on huge pages where there are some. Point 1 of each row begins a cache line: a vector of a row
   then is one line, and not parts of two. The second field begins elsewhere in a page: else a processor takes
   values of it that are written for those of the first with the same place in a page, and waits. */
static int allocate_fields(struct wave *w) {
    const int64_t page = 4096 / sizeof(double), apart = page / 2 + LINE;
    w->size = (w->n[0] + 2) * w->plane;
    const int64_t first = LINE - 1, second = (first + w->size + page - 1) / page * page + apart + first;
    const size_t bytes =
        ((size_t)(second + w->size) * sizeof(double) + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    w->memory = aligned_alloc(HUGE_PAGE, bytes);
    if (!w->memory)
        return 0;
#ifdef MADV_HUGEPAGE
    madvise(w->memory, bytes, MADV_HUGEPAGE);
#endif
    memset(w->memory, 0, bytes);
    w->fields[0] = w->memory + first;
    w->fields[1] = w->memory + second;
    return 1;
}

static int allocate(struct wave *w) {
    for (int axis = 0; axis < 3; axis++)
        if (w->n[axis] < WAVE_LEAST_POINTS || w->n[axis] > MOST_POINTS)
            return 0;
    for (int side = 2; side < SIDES; side++) {
        const size_t points = (size_t)face_points(w, side / 2);
        if (w->sides[side].neighbor == MPI_PROC_NULL)
            continue;
        w->sides[side].outgoing = malloc(2 * points * sizeof(double));
        if (!w->sides[side].outgoing)
            return 0;
        w->sides[side].incoming = w->sides[side].outgoing + points;
    }
    return allocate_fields(w);
}

/* A message has the number of the side at which it arrives. */
static void prepare_requests(struct wave *w) {
    for (int field = 0; field < 2; field++) {
        double *u = w->fields[field];
        MPI_Request *request = w->requests[field];
        for (int sends = 0; sends < 2; sends++)
            for (int side = 0; side < SIDES; side++) {
                const struct side *s = &w->sides[side];
                const int count = (int)face_points(w, side / 2);
                if (s->neighbor == MPI_PROC_NULL)
                    continue;
                if (sends)
                    MPI_Send_init(side < 2 ? at(w, u, side == 0 ? 1 : w->n[0], 1, 0) : s->outgoing, count,
                                  MPI_DOUBLE, s->neighbor, side ^ 1, w->cart, request++);
                else
                    MPI_Recv_init(side < 2 ? at(w, u, side == 0 ? 0 : w->n[0] + 1, 1, 0) : s->incoming, count,
                                  MPI_DOUBLE, s->neighbor, side, w->cart, request++);
            }
        w->outstanding = (int)(request - w->requests[field]);
    }
}

/* Whether something is so on all ranks. All of them call it. */
static int everywhere(MPI_Comm comm, int here) {
    int all;
    MPI_Allreduce(&here, &all, 1, MPI_INT, MPI_LAND, comm);
    return all;
}

struct wave *wave_create(MPI_Comm comm, int64_t edge, int overlapped) {
    const double ratio = wave_time_step(edge) * (double)(edge - 1);
    struct wave *w = calloc(1, sizeof *w);
    if (!everywhere(comm, w != NULL)) {
        free(w);
        return NULL;
    }
    w->edge = edge;
    w->overlapped = overlapped;
    w->a = ratio * ratio;
    divide(w, comm);
    if (!everywhere(comm, allocate(w))) {
        wave_free(w);
        return NULL;
    }
    prepare_requests(w);
    wave_restart(w);
    return w;
}

void wave_free(struct wave *w) {
    if (!w)
        return;
    for (int field = 0; field < 2; field++)
        for (int request = 0; request < w->outstanding; request++)
            MPI_Request_free(&w->requests[field][request]);
    for (int side = 0; side < SIDES; side++)
        free(w->sides[side].outgoing);
    free(w->memory);
    MPI_Comm_free(&w->cart);
    free(w);
}
