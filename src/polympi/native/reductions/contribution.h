/* The contribution of a rank to a reduction, in one small message, and how two of them are combined. */
#pragma once

#include <stddef.h>

#include "collectives/rounds.h"
#include "reductions/op.h"
#include "transfer/transfer.h"

/* Write this rank's contribution. 0, or -1 with MismatchError if check_bits refuses it. */
int contribute(const Collective *collective, Contribution *own, PyObject *value, enum op op);
/* Refuse BAND, BOR and BXOR of values without bits, such as floating-point numbers; each rank checks its own
 * value. 0, or -1 with MismatchError. */
int check_bits(const Collective *collective, PyObject *value, enum op op);

/* right = left combined with right, where left is of lower ranks; only the heads if the kinds differ. */
void combine_contributions(const Contribution *left, Contribution *right);
/* Whether the elements can be combined here. */
bool alike(const Contribution *left, const Contribution *right);
/* The same for the elements only, of contributions of one kind, type and shape. */
void combine_data(const Contribution *left, Contribution *right);

/* Whether the elements are the result: contributions were of one kind, and integers have not overflowed. */
bool is_result(const Contribution *total);

/* The result as a new object; `like` is this rank's own contribution. For reduce_scatter, `rows` rows of an
 * array from `first` on; rows < 0: all. */
PyObject *contribution_result(const Contribution *total, PyObject *like, Py_ssize_t first, Py_ssize_t rows);
