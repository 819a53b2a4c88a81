/* The methods of a class that several files have. */
#ifndef POLYMPI_METHODS_H
#define POLYMPI_METHODS_H

#include "base/state.h"

/* One table of all, which lives as long as the class. */
static inline PyMethodDef *join_methods(PyMethodDef *const *tables, int count) {
    size_t total = 1;
    for (int t = 0; t < count; t++)
        for (PyMethodDef *method = tables[t]; method->ml_name; method++)
            total++;
    PyMethodDef *joined = (PyMethodDef *)PyMem_Calloc(total, sizeof *joined), *end = joined;
    for (int t = 0; joined && t < count; t++)
        for (PyMethodDef *method = tables[t]; method->ml_name; method++)
            *end++ = *method;
    if (!joined)
        PyErr_NoMemory();
    return joined;
}

#endif
