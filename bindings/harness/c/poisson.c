#define _DEFAULT_SOURCE
#include "applications.h"

#include <stdlib.h>
#include <string.h>

/* The system of poisson-cg: the matrix with 4 on its diagonal and -1 for each of four neighbours. */
struct system {
    int64_t edge;
    double *x, *r, *p, *v, *b;
};

/* An element, or 0 beyond the boundary. */
static double element(const double *u, int64_t i, int64_t j, int64_t edge) {
    return i < 0 || j < 0 || i == edge || j == edge ? 0.0 : u[i * edge + j];
}

static void multiply(const double *u, double *product, int64_t edge) {
    for (int64_t i = 0; i < edge; i++)
        for (int64_t j = 0; j < edge; j++)
            product[i * edge + j] = 4.0 * u[i * edge + j] - element(u, i - 1, j, edge) -
                                    element(u, i + 1, j, edge) - element(u, i, j - 1, edge) -
                                    element(u, i, j + 1, edge);
}

static double dot(const double *a, const double *b, int64_t count) {
    double sum = 0.0;
    for (int64_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* h^2 f at each point: the solution is x (1 - x) y (1 - y), of which the second differences are exact. */
static void right_side(struct system *s) {
    const double h = 1.0 / (double)(s->edge + 1);
    for (int64_t i = 0; i < s->edge; i++)
        for (int64_t j = 0; j < s->edge; j++) {
            const double x = (double)(i + 1) * h, y = (double)(j + 1) * h;
            s->b[i * s->edge + j] = h * h * 2.0 * (x * (1.0 - x) + y * (1.0 - y));
        }
}

/* The state before the first iteration: x = b, r = p = b - A x. Returns <r, r>. */
static double begin(struct system *s) {
    const int64_t count = s->edge * s->edge;
    memcpy(s->x, s->b, (size_t)count * sizeof *s->x);
    multiply(s->x, s->v, s->edge);
    for (int64_t i = 0; i < count; i++)
        s->r[i] = s->p[i] = s->b[i] - s->v[i];
    return dot(s->r, s->r, count);
}

static double step(struct system *s, double rho) {
    const int64_t count = s->edge * s->edge;
    multiply(s->p, s->v, s->edge);
    const double alpha = rho / dot(s->p, s->v, count);
    for (int64_t i = 0; i < count; i++) {
        s->x[i] += alpha * s->p[i];
        s->r[i] -= alpha * s->v[i];
    }
    const double next = dot(s->r, s->r, count);
    for (int64_t i = 0; i < count; i++)
        s->p[i] = s->r[i] + next / rho * s->p[i];
    return next;
}

int32_t poisson_iterate(int64_t edge, int64_t iterations, double *x) {
    const double smallest = 1e-8; /* of rho / rho_0: then the next iteration is the first again */
    const size_t count = (size_t)(edge * edge);
    double *memory = malloc(4 * count * sizeof *memory);
    if (!memory)
        return 0;
    struct system s = {edge, x, memory, memory + count, memory + 2 * count, memory + 3 * count};
    right_side(&s);
    const double first = begin(&s);
    double rho = first;
    for (int64_t i = 0; i < iterations; i++) {
        if (rho <= smallest * first)
            rho = begin(&s);
        rho = step(&s, rho);
    }
    free(memory);
    return 1;
}
