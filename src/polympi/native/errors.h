/* Errors: MPI's codes and our own findings as exceptions of polympi.errors. All return -1 or NULL for the
 * caller. */
#ifndef POLYMPI_ERRORS_H
#define POLYMPI_ERRORS_H

#include "core.h"

/* Raise the exception that fits an MPI error code: Error, TruncationError, ... with rank, peer, tag and
 * operation. */
int raise_mpi(int code, const Call *call);

/* Raise a class of polympi.errors ("RankError") with a sentence (printf style, %R and the like as in
 * PyUnicode_FromFormat) and the facts of the call; `call` may be NULL. */
int raise_error(const char *class_name, const Call *call, const char *format, ...);

/* Raise Timeout: who waited for whom, in which operation, tag, file and line of the caller's code. */
int raise_timeout(const Call *call, double seconds);

/* "recv(source=1, tag=7)", as the user would write it; a new reference. */
PyObject *describe_call(const Call *call);

#endif
