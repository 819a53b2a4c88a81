/* What becomes of a contribution that has come to its receiver: an object of its own, or elements in memory
 * of the user. */
#ifndef POLYMPI_DELIVERY_H
#define POLYMPI_DELIVERY_H

#include "codec.h"

enum { MOST_SCALAR_BYTES = 64 };

/* As array_elements, and a number is one element: NumPy's of its type; Python's of the type `wanted` where
 * that holds such numbers (an int any integer or floating type, a float any floating one, ...), converted to
 * `scratch` of MOST_SCALAR_BYTES. */
int stream_elements(const char *bytes, Py_ssize_t nbytes, int wanted, Elements *elements, char *scratch);

/* The object of a complete stream, or with `into` (may be NULL) the object of that target, filled. A new
 * reference, or NULL with an exception. */
PyObject *deliver(const char *bytes, Py_ssize_t nbytes, Arrived *parts, int part_count, const Target *into,
                  const Call *call);

/* What a rank gets of its own contribution: just what it would get if another rank had sent it. */
PyObject *deliver_own(PyObject *value, const Target *into, const Call *call);

/* A target that is `into` from the row `first` on, with as many rows as the elements are, which must be whole
 * rows: the number of rows, or -1 with MismatchError or TruncationError. `rows` borrows its references
 * and is not to be closed. */
Py_ssize_t target_rows(Target *rows, const Target *into, Py_ssize_t first, const Elements *elements,
                       const Call *call);

/* Raise MismatchError: an object came where elements were expected. -1. */
int refuse_object(const Call *call);

/* Free parts that no object has taken. */
void release_parts(Arrived *parts, int part_count);

#endif
