/* Strided arrays, copied by a loop of ours. */
#ifndef POLYMPI_STRIDED_H
#define POLYMPI_STRIDED_H

#include "memory/layout.h"

/* Copy all elements of a layout, in C order, to contiguous memory of from->nbytes bytes. Needs no GIL. */
void strided_pack(const Layout *from, char *to);

/* Copy nbytes contiguous bytes (a whole number of elements, at most into->nbytes) to the first elements, in C
 * order, of a layout. Needs no GIL. */
void strided_unpack(const Layout *into, const char *from, Py_ssize_t nbytes);

#endif
