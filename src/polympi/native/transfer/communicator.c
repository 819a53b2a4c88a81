#include "transfer/communicator.h"

#include "base/errors.h"

bool usable(const Communicator *comm) {
    if (running() && !comm->size)
        raise_error("StateError", NULL, "this communicator was freed: use another one");
    return !PyErr_Occurred();
}
