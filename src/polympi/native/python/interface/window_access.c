/* The methods of windows that access the memory of a rank. */
#include "python/interface/window.h"

#include <stdlib.h>

#include "base/list.h"
#include "python/interface/request.h"
#include "python/methods.h"
#include "reductions/op.h"
#include "transfer/transfer.h"

/* ---- arguments ---- */

/* An array of the window's dtype; a new reference. */
static PyObject *as_elements(const Window *self, PyObject *value, const Call *call) {
    PyObject *array;
    if (PyArray_Check(value))
        array = Py_NewRef(value);
    else { /* a number, a list, other memory */
        PyObject *module = PyImport_ImportModule("polympi.window");
        array = module ? PyObject_CallMethod(module, "elements", "OO", value, self->dtype) : NULL;
        Py_XDECREF(module);
    }
    if (!array)
        return NULL;
    PyArray_Descr *dtype = PyArray_DESCR((PyArrayObject *)array);
    if ((PyObject *)dtype == self->dtype || PyArray_EquivTypes(dtype, (PyArray_Descr *)self->dtype))
        return array;
    raise_error("MismatchError", call,
                "elements of %S don't fit a window of %S: convert them with np.asarray(value, dtype=...)",
                (PyObject *)dtype, self->dtype);
    Py_DECREF(array);
    return NULL;
}

/* Read the target of `count` elements. 1; 0: it is PROC_NULL; -1 with an exception. */
static int parse_target(const Window *self, PyObject *rank, PyObject *offset, Py_ssize_t count, Call *call,
                        WindowCall *what) {
    Py_ssize_t first = offset ? PyNumber_AsSsize_t(offset, PyExc_OverflowError) : 0;
    if ((first == -1 && PyErr_Occurred()) || parse_int(rank, &what->rank, call->operation, "rank") < 0)
        return -1;
    call->peer = what->rank;
    call->sends = true;
    if (check_rank(what->rank, self->comm->size, DESTINATION, call) < 0)
        return -1;
    if (what->rank == PROC_NULL)
        return 0;
    Py_ssize_t size = PyLong_AsSsize_t(PyTuple_GET_ITEM(self->sizes, what->rank));
    if (first < 0 || first > size || count > size - first)
        return raise_error("MismatchError", call,
                           "%zd elements from offset %zd are not all among the %zd of the window of rank %d",
                           count, first, size, what->rank);
    what->offset = first;
    what->count = count;
    what->itemsize = PyDataType_ELSIZE((PyArray_Descr *)self->dtype);
    what->units = self->units;
    what->type = self->element;
    return 1;
}

/* Open MPI 5.0.11 computes logical and bitwise operations wrong in windows, where it uses atomic operations
 * of the network or of shared memory (osc/rdma): 7 BXOR 9 becomes 0. */
#ifdef OPEN_MPI
static bool is_wrong_here(enum op op) {
    const char *atomic = getenv("OMPI_MCA_osc_rdma_acc_use_amo");
    return op > OP_MAX && !(atomic && strcmp(atomic, "0") == 0);
}
#else
static bool is_wrong_here(enum op Py_UNUSED(op)) { return false; }
#endif

/* The operation of MPI. 0, or -1 with MismatchError. */
static int parse_operation(const Window *self, PyObject *value, const Call *call, WindowCall *what) {
    const char *elements;
    const Op *op = parse_op(value, call->operation);
    if (!op)
        return -1;
    if (op->code > OP_BXOR)
        return raise_error("MismatchError", call,
                           "%R is not an operation that MPI applies in a window: use SUM, PROD, MIN, MAX, "
                           "LAND, LOR, LXOR, BAND, BOR or BXOR",
                           (PyObject *)op);
    if (self->element == MPI_BYTE || !is_combined_by_mpi(self->element, op->code, &elements))
        return raise_error("MismatchError", call, "MPI does not combine %S by %U", self->dtype,
                           built_in_ops[op->code]->name);
    if (is_wrong_here(op->code))
        return raise_error("MismatchError", call,
                           "Open MPI 5.0 computes %U wrong in windows, unless the variable "
                           "OMPI_MCA_osc_rdma_acc_use_amo=0 is set when it starts",
                           built_in_ops[op->code]->name);
    what->op = mpi_ops[op->code];
    return 0;
}

