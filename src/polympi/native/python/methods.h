/* Tables of methods. */
#pragma once

#include "base/state.h"

/* A row for a function with FASTCALL_ARGS. */
#define KEYWORD_METHOD(name, function, documentation)                                                        \
    { name, (PyCFunction)(void (*)(void))function, METH_FASTCALL | METH_KEYWORDS, documentation }

#define TIMEOUT_ARGUMENT "    timeout: seconds to wait; None means POLYMPI_TIMEOUT, or no limit.\n"

/* One table of several, for a class whose methods are in several files; it lives as long as the class. */
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
