#include "collectives.h"

#include "errors.h"
#include "rounds.h"

int parse_root(Communicator *comm, PyObject *value, const char *operation, int *root) {
    const Call call = {.operation = operation, .rank = comm->rank, .peer = NO_PEER, .tag = NO_TAG};
    *root = 0;
    if (value && parse_int(value, root, operation, "root") < 0)
        return -1;
    if (!is_usable(comm))
        return -1;
    return check_rank(*root, comm->size, ROOT, &call);
}

/* ---- barrier ---- */

Signature barrier_signature = {"barrier", 0, 0, 1, {"timeout"}, {NULL}};

/* Dissemination (Hensgen, Finkel, Manber 1988): after round k each rank has heard of 2^k ranks before it. */
static int disseminate(Collective *collective) {
    int rank = collective->comm->rank, size = collective->comm->size;
    Head *heads = (Head *)collective_memory(collective, 2 * sizeof *heads);
    if (!heads)
        return -1;
    heads[0] = (Head){.verb = BARRIER, .nbytes = sizeof *heads};
    for (int distance = 1; distance < size; distance <<= 1)
        if (exchange(collective, &heads[0], sizeof *heads, (rank + distance) % size, &heads[1], sizeof *heads,
                     (rank + size - distance) % size) < 0)
            return -1;
    return 0;
}

PyObject *communicator_barrier(Communicator *self, PyObject *const *args, Py_ssize_t nargs,
                               PyObject *kwnames) {
    PyObject *values[MOST_ARGUMENTS];
    Collective collective;
    if (signature_parse(&barrier_signature, args, nargs, kwnames, values) < 0 ||
        collective_open(&collective, self, BARRIER, values[0]) < 0)
        return NULL;
    disseminate(&collective);
    if (collective_close(&collective) < 0)
        return NULL;
    Py_RETURN_NONE;
}

/* ---- the table ---- */

#define METHOD(name, documentation)                                                                          \
    { #name, (PyCFunction)(void (*)(void))communicator_##name, METH_FASTCALL | METH_KEYWORDS, documentation }

#define TIMEOUT_ARGUMENT                                                                                     \
    "    timeout: seconds it may wait for other ranks; POLYMPI_TIMEOUT if not given, for ever if neither.\n"
#define TIMEOUT_ERROR                                                                                        \
    "    Timeout: not all ranks came in time. The call is over on this rank; let all ranks end, or go on "   \
    "with a new communicator.\n"

PyMethodDef collective_methods[] = {
    METHOD(barrier, "barrier($self, *, timeout=None)\n--\n\n"
                    "Wait until all ranks have come here.\n\n"
                    "Args:\n" TIMEOUT_ARGUMENT "\n"
                    "Raises:\n" TIMEOUT_ERROR "\nMPI 5.0, section 6.3."),
    {NULL, NULL, 0, NULL},
};

int collectives_prepare(void) {
    Signature *const all[] = {&barrier_signature};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (signature_prepare(all[i]) < 0)
            return -1;
    return 0;
}
