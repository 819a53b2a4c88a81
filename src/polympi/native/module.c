/* The extension module: starting and ending MPI, and what the module holds. */
#define _GNU_SOURCE /* on_exit, cpu_set_t */
#include "core.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "arguments.h"
#include "communicator.h"
#include "errors.h"
#include "operation.h"
#include "point_to_point.h"
#include "pool.h"
#include "probes.h"
#include "request.h"
#include "strided.h"
#include "transfer.h"

#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)
#define JOIN_OF(a, b) a##b
#define JOIN(a, b) JOIN_OF(a, b)

struct state state = {.turn = PTHREAD_MUTEX_INITIALIZER};

bool running(void) {
    const char *why = state.phase == RUNNING ? NULL
                      : state.phase == FORKED
                          ? "MPI does not work in a forked child: start other programs with subprocess, or "
                            "multiprocessing with the start method 'spawn'"
                      : state.phase == FINISHED
                          ? "MPI is finalised: no call is possible any more"
                          : "MPI is not started: use polympi.world, or call polympi.init()";
    if (why)
        raise_error("StateError", NULL, "%s", why);
    return !why;
}

/* ---- starting ---- */

static void in_forked_child(void) {
    if (state.phase == RUNNING)
        state.phase = FORKED;
}

/* Whether the ranks of this machine outnumber the CPUs that they may use together. */
static int find_crowding(MPI_Comm world, bool *crowded) {
    MPI_Comm machine;
    cpu_set_t mine, all;
    int ranks, code = MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    if (code != MPI_SUCCESS)
        return code;
    CPU_ZERO(&mine);
    sched_getaffinity(0, sizeof mine, &mine);
    code = MPI_Allreduce(&mine, &all, (int)sizeof mine, MPI_BYTE, MPI_BOR, machine);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_size(machine, &ranks);
    if (code == MPI_SUCCESS)
        *crowded = ranks > CPU_COUNT(&all);
    MPI_Comm_free(&machine);
    return code;
}

/* Come together with all ranks, moving messages on meanwhile, then finalise. MPICH 5.0 waits in MPI_Finalize
 * without moving anything on, so that a rank that came there first may owe another one the acknowledgement of
 * a large message. MPI's code. */
static int finalise(void) {
    MPI_Request request;
    int all_here = 0, code = MPI_Ibarrier(MPI_COMM_WORLD, &request);
    while (code == MPI_SUCCESS && !all_here) {
        code = MPI_Test(&request, &all_here, MPI_STATUS_IGNORE);
        sched_yield();
    }
    return code == MPI_SUCCESS ? MPI_Finalize() : code;
}

/* With the exit status of the process at hand: the interpreter is gone, and no rank may hang for ever. */
static void at_exit(int status, void *unused) {
    (void)unused;
    int finalised = 0;
    if (state.phase != RUNNING || !state.initialised_by_us)
        return;
    MPI_Finalized(&finalised);
    if (finalised)
        return;
    if (state.world_size > 1 && (status != 0 || state.stuck))
        MPI_Abort(MPI_COMM_WORLD, status ? status : 1);
    withdraw_receives();
    finalise();
}

static int initialise(int level) {
    int done = 0;
    MPI_Finalized(&done);
    if (done) {
        state.phase = FINISHED;
        return running() ? 0 : -1;
    }
    MPI_Initialized(&done);
    state.initialised_by_us = !done;
    int code = done ? MPI_Query_thread(&state.level) : MPI_Init_thread(NULL, NULL, level, &state.level);
    if (code != MPI_SUCCESS)
        return raise_error("Error", NULL, "MPI could not be started: MPI_Init_thread returned %d", code);
    return 0;
}

