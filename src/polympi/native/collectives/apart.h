/* What a rank gives to a collective may lie in the memory that it takes the result in. */
#ifndef POLYMPI_APART_H
#define POLYMPI_APART_H

#include "codec/codec.h"

/* The value, or a copy of it where what arrives in the target (NULL: there is none) might change it while it
 * is still needed; a new reference. */
PyObject *apart_from(const Target *into, PyObject *value, const Call *call);
/* The same for each item of a tuple, which is taken over; a new tuple. NULL, if it was, or with an
 * exception. */
PyObject *items_apart_from(const Target *into, PyObject *items, const Call *call);

#endif
