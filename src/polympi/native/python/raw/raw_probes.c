/* Probes of raw communicators, which know the size of a message. */
#include "base/errors.h"
#include "python/interface/request.h"
#include "python/raw/raw_peer.h"

static Signature probe_signature = {"probe", 2, 0, 4, {"source", "tag", "dtype", "timeout"}, {NULL}};
static Signature iprobe_signature = {"iprobe", 2, 0, 3, {"source", "tag", "dtype"}, {NULL}};

struct probing {
    const Raw *raw;
    const Call *call;
    MPI_Status status;
};

static int poll_probe(void *context) {
    struct probing *probing = context;
    const Call *call = probing->call;
    int found = 0;
    bool locked = enter_mpi();
    int code =
        MPI_Iprobe(mpi_source(call->peer), mpi_tag(call->tag), probing->raw->comm, &found, &probing->status);
    leave_mpi(locked);
    return code != MPI_SUCCESS ? raise_mpi(code, call) : found;
}

/* The bytes of an element of a dtype, or of what NumPy makes one of; of bytes where none is given. -1. */
static Py_ssize_t dtype_bytes(PyObject *given) {
    if (!given || given == Py_None)
        return 1;
    PyArray_Descr *dtype;
    if (!numpy_loaded(true) || !PyArray_DescrConverter(given, &dtype))
        return -1;
    Py_ssize_t itemsize = PyDataType_ELSIZE(dtype);
    Py_DECREF(dtype);
    return itemsize ? itemsize : 1;
}

/* None in place of the elements where the bytes are no whole number of them. */
static PyObject *probed(const MPI_Status *from, Py_ssize_t itemsize, const Call *call) {
    Status status;
    if (raw_buffer_status(from, 1, &status, call) < 0)
        return NULL;
    status.elements = status.nbytes % itemsize ? -1 : status.nbytes / itemsize;
    return status_object(&status);
}

static PyObject *look(Raw *self, PyObject *const *values, PyObject *dtype, Call *call, bool waits,
                      double timeout) {
    struct probing probing = {.raw = self, .call = call};
    Py_ssize_t itemsize;
    if (raw_peer(self, values[0], "source", values[1], true, call) < 0 || (itemsize = dtype_bytes(dtype)) < 0)
        return NULL;
    if (call->peer == PROC_NULL)
        return status_object(&null_status);
    int found = waits ? wait_poll(poll_probe, &probing, call, timeout) : poll_probe(&probing);
    if (found == 0)
        Py_RETURN_NONE;
    return found < 0 ? NULL : probed(&probing.status, itemsize, call);
}

static PyObject *raw_probe(Raw *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
    PyObject *values[MOST_ARGUMENTS];
    Call call = {.operation = "raw.probe"};
    double timeout;
    if (signature_parse(&probe_signature, args, nargs, kwnames, values) < 0 ||
        parse_timeout(values[3], &timeout, "probe") < 0)
        return NULL;
    return look(self, values, values[2], &call, true, timeout);
}

static PyObject *raw_iprobe(Raw *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
    PyObject *values[MOST_ARGUMENTS];
    Call call = {.operation = "raw.iprobe"};
    if (signature_parse(&iprobe_signature, args, nargs, kwnames, values) < 0)
        return NULL;
    return look(self, values, values[2], &call, false, 0);
}

#define METHOD(name, documentation)                                                                          \
    { #name, (PyCFunction)(void (*)(void))raw_##name, METH_FASTCALL | METH_KEYWORDS, documentation }
#define TIMEOUT_ARGUMENT "    timeout: seconds to wait; None stands for POLYMPI_TIMEOUT, or for ever.\n"

PyMethodDef raw_probes[] = {
    METHOD(probe,
           "probe($self, source=polympi.shown.ANY_SOURCE, tag=polympi.shown.ANY_TAG, *, dtype=None, "
           "timeout=None)\n--\n\n"
           "Wait for a message that matches, without receiving it.\n\n"
           "Args:\n"
           "    source: rank, ANY_SOURCE or PROC_NULL.\n"
           "    tag: tag, or ANY_TAG.\n"
           "    dtype: what its elements are counted in; bytes if it is not given.\n" TIMEOUT_ARGUMENT "\n"
           "Returns:\n"
           "    Its Status; elements is None where the message is no whole number of them.\n\n"
           "Raises:\n"
           "    Timeout: no message came in time.\n"
           "    RankError, TagError: there is no such rank or tag.\n\nMPI 5.0, section 3.8.1."),
    METHOD(iprobe,
           "iprobe($self, source=polympi.shown.ANY_SOURCE, tag=polympi.shown.ANY_TAG, *, dtype=None)\n--\n\n"
           "The Status of a message that matches and has come, as of probe; or None.\n\n"
           "MPI 5.0, section 3.8.1."),
    {NULL, NULL, 0, NULL},
};

int raw_probes_prepare(void) {
    return signature_prepare(&probe_signature) < 0 || signature_prepare(&iprobe_signature) < 0 ? -1 : 0;
}
