/* What the applications have in common for programs that look at their results. */
#ifndef APPLICATION_H
#define APPLICATION_H

#include <stdint.h>

/* A rank's part of a result, without ghost layers: element (i, j, k) of the part is
   values[i * stride[0] + j * stride[1] + k * stride[2]], and element (start[0] + i, start[1] + j, start[2] +
   k) of the whole. Dimensions that the result does not have: start 0, count 1, stride 0. */
struct application_part {
    const double *values;
    int64_t start[3];
    int64_t count[3];
    int64_t stride[3]; /* in elements */
};

#endif
