#include "python/interface/window.h"

#include <stddef.h>
#include <stdlib.h>
#include <structmember.h>

#include "base/list.h"
#include "collectives/collectives.h"
#include "collectives/creation.h"
#include "python/interface/communicator.h"
#include "transfer/progress/offloaded_call.h"
#include "transfer/raw_buffer.h"

static Window
    *windows; /* that were not freed: each has a reference, since MPI can't free it on one rank alone */

/* ---- calls ---- */

int window_open(const Window *self, Call *call, const char *operation) {
    *call = (Call){.operation = operation, .peer = NO_PEER, .tag = NO_TAG, .comm = self->comm};
    if (!self->comm)
        return raise_error("StateError", NULL,
                           "this window was freed: make another one with window() of a communicator");
    call->rank = self->comm->rank;
    if (!is_usable(self->comm))
        return -1;
    if (self->left)
        return raise_error("StateError", call,
                           "a call on this window was left by a time-out or an exception, so that its locks "
                           "and accesses are in an unknown state: make another window");
    if (self->busy)
        return raise_error(
            "StateError", call,
            "another call uses this window: that of another thread, or one that a signal handler interrupts");
    return 0;
}

static int make_offloaded(void *what) { return window_call(what); }

/* A copy on the heap, since a call that is left still uses it. */
static int offload(Window *self, WindowCall *what, const Call *call, int *code) {
    WindowCall *copy = malloc(sizeof *copy);
    if (!copy)
        return no_memory();
    *copy = *what;
    const OffloadedCall offloaded = {
        .call = *call,
        .comm = self->comm->comm,
        .make = make_offloaded,
        .close = free,
        .context = copy,
        .missing = "another rank holds the lock, has ended, or makes no call in which its MPI library could "
                   "answer; MPI cannot take the call back, and the window cannot be used any more: end the "
                   "job with polympi.abort() if the rank will never answer",
    };
    int failed = offloaded_make(&offloaded, state.timeout, code);
    if (failed == LEFT) {
        self->left = true;
        return -1;
    }
    memcpy(what->found, copy->found, sizeof what->found);
    free(copy);
    return failed;
}

static int call_here(WindowCall *what) {
    PyThreadState *thread = go_outside();
    take_turn();
    int code = must_stop() ? MPI_SUCCESS : window_call(what);
    end_turn();
    come_inside(thread);
    return code;
}

/* The library of a target may have to answer, which it does when its rank looks at what it waits for. */
static int wake_targets(const Window *self, const WindowCall *what) {
    if (what->call == WINDOW_LOCK_ALL || what->call == WINDOW_UNLOCK_ALL || what->call == WINDOW_FLUSH_ALL)
        wake_all(self->comm->comm);
    else
        wake_rank(self->comm->comm, what->rank);
    return 0;
}

int window_make_call(Window *self, WindowCall *what, const Call *call) {
    int code = MPI_SUCCESS, failed = 0, aside = 0;
    bool waits = what->call < WINDOW_PUT || what->call > WINDOW_GET_ACCUMULATE;
    if (waits && self->comm->size > 1 && (aside = is_offloaded(state.timeout, false, call)) < 0)
        return -1;
    what->win = self->win;
    self->busy = true;
    (void)IN_TURN(wake_targets(self, what));
    if (aside)
        failed = offload(self, what, call, &code);
    else
        code = call_here(what);
    self->busy = false;
    if (failed)
        return -1;
    return code == MPI_SUCCESS ? still_running(call) : raise_mpi(code, call);
}

/* Make a call that completes accesses. 0 or -1. */
static int complete_by(Window *self, enum window_call which, int rank, const Call *call) {
    WindowCall what = {.call = which, .rank = rank};
    return window_make_call(self, &what, call) < 0 ? -1 : window_complete(self, rank);
}

/* ---- locks ---- */

/* The rank of a call: 0, or -1 with an exception. */
static int parse_target(const Window *self, PyObject *rank, Call *call) {
    int number;
    if (parse_int(rank, &number, call->operation, "rank") < 0)
        return -1;
    call->peer = number;
    return check_rank(number, self->comm->size, ROOT, call);
}

/* Whether it may be locked: 0, or -1 with StateError. */
static int check_unlocked(const Window *self, bool all, const Call *call) {
    if (self->epoch == ACCESSED)
        return raise_error("StateError", call,
                           "accesses since the last fence() are not complete: call fence() before");
    if (self->epoch == LOCKED_ALL || (self->epoch == LOCKED && all))
        return raise_error("StateError", call, "this rank has locked %s already: leave that `with` before",
                           self->epoch == LOCKED_ALL ? "all ranks" : "a rank");
    if (self->epoch == LOCKED && self->locked[call->peer])
        return raise_error("StateError", call,
                           "this rank has locked rank %d already: leave that `with` before", call->peer);
    return 0;
}

