/* Communicators as numbers, for other code in this process: the handle of C, and the int of Fortran. */
#pragma once

#include "transport/transport.h"

/* Whether the core runs on an MPI library, whose handles others can use; otherwise false with LibraryError.
 */
bool has_handles(const Call *call);

/* The bytes of an MPI_Comm of C; its value as a number; and back. */
enum { HANDLE_BYTES = sizeof(MPI_Comm) };
long long handle_number(MPI_Comm comm);
MPI_Comm handle_of_number(long long number);

/* The number that Fortran knows it by (MPI 5.0, sections 19.3.4 and 20.3). */
int fortran_number(MPI_Comm comm);
MPI_Comm handle_of_fortran(int number);