/* `level` 0 to 3 as in MPI's order: single, funneled, serialized, multiple. */
static PyObject *start(PyObject *Py_UNUSED(module), PyObject *args) {
    static const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED,
                                 MPI_THREAD_MULTIPLE};
    static bool registered;
    int level;
    double timeout;
    PyTypeObject *type;
    if (!PyArg_ParseTuple(args, "idO!", &level, &timeout, &PyType_Type, &type))
        return NULL;
    if (state.phase != NOT_STARTED)
        return running() ? PyErr_Format(PyExc_RuntimeError, "MPI was started before") : NULL;
    if (level < 0 || level > 3 || !PyType_IsSubtype(type, &Communicator_Type))
        return PyErr_Format(PyExc_ValueError, "start(level 0 to 3, timeout, a class of communicators)");
    if (initialise(levels[level]) < 0)
        return NULL;
    if (state.initialised_by_us) { /* errors of MPI_Testall go to these (MPI 5.0, section 9.3) */
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    }
    state.timeout = timeout;
    state.locking = state.level != MPI_THREAD_MULTIPLE;
    MPI_Comm world;
    int code = MPI_Comm_dup(MPI_COMM_WORLD, &world), found = 0, *highest = NULL;
    if (code == MPI_SUCCESS)
        code = MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &highest, &found);
    state.highest_tag = code == MPI_SUCCESS && found ? *highest : 32767; /* the least the standard allows */
    if (code == MPI_SUCCESS)
        code = find_crowding(world, &state.crowded);
    MPI_Comm_rank(MPI_COMM_WORLD, &state.world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &state.world_size);
    if (code != MPI_SUCCESS) {
        raise_mpi(code, NULL);
        return NULL;
    }
    if (!registered && state.initialised_by_us && on_exit(at_exit, NULL) == 0 &&
        pthread_atfork(NULL, NULL, in_forked_child) == 0)
        registered = true;
    state.phase = RUNNING;
    return communicator_new(type, world);
}

/* ---- ending ---- */

/* Sentences on what is still under way after `grace` seconds. */
static PyObject *settle(PyObject *Py_UNUSED(module), PyObject *grace) {
    double seconds = PyFloat_AsDouble(grace), end = now() + seconds;
    PyObject *sentences = PyList_New(0);
    if (!sentences || PyErr_Occurred() || state.phase != RUNNING)
        return sentences;
    abandon_sends();
    for (progress(); (sends_abandoned() || receives_arriving()) && now() < end; progress()) {
        Py_BEGIN_ALLOW_THREADS;
        sched_yield();
        Py_END_ALLOW_THREADS;
    }
    if (report_pending(sentences, &state.stuck) < 0)
        Py_CLEAR(sentences);
    return sentences;
}

static PyObject *finish(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused)) {
    if (state.phase != RUNNING)
        Py_RETURN_NONE;
    if (state.stuck) { /* MPI_Finalize may wait for them for ever */
        raise_error("StateError", NULL,
                    "MPI cannot be finalised while messages are under way that nobody has received");
        return NULL;
    }
    withdraw_receives();
    strided_forget();
    operations_forget();
    state.phase = FINISHED;
    int code = MPI_SUCCESS;
    if (state.initialised_by_us) {
        Py_BEGIN_ALLOW_THREADS;
        code = finalise();
        Py_END_ALLOW_THREADS;
    }
    if (code != MPI_SUCCESS) {
        raise_mpi(code, NULL);
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *abort_job(PyObject *Py_UNUSED(module), PyObject *code) {
    int number;
    if (parse_int(code, &number, "abort", "code") < 0 || !is_running())
        return NULL;
    MPI_Abort(MPI_COMM_WORLD, number);
    _exit(number & 0xff ? number & 0xff : 1);
}

/* ---- facts ---- */

static PyObject *phase(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused)) {
    static const char *const texts[] = {
        [NOT_STARTED] = "not started", [RUNNING] = "running", [FINISHED] = "finished", [FORKED] = "forked"};
    return PyUnicode_FromString(texts[state.phase]);
}

static PyObject *thread_level(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused)) {
    if (!is_running())
        return NULL;
    return PyLong_FromLong(state.level == MPI_THREAD_SINGLE       ? 0
                           : state.level == MPI_THREAD_FUNNELED   ? 1
                           : state.level == MPI_THREAD_SERIALIZED ? 2
                                                                  : 3);
}

static PyObject *crowded(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused)) {
    return is_running() ? PyBool_FromLong(state.crowded) : NULL;
}