static PyObject *lock(Window *self, PyObject *args) {
    PyObject *rank;
    int exclusive;
    Call call;
    if (!PyArg_ParseTuple(args, "Op", &rank, &exclusive) || window_open(self, &call, "window.lock") < 0 ||
        parse_target(self, rank, &call) < 0 || check_unlocked(self, false, &call) < 0)
        return NULL;
    WindowCall what = {.call = WINDOW_LOCK, .rank = call.peer, .exclusive = exclusive};
    if (window_make_call(self, &what, &call) < 0)
        return NULL;
    self->epoch = LOCKED;
    self->locked[call.peer] = true;
    self->locks++;
    Py_RETURN_NONE;
}

static PyObject *unlock(Window *self, PyObject *rank) {
    Call call;
    if (window_open(self, &call, "window.unlock") < 0 || parse_target(self, rank, &call) < 0)
        return NULL;
    if (self->epoch != LOCKED || !self->locked[call.peer])
        return raise_error("StateError", &call, "rank %d isn't locked", call.peer), NULL;
    int failed = complete_by(self, WINDOW_UNLOCK, call.peer, &call);
    if (!self->left) {
        self->locked[call.peer] = false;
        self->epoch = --self->locks ? LOCKED : CLOSED;
    }
    return failed ? NULL : Py_NewRef(Py_None);
}

static PyObject *lock_all(Window *self, PyObject *Py_UNUSED(unused)) {
    Call call;
    WindowCall what = {.call = WINDOW_LOCK_ALL};
    if (window_open(self, &call, "window.lock_all") < 0 || check_unlocked(self, true, &call) < 0 ||
        window_make_call(self, &what, &call) < 0)
        return NULL;
    self->epoch = LOCKED_ALL;
    Py_RETURN_NONE;
}

static PyObject *unlock_all(Window *self, PyObject *Py_UNUSED(unused)) {
    Call call;
    if (window_open(self, &call, "window.unlock_all") < 0)
        return NULL;
    if (self->epoch != LOCKED_ALL)
        return raise_error("StateError", &call, "not all ranks are locked"), NULL;
    int failed = complete_by(self, WINDOW_UNLOCK_ALL, ALL_TARGETS, &call);
    if (!self->left)
        self->epoch = CLOSED;
    return failed ? NULL : Py_NewRef(Py_None);
}

/* ---- flush, fence ---- */

static int flush_locked(Window *self, const Call *call) {
    for (int rank = 0; rank < self->comm->size; rank++)
        if (self->locked[rank] && complete_by(self, WINDOW_FLUSH, rank, call) < 0)
            return -1;
    return 0;
}

static Signature flush_signature = {"window.flush", 1, 0, 1, {"rank"}, {NULL}};

static PyObject *flush(Window *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    Call call;
    int failed = 0;
    if (signature_parse(&flush_signature, args, nargs, kwnames, values) < 0 ||
        window_open(self, &call, "window.flush") < 0)
        return NULL;
    bool all = !values[0] || values[0] == Py_None;
    if (!all && parse_target(self, values[0], &call) < 0)
        return NULL;
    if (self->epoch == CLOSED || (self->epoch == LOCKED && !all && !self->locked[call.peer]))
        failed = raise_error("StateError", &call,
                             "there is nothing to complete: call it between two fence(), or in `with "
                             "window.lock(rank)` of this rank or `with window.lock_all()`");
    else if (self->epoch == LOCKED && all)
        failed = flush_locked(self, &call);
    else if (self->epoch != FENCED)
        failed = all ? complete_by(self, WINDOW_FLUSH_ALL, ALL_TARGETS, &call)
                     : complete_by(self, WINDOW_FLUSH, call.peer, &call);
    return failed ? NULL : Py_NewRef(Py_None);
}

/* Complete the accesses since the last fence. 0 or -1. */
static int end_fenced(Window *self, const Call *call) {
    if (self->epoch == LOCKED || self->epoch == LOCKED_ALL)
        return raise_error("StateError", call, "this rank has locked %s: leave that `with` before",
                           self->epoch == LOCKED ? "a rank" : "all ranks");
    int failed = self->epoch == ACCESSED ? complete_by(self, WINDOW_UNLOCK_ALL, ALL_TARGETS, call) : 0;
    if (!self->left)
        self->epoch = CLOSED;
    return failed;
}

