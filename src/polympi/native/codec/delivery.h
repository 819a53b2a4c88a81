/* Turning a received message into its result: a new object, or elements in a user buffer. */
#pragma once

#include "codec/codec.h"

enum { MOST_SCALAR_BYTES = 64 };

/* As array_elements, and a number is one element: NumPy's of its type; Python's of the type `wanted` where
 * that holds such numbers (an int any integer or floating type, a float any floating one, ...), converted to
 * `scratch` of MOST_SCALAR_BYTES. */
int stream_elements(const char *bytes, Py_ssize_t nbytes, int wanted, Elements *elements, char *scratch);

/* Where the elements of a complete message are: in its stream, or all of its only part. NULL with Error where
 * there is no such part: the message is damaged. */
const char *elements_data(const Elements *elements, const Arrived *parts, int part_count);

/* The object of a complete stream, or with `into` (may be NULL) the object of that target, filled. A new
 * reference. */
PyObject *deliver(const char *bytes, Py_ssize_t nbytes, Arrived *parts, int part_count, const Target *into,
                  const Call *call);

/* The result of this rank's own contribution, as if another rank had sent it. */
PyObject *deliver_own(PyObject *value, const Target *into, const Call *call);

/* Whether a value is immutable, and needs no copy. */
bool cannot_change(PyObject *value);

/* The rows of `into` from `first` on, as a target for the elements, which must be whole rows: the number of
 * rows, or -1 with MismatchError or TruncationError. `rows` borrows its references and is not closed. */
Py_ssize_t target_rows(Target *rows, const Target *into, Py_ssize_t first, const Elements *elements,
                       const Call *call);

/* Raise MismatchError: an object came where elements were expected. -1. */
int refuse_object(const Call *call);

/* Free parts that no object owns. */
void release_parts(Arrived *parts, int part_count);
