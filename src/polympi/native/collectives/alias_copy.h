/* Copies of what a rank gives to a collective where it overlaps with the memory for the result. */
#pragma once

#include "codec/codec.h"

/* The value, or a copy of it if receiving into the target (NULL: none) might change it while it is still
 * needed; a new reference. */
PyObject *copy_without_alias(const Target *into, PyObject *value, const Call *call);
/* The same for each item of a tuple, which is stolen (NULL stays NULL); a new tuple, or NULL. */
PyObject *copy_items_without_alias(const Target *into, PyObject *items, const Call *call);