static Signature fence_signature = {"window.fence", 0, 0, 1, {"timeout"}, {NULL}};

/* In the memory model of all libraries for Linux (MPI_WIN_UNIFIED), what MPI has completed is in memory, and
 * the barrier, which goes through memory or the library, orders this rank's own accesses. */
static PyObject *fence(Window *self, FASTCALL_ARGS) {
    PyObject *values[MOST_ARGUMENTS];
    Call call;
    if (signature_parse(&fence_signature, args, nargs, kwnames, values) < 0 ||
        window_open(self, &call, "window.fence") < 0 || end_fenced(self, &call) < 0)
        return NULL;
    self->busy = true;
    int failed = barrier_run(self->comm, call.operation, values[0]);
    self->busy = false;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (failed)
        return NULL;
    self->epoch = FENCED;
    Py_RETURN_NONE;
}

/* ---- making and freeing ---- */

struct making {
    Window *made;
    void *memory;
    MPI_Aint nbytes;
    int itemsize;
};

static int make(void *context) {
    const struct making *making = context;
    return window_make(making->made->comm->comm, making->memory, making->nbytes, making->itemsize,
                       &making->made->win);
}

/* What it knows of its elements and ranks. 0 or -1. */
static int describe(Window *self, Communicator *comm) {
    const PyArray_Descr *dtype = (const PyArray_Descr *)self->dtype;
    int type = dtype_type(dtype);
    bool known = type <= TYPE_HALF && raw_buffer_types[type] != MPI_DATATYPE_NULL;
    self->element = known ? raw_buffer_types[type] : MPI_BYTE;
    self->units = self->element == MPI_BYTE ? (int)PyDataType_ELSIZE(dtype) : 1;
    self->locked = PyMem_Calloc((size_t)comm->size, sizeof *self->locked);
    return self->locked ? 0 : no_memory();
}

static PyObject *communicator_window(Communicator *self, PyObject *args) {
    PyTypeObject *type;
    PyObject *array, *dtype, *sizes;
    Creation creation;
    if (!numpy_loaded(true) || !is_usable(self) ||
        !PyArg_ParseTuple(args, "O!OO!O!", &PyType_Type, &type, &array, &PyArrayDescr_Type, &dtype,
                          &PyTuple_Type, &sizes))
        return NULL;
    Window *made = (Window *)type->tp_alloc(type, 0);
    if (!made)
        return NULL;
    made->array = Py_NewRef(array);
    made->dtype = Py_NewRef(dtype);
    made->sizes = Py_NewRef(sizes);
    struct making making = {.made = made, .itemsize = (int)PyDataType_ELSIZE((PyArray_Descr *)dtype)};
    if (array != Py_None) {
        making.memory = PyArray_DATA((PyArrayObject *)array);
        making.nbytes = PyArray_NBYTES((PyArrayObject *)array);
    }
    if (describe(made, self) == 0 && creation_begin(&creation, self, DUP) == 0) {
        made->comm = (Communicator *)Py_NewRef((PyObject *)self);
        int code = creation_make(make, &making);
        creation_end(&creation);
        if (code == MPI_SUCCESS) {
            LIST_APPEND(windows, made);
            open_windows++;
            return Py_NewRef((PyObject *)made);
        }
        raise_mpi(code, &creation.call);
    }
    Py_DECREF(made);
    return NULL;
}

static int give_back(void *window) { return window_free(&((Window *)window)->win); }

static int check_no_requests(const Window *self, const Call *call) {
    if (!self->requests)
        return 0;
    return raise_error("StateError", call,
                       "%d accesses with requests are not complete: wait for these before", self->requests);
}

static PyObject *free_window(Window *self, PyObject *Py_UNUSED(unused)) {
    Call call;
    Creation creation;
    if (!self->comm)
        Py_RETURN_NONE;
    if (window_open(self, &call, "window.free") < 0 || check_no_requests(self, &call) < 0 ||
        end_fenced(self, &call) < 0 || window_complete(self, ALL_TARGETS) < 0)
        return NULL;
    self->busy = true;
    int failed = creation_begin(&creation, self->comm, FREE);
    if (!failed) {
        int code = creation_make(give_back, self);
        creation_end(&creation);
        failed = code == MPI_SUCCESS ? 0 : raise_mpi(code, &call);
    }
    self->busy = false;
    if (failed)
        return NULL;
    PyObject *comm = (PyObject *)self->comm;
    self->comm = NULL;
    LIST_REMOVE(windows, self);
    open_windows--;
    Py_DECREF(self); /* the caller has another reference */
    PyObject *freed = PyObject_CallMethod(comm, "free", NULL);
    Py_DECREF(comm);
    return freed;
}

