/* mpi4py's messages and collectives of contiguous NumPy arrays of numbers. They send what mpi4py itself
 * sends, so partners may be any MPI program. */
#include "python/mpi4py/mpi4py.h"

#ifndef POLYMPI_SERIAL

#include "codec/numpy_api.h"

/* clang-format off */
#define BUFFER_METHODS(X)                                                                                    \
    X(Comm, Send) X(Comm, Recv) X(Comm, Sendrecv) X(Comm, Isend) X(Comm, Irecv) X(Comm, Bcast)               \
    X(Comm, Allreduce)
/* clang-format on */
enum { BUFFER_METHODS(TAKEOVER_PLACE) };

static Signature send_names = {"Send", 3, 2, 3, {"buf", "dest", "tag"}, {NULL}};
static Signature recv_names = {"Recv", 4, 1, 4, {"buf", "source", "tag", "status"}, {NULL}};
static Signature sendrecv_names = {
    "Sendrecv", 7, 2, 7, {"sendbuf", "dest", "sendtag", "recvbuf", "source", "recvtag", "status"}, {NULL}};
static Signature bcast_names = {"Bcast", 2, 1, 2, {"buf", "root"}, {NULL}};
static Signature allreduce_names = {"Allreduce", 3, 2, 3, {"sendbuf", "recvbuf", "op"}, {NULL}};

/* ---- arrays ---- */

/* A buffer of MPI. */
typedef struct {
    void *data;
    int count;
    MPI_Datatype type;
} Numbers;

#define DATATYPE(name, number, ctype, kind, npy, mpi, text, format)                                          \
    case number:                                                                                             \
        return mpi;
static MPI_Datatype datatype_of(int type) {
    switch (canonical(type)) {
        ELEMENT_TYPES(DATATYPE)
    default:
        return MPI_DATATYPE_NULL;
    }
}

/* Whether MPI can use an array in place: contiguous, in C or Fortran order, of a native type, with at most
 * INT_MAX elements. */
static inline bool take_numbers(PyObject *object, bool written, Numbers *elements) {
    if (unlikely(!object))
        return false;
    if (unlikely(!ndarray_type) && !numpy_loaded(false)) {
        PyErr_Clear();
        return false;
    }
    PyArrayObject *array = (PyArrayObject *)object;
    if (Py_TYPE(object) != ndarray_type ||
        !(PyArray_FLAGS(array) & (NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS)) ||
        !PyArray_ISALIGNED(array) || (written && !PyArray_ISWRITEABLE(array)))
        return false;
    int type = wire_type(PyArray_DESCR(array));
    npy_intp count = PyArray_SIZE(array);
    if (type == TYPE_DESCRIBED || count > INT_MAX)
        return false;
    *elements = (Numbers){.data = PyArray_DATA(array), .count = (int)count, .type = datatype_of(type)};
    return elements->type != MPI_DATATYPE_NULL;
}

/* ---- waiting ---- */

/* A wait was ended by a time-out or an exception, and MPI still uses the array. Cancel a receive; 1 if its
 * message has arrived instead. A send goes on, and keeps its array. */
static int give_up(MPI_Request *request, PyObject *array, bool receives, MPI_Status *status) {
    int cancelled = 1;
    if (*request == MPI_REQUEST_NULL)
        return 0;
    if (!receives) {
        Py_INCREF(array); /* forever: nobody will know when it is complete */
        IN_TURN(drop_request(request, false));
    } else if (IN_TURN(cancel_receive(request, status)))
        MPI_Test_cancelled(status, &cancelled);
    return !cancelled;
}

/* Wait for one request: 0, or -1 with an exception. */
static inline int wait_one(MPI_Request *request, PyObject *array, bool receives, MPI_Status *status,
                           const Call *call) {
    int waited;
    while (unlikely((waited = wait_for(request, 1, status, call, DEFAULT_TIMEOUT)) > 0))
        ; /* recalled, which concerns receives of objects only */
    if (unlikely(waited < 0) && state.phase == RUNNING && give_up(request, array, receives, status) &&
        is_timeout()) {
        PyErr_Clear();
        return 0;
    }
    return waited;
}

static inline int begin_send(const Numbers *elements, const Communicator *comm, const Call *call,
                             MPI_Request *request) {
    return locked_isend(elements->data, elements->count, elements->type, call->peer, call->tag, comm->comm,
                        request);
}

