/* The reference, timed as OSU Micro-Benchmarks 7.4 time: after MPI_Barrier every rank takes the time of its
   own call, and the average over the ranks counts. The linker puts these functions in place of the
   reference's
   (--wrap). What a launch says about itself (memory, cost of a start) goes through them, too, and means
   nothing.

   OSU adds MPI_FLOAT (-T mpi_float) and no doubles. Here the payload float64 is as many bytes of MPI_FLOAT:
   where a library's loop over the elements is not vectorised, their number counts. */
#define _DEFAULT_SOURCE
#include "exchange.h"
#include "polympi_harness.h"

#include <mpi.h>
#include <stdio.h>

int32_t __wrap_common_start_agree(void);
int64_t __wrap_common_start_wait(void);
void __wrap_polympi_largest_over_ranks(int64_t *values, int32_t count);
MPI_Datatype __real_payload_datatype(int32_t payload);
MPI_Datatype __wrap_payload_datatype(int32_t payload);
int64_t __real_polympi_payload_count(const struct polympi_case *c);
int64_t __wrap_polympi_payload_count(const struct polympi_case *c);
void __real_polympi_payload_fill(void *message, const struct polympi_case *c, int32_t origin, int32_t slot);
void __wrap_polympi_payload_fill(void *message, const struct polympi_case *c, int32_t origin, int32_t slot);
void __wrap_polympi_payload_check_sum(const void *message, const struct polympi_case *c, int32_t ranks,
                                      int32_t slot, char *complaint);

int32_t __wrap_common_start_agree(void) { return 1; }

int64_t __wrap_common_start_wait(void) {
    MPI_Barrier(MPI_COMM_WORLD);
    return polympi_now();
}

void __wrap_polympi_largest_over_ranks(int64_t *values, int32_t count) {
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < count; i++)
        values[i] /= ranks;
}

MPI_Datatype __wrap_payload_datatype(int32_t payload) {
    return payload == POLYMPI_FLOAT64 ? MPI_FLOAT : __real_payload_datatype(payload);
}

int64_t __wrap_polympi_payload_count(const struct polympi_case *c) {
    return c->payload == POLYMPI_FLOAT64 ? c->bytes / (int64_t)sizeof(float)
                                         : __real_polympi_payload_count(c);
}

/* Small multiples of a half, so that their sum over the ranks is exact. */
static float element(int64_t i, int origin) { return 0.5f * (float)(i % 1024) + (float)origin; }

void __wrap_polympi_payload_fill(void *message, const struct polympi_case *c, int32_t origin, int32_t slot) {
    if (c->payload != POLYMPI_FLOAT64) {
        __real_polympi_payload_fill(message, c, origin, slot);
        return;
    }
    float *floats = message;
    for (int64_t i = 0; i < __wrap_polympi_payload_count(c); i++)
        floats[i] = element(i, origin);
}

void __wrap_polympi_payload_check_sum(const void *message, const struct polympi_case *c, int32_t ranks,
                                      int32_t slot, char *complaint) {
    (void)slot; /* its messages are alike in all slots */
    const float *floats = message;
    for (int64_t i = 0; i < __wrap_polympi_payload_count(c); i++) {
        float expected = 0;
        for (int origin = 0; origin < ranks; origin++)
            expected += element(i, origin);
        if (floats[i] != expected) {
            snprintf(complaint, POLYMPI_COMPLAINT_BYTES, "element %lld is %g instead of %g", (long long)i,
                     floats[i], expected);
            return;
        }
    }
}