int windows_report(PyObject *sentences) {
    for (Window *window = windows; window; window = window->next) {
        if (window->reported)
            continue;
        window->reported = true;
        PyObject *sentence = PyUnicode_FromFormat(
            "a window of %S elements of %S was never freed: call its free() on all ranks, or use 'with'",
            PyTuple_GET_ITEM(window->sizes, window->comm->rank), window->dtype);
        int failed = sentence ? PyList_Append(sentences, sentence) : -1;
        Py_XDECREF(sentence);
        if (failed)
            return -1;
    }
    return 0;
}

/* ---- the class ---- */

/* It was freed, or never made: MPI doesn't use it. */
static void window_dealloc(Window *self) {
    Py_XDECREF(self->comm);
    Py_XDECREF(self->array);
    Py_XDECREF(self->dtype);
    Py_XDECREF(self->sizes);
    PyMem_Free(self->locked);
    Py_TYPE(self)->tp_free(self);
}

static PyMemberDef members[] = {
    {"array", T_OBJECT_EX, offsetof(Window, array), READONLY, "The memory of this rank; None: it has none."},
    {"dtype", T_OBJECT_EX, offsetof(Window, dtype), READONLY, "Of the elements of all ranks."},
    {"sizes", T_OBJECT_EX, offsetof(Window, sizes), READONLY, "How many elements each rank has."},
    {NULL, 0, 0, 0, NULL},
};

static PyMethodDef methods[] = {
    {"_lock", (PyCFunction)lock, METH_VARARGS, "_lock($self, rank, exclusive, /)\n--\n\nLock a rank."},
    {"_unlock", (PyCFunction)unlock, METH_O, "_unlock($self, rank, /)\n--\n\nUnlock it."},
    {"_lock_all", (PyCFunction)lock_all, METH_NOARGS, "_lock_all($self, /)\n--\n\nLock all ranks."},
    {"_unlock_all", (PyCFunction)unlock_all, METH_NOARGS, "_unlock_all($self, /)\n--\n\nUnlock them."},
    KEYWORD_METHOD("flush", flush,
                   "flush($self, rank=None)\n--\n\n"
                   "Wait until this rank's accesses to a rank are complete, here and there.\n\n"
                   "Args:\n"
                   "    rank: whose window was accessed; None: those of all ranks.\n\n"
                   "Raises:\n"
                   "    StateError: no access is possible now.\n"
                   "    Timeout: they were not complete within POLYMPI_TIMEOUT; the window is unusable.\n\n"
                   "MPI 5.0, section 12.5.4."),
    KEYWORD_METHOD(
        "fence", fence,
        "fence($self, *, timeout=None)\n--\n\n"
        "Complete all accesses of all ranks since the last fence, and begin the next. All ranks "
        "call it.\n\n"
        "Args:\n"
        "    timeout: seconds to wait for the other ranks; None means POLYMPI_TIMEOUT, or no limit.\n\n"
        "Raises:\n"
        "    StateError: this rank has locked a rank.\n"
        "    Timeout: not all ranks called it in time.\n\n"
        "MPI 5.0, section 12.5.1."),
    {"free", (PyCFunction)free_window, METH_NOARGS,
     "free($self, /)\n--\n\n"
     "Complete the accesses since the last fence, and free the window, not its array. All ranks call it.\n\n"
     "Raises:\n"
     "    StateError: this rank has locked a rank.\n"
     "    Timeout: not all ranks called it within POLYMPI_TIMEOUT.\n\n"
     "MPI 5.0, section 12.2.5."},
    {NULL, NULL, 0, NULL},
};

PyTypeObject Window_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "polympi.native.core.Window",
    .tp_basicsize = sizeof(Window),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_doc = "Memory of ranks that other ranks access (MPI 5.0, chapter 12).",
    .tp_dealloc = (destructor)window_dealloc,
    .tp_members = members,
};

PyMethodDef window_methods[] = {
    {"_window", (PyCFunction)communicator_window, METH_VARARGS,
     "_window($self, kind, array, dtype, sizes, /)\n--\n\n"
     "A window of that class on all ranks, which owns the communicator."},
    {NULL, NULL, 0, NULL},
};

int window_prepare(void) {
    PyMethodDef *const tables[] = {methods, window_access_methods};
    Window_Type.tp_methods = join_methods(tables, sizeof tables / sizeof *tables);
    if (!Window_Type.tp_methods || window_accesses_prepare() < 0 ||
        PREPARE_SIGNATURES(&flush_signature, &fence_signature) < 0)
        return -1;
    return PyType_Ready(&Window_Type);
}
