/* Packing and unpacking: the loops over a layout, with its memory on one side and contiguous memory on the
 * other. */
#include "memory/strided.h"

#include <string.h>

void loops_merge(const Layout *layout, Loops *loops) {
    int n = 0;
    for (int axis = 0; axis < layout->ndim; axis++) {
        Py_ssize_t length = layout->shape[axis], stride = layout->strides[axis];
        if (length == 1)
            continue;
        if (n && loops->strides[n - 1] == length * stride) {
            loops->shape[n - 1] *= length;
            loops->strides[n - 1] = stride;
        } else {
            loops->shape[n] = length;
            loops->strides[n++] = stride;
        }
    }
    loops->run = layout->itemsize;
    if (n && loops->strides[n - 1] == layout->itemsize)
        loops->run *= loops->shape[--n];
    loops->ndim = n;
}

/* The two innermost loops over runs of `run` bytes: `rows` times `columns` of them at `strided`, and one
 * after another at `packed`. */
typedef struct {
    Py_ssize_t rows, columns;
    Py_ssize_t row_stride, column_stride;
    Py_ssize_t run;
} Plane;
typedef void PlaneCopy(const Plane *plane, char *strided, char *packed);

/* Columns that are visited together where a step along a row leads further than one to the next row, as in a
 * transposed matrix: their cache lines must stay in the first-level cache until the rows that share them have
 * been visited. Where the stride is a power of two they all fall into one set of it, which has 8 ways or
 * more. */
enum { TILE_COLUMNS = 8 };

static bool needs_tiles(const Plane *plane) {
    return plane->columns > TILE_COLUMNS && plane->rows > 1 &&
           Py_ABS(plane->column_stride) > Py_ABS(plane->row_stride);
}

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* A plane copy for runs of `bytes` bytes, which `copy` copies; where that is a constant, memcpy is a single
 * move. `at` and `packed` are where the next run lies. */
#define PLANE_COPY(name, bytes, copy, to, from)                                                              \
    ALWAYS_INLINE void name##_columns(const Plane *plane, char *strided, char *packed, Py_ssize_t columns) { \
        const Py_ssize_t run = (bytes), across = plane->column_stride, down = plane->row_stride;             \
        const Py_ssize_t others = (plane->columns - columns) * run;                                          \
        for (Py_ssize_t rows = plane->rows; rows; rows--) {                                                  \
            char *at = strided;                                                                              \
            _Pragma("GCC unroll 4") for (Py_ssize_t left = columns; left; left--) {                          \
                copy(to, from, (size_t)run);                                                                 \
                at += across;                                                                                \
                packed += run;                                                                               \
            }                                                                                                \
            strided += down;                                                                                 \
            packed += others;                                                                                \
        }                                                                                                    \
    }                                                                                                        \
    static void name(const Plane *plane, char *strided, char *packed) {                                      \
        if (likely(!needs_tiles(plane))) {                                                                   \
            name##_columns(plane, strided, packed, plane->columns);                                          \
            return;                                                                                          \
        }                                                                                                    \
        for (Py_ssize_t first = 0; first < plane->columns; first += TILE_COLUMNS)                            \
            name##_columns(plane, strided + first * plane->column_stride, packed + first * (bytes),          \
                           Py_MIN(TILE_COLUMNS, plane->columns - first));                                    \
    }
PLANE_COPY(pack_run, plane->run, memcpy, packed, at)
PLANE_COPY(unpack_run, plane->run, memcpy, at, packed)

/* Runs of constant length: elements of NumPy's types, and short rows of them (vectors in space, colours), for
 * which a call of memcpy would take longer than the copy. */
#define CONSTANT_RUNS(each)                                                                                  \
    each(1) each(2) each(3) each(4) each(6) each(8) each(12) each(16) each(24) each(32) each(48)
