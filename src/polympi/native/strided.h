/* Strided arrays: copied by a loop of ours, or described to MPI by a derived datatype, whichever is faster
 * there. */
#ifndef POLYMPI_STRIDED_H
#define POLYMPI_STRIDED_H

#include "layout.h"

/* Copy all elements of a layout, in C order, to contiguous memory of from->nbytes bytes. Needs no GIL. */
void strided_pack(const Layout *from, char *to);

/* Copy nbytes contiguous bytes (a whole number of elements, at most into->nbytes) to the first elements, in C
 * order, of a layout. Needs no GIL. */
void strided_unpack(const Layout *into, const char *from, Py_ssize_t nbytes);

/* Whether on this MPI library a derived datatype moves this (not contiguous) layout faster than packing does.
 * Then strided_datatype can make it, if MPI has the memory and its counts fit an int. */
bool strided_by_datatype(const Layout *layout);

/* A committed datatype of MPI_BYTEs for the whole layout, to be used with count 1 at layout->data; from a
 * cache, which owns it (use it before asking for 31 others; MPI keeps it while a request uses it). Returns an
 * MPI error code, after which the caller packs: MPI_ERR_COUNT where a count does not fit an int, MPI_ERR_ARG
 * where a stride is not positive. GIL and turn in MPI held. */
int strided_datatype(const Layout *layout, MPI_Datatype *type);

/* Free all cached datatypes, before MPI_Finalize. */
void strided_forget(void);

#endif