/* Begin an access to the rank, if the epoch allows it. 0 or -1. */
static int enter_epoch(Window *self, int rank, const Call *call) {
    WindowCall lock = {.call = WINDOW_LOCK_ALL};
    if (self->epoch == CLOSED)
        return raise_error("StateError", call,
                           "no access is possible now: call it between two fence(), or in `with "
                           "window.lock(rank)` or `with window.lock_all()`");
    if (self->epoch == LOCKED && !self->locked[rank])
        return raise_error("StateError", call, "rank %d isn't locked: call it in `with window.lock(%d)`",
                           rank, rank);
    if (self->epoch != FENCED)
        return 0;
    if (window_make_call(self, &lock, call) < 0)
        return -1;
    self->epoch = ACCESSED;
    return 0;
}

/* ---- accesses to arrays ---- */

/* The contiguous array for MPI; a new reference. */
static PyArrayObject *contiguous(PyArrayObject *array, bool gets) {
    if (PyArray_IS_C_CONTIGUOUS(array))
        return (PyArrayObject *)Py_NewRef((PyObject *)array);
    return (PyArrayObject *)(gets ? PyArray_NewLikeArray(array, NPY_CORDER, NULL, 0)
                                  : PyArray_NewCopy(array, NPY_CORDER));
}

/* Whether elements of two contiguous arrays share memory. */
static bool overlap(PyArrayObject *one, PyArrayObject *two) {
    const char *first = PyArray_BYTES(one), *second = PyArray_BYTES(two);
    return first < second + PyArray_NBYTES(two) && second < first + PyArray_NBYTES(one);
}

/* The value of an access that has a result, too: contiguous, and apart from that. A new reference. */
static PyObject *value_apart(PyArrayObject *value, PyArrayObject *result) {
    if (PyArray_IS_C_CONTIGUOUS(value) && !overlap(value, result))
        return Py_NewRef((PyObject *)value);
    return PyArray_NewCopy(value, NPY_CORDER);
}

/* Keep the memory until the access is complete. `into` of a put or an accumulate is NULL, `value` of a get.
 */
static Access *keep(const WindowCall *what, PyArrayObject *value, PyArrayObject *into, int request_count) {
    Access *access = calloc(1, sizeof *access + (size_t)request_count * sizeof access->requests[0]);
    PyArrayObject *memory = access ? contiguous(into ? into : value, into != NULL) : (void *)PyErr_NoMemory();
    if (memory && into && value && !(access->value = value_apart(value, memory)))
        Py_CLEAR(memory);
    if (!memory) {
        free(access);
        return NULL;
    }
    access->rank = what->rank;
    access->array = (PyObject *)memory;
    if (into && memory != into)
        access->into = Py_NewRef((PyObject *)into);
    for (access->request_count = request_count; request_count;)
        access->requests[--request_count] = MPI_REQUEST_NULL;
    return access;
}

/* Make an access, which its window or its request then keeps. NULL with an exception. */
static Access *begin_access(Window *self, WindowCall *what, PyArrayObject *value, PyArrayObject *into,
                            bool with_request, const Call *call) {
    if (enter_epoch(self, what->rank, call) < 0)
        return NULL;
    Access *access = keep(what, value, into, with_request ? (int)window_pieces(what) : 0);
    if (!access)
        return NULL;
    char *memory = PyArray_DATA((PyArrayObject *)access->array);
    what->data = access->value ? PyArray_DATA((PyArrayObject *)access->value) : memory;
    what->result = memory;
    what->requests = with_request ? access->requests : NULL;
    access->call = *call;
    int failed = window_make_call(self, what, call);
    if (failed || !with_request) { /* also after an error, since MPI may use it */
        access->request_count = 0;
        LIST_PUSH(self->accesses, access);
        return failed ? NULL : access;
    }
    access->window = (Window *)Py_NewRef((PyObject *)self);
    access->target = Py_XNewRef((PyObject *)into);
    self->requests++;
    return access;
}

/* The result of a call: None, or a request, complete if there is no access. */
static PyObject *result_of(Access *access, PyArrayObject *into, bool with_request) {
    if (!with_request)
        Py_RETURN_NONE;
    Request *request = request_new();
    if (!request && access)
        access_leave(access);
    else if (request && access)
        request_accesses(request, access);
    else if (request && into)
        request_set_value(request, Py_NewRef((PyObject *)into));
    return (PyObject *)request;
}

/* Where an argument is in the signature of an access; -1: it has none. */
typedef struct {
    enum window_call call;
    int value, into, rank, op;
    bool with_request;
} Kind;

/* The operation, and the target of as many elements as the array has. As parse_target. */
static int parse_access(const Window *self, const Kind *kind, PyObject *const *values, PyArrayObject *array,
                        Call *call, WindowCall *what) {
    if (kind->op >= 0 && parse_operation(self, values[kind->op], call, what) < 0)
        return -1;
    return parse_target(self, values[kind->rank], values[kind->rank + 1], PyArray_SIZE(array), call, what);
}

