/* What a rank gives to a collective may lie in the memory that it takes the result in. */
#ifndef POLYMPI_COLLECTIVES_ALIAS_COPY_H
#define POLYMPI_COLLECTIVES_ALIAS_COPY_H

#include "codec/codec.h"

/* The value, or a copy of it where what arrives in the target (NULL: there is none) might change it while it
 * is still needed; a new reference. */
PyObject *copy_without_alias(const Target *into, PyObject *value, const Call *call);
/* The same for each item of a tuple, which is taken over; a new tuple. NULL, if it was, or with an
 * exception. */
PyObject *copy_items_without_alias(const Target *into, PyObject *items, const Call *call);

#endif