static inline int begin_receive(const Numbers *elements, const Communicator *comm, const Call *call,
                                MPI_Request *request) {
    return locked_irecv(elements->data, elements->count, elements->type, mpi_source(call->peer),
                        mpi_tag(call->tag), comm->comm, request);
}

static inline PyObject *done(int failed) {
    return unlikely(failed < 0) ? mpi4py_exception() : Py_NewRef(Py_None);
}

/* ---- messages ---- */

enum { WIDEST = 16 }; /* bytes of an element */

/* Whether the core handles a send. */
static inline Communicator *take_send(PyObject *self, FASTCALL_ARGS, PyObject **values, Numbers *elements,
                                      Call *call) {
    Communicator *comm = attached(self);
    if (unlikely(!comm) || !takes_arguments(&send_names, args, nargs, kwnames, values) ||
        !take_numbers(values[0], false, elements) || !take_rank(values[1], comm, &call->peer) ||
        !take_tag(values[2], &call->tag))
        return NULL;
    call->rank = comm->rank;
    call->large = WIDEST * (int64_t)elements->count;
    return comm;
}

__attribute__((always_inline)) static inline PyObject *send_by(int which, PyObject *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    Numbers elements;
    Call call = {.operation = which == AT_Isend ? "Isend" : "Send", .sends = true};
    MPI_Request request;
    Communicator *comm = take_send(self, args, nargs, kwnames, values, &elements, &call);
    if (unlikely(!comm))
        return call_before(&buffer_takeovers[which], self, args, nargs, kwnames);
    int code = begin_send(&elements, comm, &call, &request);
    if (unlikely(code != MPI_SUCCESS))
        return raise_mpi4py(code);
    return which == AT_Isend ? buffer_request(request, values[0])
                             : done(wait_one(&request, values[0], false, MPI_STATUS_IGNORE, &call));
}

TAKEN_BY(Send, send_by)
TAKEN_BY(Isend, send_by)

/* Whether the core handles a receive. */
static inline Communicator *take_receive(PyObject *self, FASTCALL_ARGS, PyObject **values, Numbers *elements,
                                         Call *call) {
    Communicator *comm = attached(self);
    if (unlikely(!comm) || !takes_arguments(&recv_names, args, nargs, kwnames, values) ||
        !take_numbers(values[0], true, elements) || !take_source(values[1], comm, &call->peer) ||
        !take_any_tag(values[2], &call->tag))
        return NULL;
    call->rank = comm->rank;
    call->large = WIDEST * (int64_t)elements->count;
    return comm;
}

__attribute__((always_inline)) static inline PyObject *receive_by(int which, PyObject *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    Numbers elements;
    Call call = {.operation = which == AT_Irecv ? "Irecv" : "Recv"};
    MPI_Request request;
    MPI_Status *wanted = NULL, unwanted;
    Communicator *comm = take_receive(self, args, nargs, kwnames, values, &elements, &call);
    if (unlikely(!comm) || (which == AT_Irecv ? values[3] != NULL : !take_status(values[3], &wanted)))
        return call_before(&buffer_takeovers[which], self, args, nargs, kwnames);
    int code = begin_receive(&elements, comm, &call, &request);
    if (unlikely(code != MPI_SUCCESS))
        return raise_mpi4py(code);
    if (which == AT_Irecv)
        return buffer_request(request, values[0]);
    Py_INCREF(values[0]);
    int failed = wait_one(&request, values[0], true, wanted ? wanted : &unwanted, &call);
    Py_DECREF(values[0]);
    return done(failed);
}

TAKEN_BY(Recv, receive_by)
TAKEN_BY(Irecv, receive_by)

enum { SEND_BUFFER, DEST, SEND_TAG, RECEIVE_BUFFER, SOURCE_RANK, RECEIVE_TAG, STATUS };