static PyObject *library_version(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused)) {
    char text[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "";
    int length = 0;
    if (MPI_Get_library_version(text, &length) != MPI_SUCCESS)
        length = 0;
    while (length && (text[length - 1] == '\0' || text[length - 1] == '\n'))
        length--;
    return PyUnicode_DecodeUTF8(text, length, "replace");
}

static PyObject *set_timeout(PyObject *Py_UNUSED(module), PyObject *seconds) {
    double given = PyFloat_AsDouble(seconds);
    if (given == -1 && PyErr_Occurred())
        return NULL;
    state.timeout = given;
    Py_RETURN_NONE;
}

static PyObject *get_timeout(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused)) {
    return PyFloat_FromDouble(state.timeout);
}

static PyMethodDef functions[] = {
    {"start", start, METH_VARARGS,
     "start($module, level, timeout, communicator_class, /)\n--\n\n"
     "Start MPI unless someone has; the communicator of all ranks."},
    {"settle", settle, METH_O,
     "settle($module, grace, /)\n--\n\n"
     "Let sends that nobody waits for end within `grace` seconds; sentences on what is still under way."},
    {"finish", finish, METH_NOARGS,
     "finish($module, /)\n--\n\nFinalise MPI if we have started it, and settle left nothing that was sent."},
    {"abort", abort_job, METH_O,
     "abort($module, code, /)\n--\n\nEnd all ranks with an exit code; does not return."},
    {"phase", phase, METH_NOARGS,
     "phase($module, /)\n--\n\n'not started', 'running', 'finished', or 'forked' in a forked child."},
    {"thread_level", thread_level, METH_NOARGS,
     "thread_level($module, /)\n--\n\n0 single, 1 funneled, 2 serialized, 3 multiple: what MPI granted."},
    {"crowded", crowded, METH_NOARGS,
     "crowded($module, /)\n--\n\nWhether the ranks of this machine outnumber its CPUs, so that waiting ones "
     "yield."},
    {"library_version", library_version, METH_NOARGS,
     "library_version($module, /)\n--\n\nWhat the MPI library says it is."},
    {"set_timeout", set_timeout, METH_O,
     "set_timeout($module, seconds, /)\n--\n\nSet what blocking calls may take; 0: for ever."},
    {"get_timeout", get_timeout, METH_NOARGS,
     "get_timeout($module, /)\n--\n\nWhat blocking calls may take, in seconds; 0: for ever."},
    {"set_buffer", set_buffer, METH_O,
     "set_buffer($module, nbytes, /)\n--\n\nRoom for bsend, -1 for none; what it was before."},
    {"buffer_in_use", buffer_in_use, METH_NOARGS,
     "buffer_in_use($module, /)\n--\n\nBytes of buffered messages that were not received yet."},
    {NULL, NULL, 0, NULL},
};

static int add_types(PyObject *module) {
    return PyModule_AddObjectRef(module, "Communicator", (PyObject *)&Communicator_Type) ||
           PyModule_AddObjectRef(module, "Request", (PyObject *)&Request_Type) ||
           PyModule_AddObjectRef(module, "Status", (PyObject *)Status_Type) ||
           PyModule_AddIntConstant(module, "ANY_SOURCE", ANY_SOURCE) ||
           PyModule_AddIntConstant(module, "ANY_TAG", ANY_TAG) ||
           PyModule_AddIntConstant(module, "PROC_NULL", PROC_NULL);
}

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "polympi.native." TEXT(CORE_NAME),
    .m_doc = "The native core of polympi, built for one MPI library.",
    .m_size = -1,
    .m_methods = functions,
};

PyMODINIT_FUNC JOIN(PyInit_, CORE_NAME)(void) {
    if (request_prepare() < 0 || communicator_prepare() < 0)
        return NULL;
    PyObject *module = PyModule_Create(&definition);
    if (module && (add_types(module) < 0 || operation_prepare(module) < 0 ||
                   PyModule_AddFunctions(module, request_functions) < 0 ||
                   PyModule_AddFunctions(module, probe_methods) < 0))
        Py_CLEAR(module);
    return module;
}
