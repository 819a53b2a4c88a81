/* Strided arrays, and copying them to contiguous memory and back. */
#pragma once

#include "memory/layout.h"

/* Copy all elements of a layout, in C order, to contiguous memory of from->nbytes bytes. Needs no GIL. */
void strided_pack(const Layout *from, char *to);

/* Copy nbytes contiguous bytes (a whole number of elements, at most into->nbytes) to the first elements, in C
 * order, of a layout. Needs no GIL. */
void strided_unpack(const Layout *into, const char *from, Py_ssize_t nbytes);

/* The nest of loops that visits a layout in C order, as short as it can be. */
typedef struct {
    int ndim;                            /* loops around the run; 0 for contiguous memory */
    Py_ssize_t run;                      /* bytes that lie together: an element, or a whole number of them */
    Py_ssize_t shape[MOST_DIMENSIONS];   /* steps of the loops, outermost first, all > 1 */
    Py_ssize_t strides[MOST_DIMENSIONS]; /* bytes from step to step */
} Loops;

/* Drop axes of length 1, merge axes that continue one another, and make the innermost one part of the run
 * where its elements touch. The layout must have elements, and they must have bytes (nbytes > 0). */
void loops_merge(const Layout *layout, Loops *loops);

/* Copy all that the loops visit, from the first run at `strided`, to contiguous memory, or from there. Needs
 * no GIL. */
void loops_pack(const Loops *loops, const char *strided, char *packed);
void loops_unpack(const Loops *loops, char *strided, const char *packed);