/* The array of that argument; a new reference, or NULL with an exception. */
static PyArrayObject *parse_into(const Window *self, PyObject *into, const Call *call) {
    if (PyArray_Check(into) && PyArray_ISWRITEABLE((PyArrayObject *)into))
        return (PyArrayObject *)as_elements(self, into, call);
    raise_error("MismatchError", call, "into must be a writable NumPy array");
    return NULL;
}

static int check_sizes(PyArrayObject *value, PyArrayObject *into, const Call *call) {
    if (!value || !into || PyArray_SIZE(value) == PyArray_SIZE(into))
        return 0;
    return raise_error("MismatchError", call, "%zd elements do not fit into an array of %zd",
                       PyArray_SIZE(value), PyArray_SIZE(into));
}

static PyObject *access_arrays(Window *self, const Kind *kind, PyObject *const *values, const char *name) {
    Call call;
    Access *access = NULL;
    PyObject *result = NULL;
    WindowCall what = {.call = kind->call};
    if (window_open(self, &call, name) < 0)
        return NULL;
    PyArrayObject *into = kind->into >= 0 ? parse_into(self, values[kind->into], &call) : NULL;
    PyArrayObject *value = kind->value >= 0 && (kind->into < 0 || into)
                               ? (PyArrayObject *)as_elements(self, values[kind->value], &call)
                               : NULL;
    bool parsed =
        (into || kind->into < 0) && (value || kind->value < 0) && check_sizes(value, into, &call) == 0;
    int target = parsed ? parse_access(self, kind, values, value ? value : into, &call, &what) : -1;
    if (target > 0 && window_open(self, &call, name) < 0) /* Python code may have run */
        target = -1;
    if (target > 0 && what.count) {
        call.peer = what.rank;
        access = begin_access(self, &what, value, into, kind->with_request, &call);
        target = access ? target : -1;
    }
    if (target >= 0)
        result = result_of(access, into, kind->with_request);
    Py_XDECREF((PyObject *)value);
    Py_XDECREF((PyObject *)into);
    return result;
}

/* Makes the method of an access: how many arguments it takes by position and needs, its Kind, and its
 * arguments. */
