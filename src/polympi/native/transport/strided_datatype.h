/* Strided arrays described to MPI by derived datatypes, and when that is faster than packing them. */
#pragma once

#include "memory/layout.h"
#include "transport/transport.h"

/* Whether a derived datatype moves this layout, which isn't contiguous, faster than packing on this MPI
 * library. */
bool strided_by_datatype(const Layout *layout);

/* A committed datatype of MPI_BYTEs for the whole layout, to be used with count 1 at layout->data; from a
 * cache, which owns it (use it before asking for 31 others; MPI keeps it while a request uses it). Returns an
 * MPI error code, after which the caller packs: MPI_ERR_COUNT where a count does not fit an int, MPI_ERR_ARG
 * where a stride is not positive. GIL held. */
int strided_datatype(const Layout *layout, MPI_Datatype *type);

/* A datatype of elements of this type, as a partner in C would describe it, or of MPI_BYTEs; for the caller
 * to keep and to free. */
int strided_datatype_new(const Layout *layout, MPI_Datatype element, MPI_Datatype *type);

/* Free all cached datatypes, before MPI_Finalize. */
void strided_forget(void);