static PyObject *accelerated_Sendrecv(PyObject *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    Numbers outgoing, incoming;
    Call sending = {.operation = "Sendrecv", .sends = true}, receiving = {.operation = "Sendrecv"};
    MPI_Request requests[2];
    MPI_Status *status, unwanted;
    Communicator *comm = attached(self);
    if (unlikely(!comm) || !takes_arguments(&sendrecv_names, args, nargs, kwnames, values) ||
        !take_numbers(values[SEND_BUFFER], false, &outgoing) ||
        !take_numbers(values[RECEIVE_BUFFER], true, &incoming) ||
        !take_rank(values[DEST], comm, &sending.peer) || !take_tag(values[SEND_TAG], &sending.tag) ||
        !take_source(values[SOURCE_RANK], comm, &receiving.peer) ||
        !take_any_tag(values[RECEIVE_TAG], &receiving.tag) || !take_status(values[STATUS], &status))
        return call_before(&buffer_takeovers[AT_Sendrecv], self, args, nargs, kwnames);
    if (!status)
        status = &unwanted;
    sending.rank = receiving.rank = comm->rank;
    int code = begin_receive(&incoming, comm, &receiving, &requests[0]);
    if (unlikely(code != MPI_SUCCESS))
        return raise_mpi4py(code);
    Py_INCREF(values[RECEIVE_BUFFER]);
    code = begin_send(&outgoing, comm, &sending, &requests[1]);
    int failed = code != MPI_SUCCESS
                     ? raise_mpi(code, &sending)
                     : wait_one(&requests[1], values[SEND_BUFFER], false, MPI_STATUS_IGNORE, &sending);
    if (unlikely(failed < 0)) {
        PyObject *error = take_exception();
        give_up(&requests[0], values[RECEIVE_BUFFER], true, status);
        restore_exception(error);
    } else
        failed = wait_one(&requests[0], values[RECEIVE_BUFFER], true, status, &receiving);
    Py_DECREF(values[RECEIVE_BUFFER]);
    return done(failed);
}

/* ---- collectives ---- */

/* MPI's blocking ones, as partners call. The GIL is kept only if no other thread could use it. */
#define CALL_BLOCKING(code, call)                                                                            \
    do {                                                                                                     \
        if (may_block(0))                                                                                    \
            code = call;                                                                                     \
        else {                                                                                               \
            Py_BEGIN_ALLOW_THREADS;                                                                          \
            code = call;                                                                                     \
            Py_END_ALLOW_THREADS;                                                                            \
        }                                                                                                    \
    } while (0)

static PyObject *accelerated_Bcast(PyObject *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    Numbers elements;
    int root = 0, code;
    Communicator *comm = attached(self);
    if (unlikely(!comm) || !takes_arguments(&bcast_names, args, nargs, kwnames, values) ||
        (values[1] && !take_rank(values[1], comm, &root)) ||
        !take_numbers(values[0], root != comm->rank, &elements))
        return call_before(&buffer_takeovers[AT_Bcast], self, args, nargs, kwnames);
    MPI_Comm handle = comm->comm;
    Py_INCREF(values[0]);
    CALL_BLOCKING(code, MPI_Bcast(elements.data, elements.count, elements.type, root, handle));
    Py_DECREF(values[0]);
    return code == MPI_SUCCESS ? Py_NewRef(Py_None) : raise_mpi4py(code);
}

static PyObject *accelerated_Allreduce(PyObject *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    Numbers outgoing, incoming;
    int code;
    Communicator *comm = attached(self);
    if (unlikely(!comm) || !takes_arguments(&allreduce_names, args, nargs, kwnames, values) ||
        !take_numbers(values[0], false, &outgoing) || !take_numbers(values[1], true, &incoming) ||
        outgoing.count != incoming.count || outgoing.type != incoming.type ||
        outgoing.data == incoming.data || (values[2] && !PyObject_TypeCheck(values[2], mpi4py.op_type)))
        return call_before(&buffer_takeovers[AT_Allreduce], self, args, nargs, kwnames);
    MPI_Op op = values[2] ? *(MPI_Op *)((char *)values[2] + mpi4py.op) : MPI_SUM;
    MPI_Comm handle = comm->comm;
    Py_INCREF(values[0]);
    Py_INCREF(values[1]);
    CALL_BLOCKING(code,
                  MPI_Allreduce(outgoing.data, incoming.data, outgoing.count, outgoing.type, op, handle));
    Py_DECREF(values[0]);
    Py_DECREF(values[1]);
    return code == MPI_SUCCESS ? Py_NewRef(Py_None) : raise_mpi4py(code);
}

/* ---- the table ---- */

Takeover buffer_takeovers[] = {BUFFER_METHODS(TAKEOVER_ROW) LAST_TAKEOVER};

int mpi4py_buffers_prepare(void) {
    return PREPARE_SIGNATURES(&send_names, &recv_names, &sendrecv_names, &bcast_names, &allreduce_names);
}

#endif
