/* The reference, timed as OSU Micro-Benchmarks 7.4 time: after MPI_Barrier every rank takes the time of its
   own call, and the average over the ranks counts. The linker puts these functions in place of the
   reference's
   (--wrap). What a launch says about itself (memory, cost of a start) goes through them, too, and means
   nothing.

   OSU adds MPI_FLOAT (-T mpi_float) and no doubles. Here the payload float64 is as many bytes of MPI_FLOAT:
   where a library's loop over the elements is not vectorised, their number counts. */
#define _DEFAULT_SOURCE
#include "clock.h"
#include "common_start.h"
#include "payload.h"
#include "ranks.h"

#include <mpi.h>
#include <stdio.h>

int32_t __wrap_common_start_agree(void);
int64_t __wrap_common_start_wait(void);
void __wrap_largest_over_ranks(struct ranks ranks, int64_t *values, int count);
MPI_Datatype __real_payload_datatype(enum payload payload);
MPI_Datatype __wrap_payload_datatype(enum payload payload);
size_t __real_payload_count(const struct plan_case *c);
size_t __wrap_payload_count(const struct plan_case *c);
void __real_payload_fill(void *message, const struct plan_case *c, int origin, int slot);
void __wrap_payload_fill(void *message, const struct plan_case *c, int origin, int slot);
void __wrap_payload_check_sum(const void *message, const struct plan_case *c, int ranks, char *complaint);

int32_t __wrap_common_start_agree(void) { return 1; }

int64_t __wrap_common_start_wait(void) {
    MPI_Barrier(MPI_COMM_WORLD);
    return now_ns();
}

void __wrap_largest_over_ranks(struct ranks ranks, int64_t *values, int count) {
    MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < count; i++)
        values[i] /= ranks.size;
}

MPI_Datatype __wrap_payload_datatype(enum payload payload) {
    return payload == FLOAT64 ? MPI_FLOAT : __real_payload_datatype(payload);
}

size_t __wrap_payload_count(const struct plan_case *c) {
    return c->payload == FLOAT64 ? c->bytes / sizeof(float) : __real_payload_count(c);
}

/* Small multiples of a half, so that their sum over the ranks is exact. */
static float element(size_t i, int origin) { return 0.5f * (float)(i % 1024) + (float)origin; }

void __wrap_payload_fill(void *message, const struct plan_case *c, int origin, int slot) {
    if (c->payload != FLOAT64) {
        __real_payload_fill(message, c, origin, slot);
        return;
    }
    float *floats = message;
    for (size_t i = 0; i < __wrap_payload_count(c); i++)
        floats[i] = element(i, origin);
}

void __wrap_payload_check_sum(const void *message, const struct plan_case *c, int ranks, char *complaint) {
    const float *floats = message;
    for (size_t i = 0; i < __wrap_payload_count(c); i++) {
        float expected = 0;
        for (int origin = 0; origin < ranks; origin++)
            expected += element(i, origin);
        if (floats[i] != expected) {
            snprintf(complaint, COMPLAINT_BYTES, "element %zu is %g instead of %g", i, floats[i], expected);
            return;
        }
    }
}