#define DEFINE_ACCESS(name, total, required, access, value, into, rank, op, with_request, ...)               \
    static Signature name##_signature = {"window." #name, total, required, total, {__VA_ARGS__}, {NULL}};    \
    static PyObject *name(Window *self, FASTCALL_ARGS) {                                                     \
        static const Kind kind = {access, value, into, rank, op, with_request};                              \
        PyObject *values[MOST_ARGUMENTS];                                                                    \
        if (signature_parse(&name##_signature, args, nargs, kwnames, values) < 0)                            \
            return NULL;                                                                                     \
        return access_arrays(self, &kind, values, name##_signature.function);                                \
    }
#define PUT_ARGUMENTS "value", "rank", "offset"
#define GET_ARGUMENTS "into", "rank", "offset"
#define ACCUMULATE_ARGUMENTS "value", "rank", "offset", "op"
#define GET_ACCUMULATE_ARGUMENTS "value", "into", "rank", "offset", "op"
DEFINE_ACCESS(put, 3, 2, WINDOW_PUT, 0, -1, 1, -1, false, PUT_ARGUMENTS)
DEFINE_ACCESS(iput, 3, 2, WINDOW_PUT, 0, -1, 1, -1, true, PUT_ARGUMENTS)
DEFINE_ACCESS(get, 3, 2, WINDOW_GET, -1, 0, 1, -1, false, GET_ARGUMENTS)
DEFINE_ACCESS(iget, 3, 2, WINDOW_GET, -1, 0, 1, -1, true, GET_ARGUMENTS)
DEFINE_ACCESS(accumulate, 4, 2, WINDOW_ACCUMULATE, 0, -1, 1, 3, false, ACCUMULATE_ARGUMENTS)
DEFINE_ACCESS(iaccumulate, 4, 2, WINDOW_ACCUMULATE, 0, -1, 1, 3, true, ACCUMULATE_ARGUMENTS)
DEFINE_ACCESS(get_accumulate, 5, 3, WINDOW_GET_ACCUMULATE, 0, 1, 2, 4, false, GET_ACCUMULATE_ARGUMENTS)
DEFINE_ACCESS(iget_accumulate, 5, 3, WINDOW_GET_ACCUMULATE, 0, 1, 2, 4, true, GET_ACCUMULATE_ARGUMENTS)

/* ---- accesses to one element ---- */

/* Copy one element from the argument. 0, or -1 with an exception. */
static int take_element(const Window *self, PyObject *value, const Call *call, char *element) {
    PyObject *array = as_elements(self, value, call);
    if (!array)
        return -1;
    Py_ssize_t count = PyArray_SIZE((PyArrayObject *)array);
    int failed = count == 1
                     ? 0
                     : raise_error("MismatchError", call, "it takes one element, not an array of %zd", count);
    if (!failed)
        memcpy(element, PyArray_DATA((PyArrayObject *)array), /* one element, however the array is strided */
               (size_t)PyDataType_ELSIZE((PyArray_Descr *)self->dtype));
    Py_DECREF(array);
    return failed;
}

/* Make the call, and return the element that was there before. `target` is that of parse_target. */
static PyObject *fetch(Window *self, WindowCall *what, int target, Call *call) {
    if (target < 0 || window_open(self, call, call->operation) < 0)
        return NULL;
    if (target == 0)
        Py_RETURN_NONE;
    call->peer = what->rank;
    if (enter_epoch(self, what->rank, call) < 0 || window_make_call(self, what, call) < 0 ||
        window_complete(self, what->rank) < 0)
        return NULL;
    return PyArray_Scalar(what->found, (PyArray_Descr *)self->dtype, NULL);
}

static Signature fetch_and_op_signature = {
    "window.fetch_and_op", 4, 2, 4, {"value", "rank", "offset", "op"}, {NULL}};

static PyObject *fetch_and_op(Window *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    Call call;
    WindowCall what = {.call = WINDOW_FETCH_AND_OP};
    if (signature_parse(&fetch_and_op_signature, args, nargs, kwnames, values) < 0 ||
        window_open(self, &call, "window.fetch_and_op") < 0 ||
        parse_operation(self, values[3], &call, &what) < 0 ||
        take_element(self, values[0], &call, what.value) < 0)
        return NULL;
    return fetch(self, &what, parse_target(self, values[1], values[2], 1, &call, &what), &call);
}

static Signature compare_and_swap_signature = {
    "window.compare_and_swap", 4, 3, 4, {"expected", "value", "rank", "offset"}, {NULL}};

static PyObject *compare_and_swap(Window *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    Call call;
    const char *elements;
    WindowCall what = {.call = WINDOW_COMPARE_AND_SWAP};
    if (signature_parse(&compare_and_swap_signature, args, nargs, kwnames, values) < 0 ||
        window_open(self, &call, "window.compare_and_swap") < 0)
        return NULL;
    if (self->element == MPI_BYTE || !is_combined_by_mpi(self->element, OP_LAND, &elements))
        return raise_error("MismatchError", &call,
                           "MPI compares integers and booleans only, not the %S of this window", self->dtype),
               NULL;
    if (take_element(self, values[0], &call, what.expected) < 0 ||
        take_element(self, values[1], &call, what.value) < 0)
        return NULL;
    return fetch(self, &what, parse_target(self, values[2], values[3], 1, &call, &what), &call);
}

/* ---- the table ---- */

#define TARGET_ARGUMENTS                                                                                     \
    "    rank: whose window; with PROC_NULL nothing happens.\n"                                              \
    "    offset: the first element there, counted in elements from 0.\n"
#define VALUE_ARGUMENT "    value: an array of the window's dtype, strided if you like, or a number.\n"
#define ACCESS_ERRORS                                                                                        \
    "Raises:\n"                                                                                              \
    "    StateError: no access to the rank is possible now: call fence before, or lock it.\n"                \
    "    RankError: there is no such rank.\n"                                                                \
    "    MismatchError: the dtype isn't that of the window, or its elements are not all in the window"

PyMethodDef window_access_methods[] = {
    KEYWORD_METHOD("put", put,
                   "put($self, value, rank, offset=0)\n--\n\n"
                   "Write elements into the window of a rank. Do not change the array before a flush, the "
                   "end of the lock, or the next fence.\n\n"
                   "Args:\n" VALUE_ARGUMENT TARGET_ARGUMENTS "\n" ACCESS_ERRORS ".\n\n"
                   "MPI 5.0, section 12.3.1."),
    KEYWORD_METHOD("get", get,
                   "get($self, into, rank, offset=0)\n--\n\n"
                   "Read elements of the window of a rank into an array, which has them after a flush, the "
                   "end of the lock, or the next fence.\n\n"
                   "Args:\n"
                   "    into: a writable array of the window's dtype, strided if you like.\n" TARGET_ARGUMENTS
                   "\n" ACCESS_ERRORS ".\n\n"
                   "MPI 5.0, section 12.3.2."),
    KEYWORD_METHOD(
        "accumulate", accumulate,
        "accumulate($self, value, rank, offset=0, op=None)\n--\n\n"
        "Combine elements with those in the window of a rank, each at once: no other accumulate "
        "comes between. Do not change the array before, as for ``put``.\n\n"
        "Args:\n" VALUE_ARGUMENT TARGET_ARGUMENTS
        "    op: SUM, if it is None; PROD, MIN, MAX, LAND, LOR, LXOR, BAND, BOR or BXOR.\n\n" ACCESS_ERRORS
        ", or MPI doesn't combine them.\n\n"
        "MPI 5.0, section 12.3.4."),
    KEYWORD_METHOD(
        "get_accumulate", get_accumulate,
        "get_accumulate($self, value, into, rank, offset=0, op=None)\n--\n\n"
        "As ``accumulate``, and get the elements that were there before, each at once.\n\n"
        "Args:\n" VALUE_ARGUMENT
        "    into: an array of as many elements, which has them after a flush, the end of the lock, or the "
        "next fence; it may be the same array as the value.\n" TARGET_ARGUMENTS
        "    op: as for ``accumulate``.\n\n" ACCESS_ERRORS ", or MPI doesn't combine them.\n\n"
        "MPI 5.0, section 12.3.4."),
    KEYWORD_METHOD("iput", iput,
                   "iput($self, value, rank, offset=0)\n--\n\n"
                   "As ``put``, with a request: when it is complete, the array may be changed. "
                   "The elements are there after a flush, the end of the lock, or the next fence.\n\n"
                   "MPI 5.0, section 12.3.5."),
    KEYWORD_METHOD("iget", iget,
                   "iget($self, into, rank, offset=0)\n--\n\n"
                   "As ``get``, with a request, which returns ``into``: when it is complete, the elements "
                   "are in it.\n\n"
                   "MPI 5.0, section 12.3.5."),
    KEYWORD_METHOD("iaccumulate", iaccumulate,
                   "iaccumulate($self, value, rank, offset=0, op=None)\n--\n\n"
                   "As ``accumulate``, with a request, as for ``iput``.\n\n"
                   "MPI 5.0, section 12.3.5."),
    KEYWORD_METHOD("iget_accumulate", iget_accumulate,
                   "iget_accumulate($self, value, into, rank, offset=0, op=None)\n--\n\n"
                   "As ``get_accumulate``, with a request, as for ``iget``.\n\n"
                   "MPI 5.0, section 12.3.5."),
    KEYWORD_METHOD("fetch_and_op", fetch_and_op,
                   "fetch_and_op($self, value, rank, offset=0, op=None)\n--\n\n"
                   "Combine one element with that in the window of a rank, and wait for what was there "
                   "before. Nothing comes between.\n\n"
                   "Args:\n"
                   "    value: a number.\n" TARGET_ARGUMENTS
                   "    op: SUM, PROD, MIN, MAX, LAND, LOR, LXOR, BAND, BOR or BXOR.\n\n"
                   "Returns:\n"
                   "    The element before; None for PROC_NULL.\n\n" ACCESS_ERRORS
                   ", or MPI doesn't combine them.\n\n"
                   "MPI 5.0, section 12.3.4."),
    KEYWORD_METHOD("compare_and_swap", compare_and_swap,
                   "compare_and_swap($self, expected, value, rank, offset=0)\n--\n\n"
                   "Replace one element in the window of a rank if it is as expected, and wait for what was "
                   "there before. Nothing comes between.\n\n"
                   "Args:\n"
                   "    expected: a number.\n"
                   "    value: a number, which replaces it.\n" TARGET_ARGUMENTS "\n"
                   "Returns:\n"
                   "    The element before: if it is ``expected``, it was replaced. None for "
                   "PROC_NULL.\n\n" ACCESS_ERRORS ", or they aren't integers or booleans.\n\n"
                   "MPI 5.0, section 12.3.4."),
    {NULL, NULL, 0, NULL},
};

int window_accesses_prepare(void) {
    return PREPARE_SIGNATURES(&put_signature, &get_signature, &accumulate_signature,
                              &get_accumulate_signature, &iput_signature, &iget_signature,
                              &iaccumulate_signature, &iget_accumulate_signature, &fetch_and_op_signature,
                              &compare_and_swap_signature);
}