#define DEFINE_COPIES(bytes)                                                                                 \
    PLANE_COPY(pack_##bytes, bytes, memcpy, packed, at)                                                      \
    PLANE_COPY(unpack_##bytes, bytes, memcpy, at, packed)
CONSTANT_RUNS(DEFINE_COPIES)

/* Short rows of any length, such as those of the faces of a small mesh: as many bytes from their beginning as
 * up to their end, which may be the same ones. Without a loop, no branch is mispredicted.
 * Longer rows are as fast with memcpy, which has wider registers. */
#define BOTH_ENDS(half)                                                                                      \
    ALWAYS_INLINE void copy_twice_##half(char *to, const char *from, size_t bytes) {                         \
        memcpy(to, from, half);                                                                              \
        memcpy(to + bytes - half, from + bytes - half, half);                                                \
    }                                                                                                        \
    PLANE_COPY(pack_twice_##half, plane->run, copy_twice_##half, packed, at)                                 \
    PLANE_COPY(unpack_twice_##half, plane->run, copy_twice_##half, at, packed)
#define HALVES(each) each(16) each(32) each(64)
HALVES(BOTH_ENDS)

enum direction { PACK, UNPACK };

static PlaneCopy *plane_copy(enum direction direction, Py_ssize_t run) {
    switch (run) {
#define CASE(bytes)                                                                                          \
    case bytes:                                                                                              \
        return direction == PACK ? pack_##bytes : unpack_##bytes;
        CONSTANT_RUNS(CASE)
    }
#define WITHIN(half)                                                                                         \
    if (run >= half && run <= 2 * half)                                                                      \
        return direction == PACK ? pack_twice_##half : unpack_twice_##half;
    HALVES(WITHIN)
    return direction == PACK ? pack_run : unpack_run;
}

/* Copy between `strided` and `packed`, over the `ndim` innermost loops: planes, and an odometer over the
 * loops around them. */
static void copy_loops(enum direction direction, const Loops *loops, int ndim, char *strided, char *packed) {
    const Py_ssize_t *shape = loops->shape + (loops->ndim - ndim);
    const Py_ssize_t *strides = loops->strides + (loops->ndim - ndim);
    const Plane plane = {.rows = ndim > 1 ? shape[ndim - 2] : 1,
                         .row_stride = ndim > 1 ? strides[ndim - 2] : 0,
                         .columns = ndim > 0 ? shape[ndim - 1] : 1,
                         .column_stride = ndim > 0 ? strides[ndim - 1] : 0,
                         .run = loops->run};
    const Py_ssize_t plane_bytes = plane.rows * plane.columns * plane.run;
    PlaneCopy *copy = plane_copy(direction, plane.run);
    Py_ssize_t index[MOST_DIMENSIONS]; /* of the loops around the plane */
    int around = ndim > 2 ? ndim - 2 : 0;
    memset(index, 0, (size_t)around * sizeof *index);
    for (int axis = 0; axis >= 0;) {
        copy(&plane, strided, packed);
        packed += plane_bytes;
        for (axis = around - 1; axis >= 0; axis--) {
            strided += strides[axis];
            if (++index[axis] < shape[axis])
                break;
            strided -= shape[axis] * strides[axis];
            index[axis] = 0;
        }
    }
}

void loops_pack(const Loops *loops, const char *strided, char *packed) {
    copy_loops(PACK, loops, loops->ndim, (char *)strided, packed);
}

void loops_unpack(const Loops *loops, char *strided, const char *packed) {
    copy_loops(UNPACK, loops, loops->ndim, strided, (char *)packed);
}

void strided_pack(const Layout *from, char *to) {
    if (from->nbytes == 0)
        return;
    Loops loops;
    loops_merge(from, &loops);
    loops_pack(&loops, from->data, to);
}

void strided_unpack(const Layout *into, const char *from, Py_ssize_t nbytes) {
    if (nbytes == 0)
        return;
    Loops loops;
    loops_merge(into, &loops);
    char *strided = into->data, *packed = (char *)from;
    /* Of each loop, from the outermost one, the steps that are complete; then what is left is part of the
     * next step. */
    Py_ssize_t step_bytes = into->nbytes;
    for (int axis = 0; axis < loops.ndim && nbytes; axis++) {
        step_bytes /= loops.shape[axis];
        Py_ssize_t steps = nbytes / step_bytes;
        if (steps) {
            loops.shape[axis] = steps;
            copy_loops(UNPACK, &loops, loops.ndim - axis, strided, packed);
            strided += steps * loops.strides[axis];
            packed += steps * step_bytes;
            nbytes -= steps * step_bytes;
        }
    }
    if (nbytes)
        memcpy(strided, packed, (size_t)nbytes);
}
