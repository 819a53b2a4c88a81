/* The extension module. */
#include "transport/network_watch.h"
#include "transport/sleepers.h"

#include "base/arguments.h"
#include "python/ending.h"
#include "python/interface/between.h"
#include "python/interface/communicator.h"
#include "python/interface/file.h"
#include "python/interface/request.h"
#include "python/interface/window.h"
#include "python/mpi4py/mpi4py.h"
#include "python/raw/raw.h"
#include "python/start.h"
#include "python/test_functions.h"
#include "python/wrapping.h"
#include "reductions/op.h"
#include "transfer/progress/long_wait.h"
#include "transfer/transfer.h"

#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)
#define JOIN_OF(a, b) a##b
#define JOIN(a, b) JOIN_OF(a, b)

enum { LONGEST_REST = 1000000 }; /* seconds; a day is 86400 */
/* Others access a piece of a window, and the library moves a piece of a collective, at each look between
 * rests. */
#define SHORT_REST 50e-6

/* ---- the state of the process ---- */

static PyObject *phase(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused)) {
    static const char *const texts[] = {[NOT_STARTED] = "not started",
                                        [RUNNING] = "running",
                                        [HELD] = "running",
                                        [FINISHED] = "finished",
                                        [FORKED] = "forked"};
    return PyUnicode_FromString(texts[state.phase]);
}

static PyObject *thread_level(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused)) {
    if (!is_alive() && !running())
        return NULL;
    return PyLong_FromLong(state.level == MPI_THREAD_SINGLE       ? 0
                           : state.level == MPI_THREAD_FUNNELED   ? 1
                           : state.level == MPI_THREAD_SERIALIZED ? 2
                                                                  : 3);
}

static PyObject *owns_mpi(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused)) {
    return PyBool_FromLong(state.initialised_by_us);
}

static PyObject *oversubscribed(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused)) {
    return is_running() ? PyBool_FromLong(state.oversubscribed) : NULL;
}

static PyObject *machine(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused)) {
    return is_running() ? PyLong_FromLong(state.several_machines ? state.machine : 0) : NULL;
}

static PyObject *rank_and_host(PyObject *Py_UNUSED(module), PyObject *args) {
    char text[RANK_TEXT];
    Communicator *comm;
    int rank;
    if (!PyArg_ParseTuple(args, "O!i", &Communicator_Type, &comm, &rank))
        return NULL;
    const Call call = {.operation = "", .rank = comm->rank, .comm = comm};
    return PyUnicode_FromString(rank_text(text, &call, rank));
}

static PyObject *own_host(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused)) {
    return errors_own_host() ? PyUnicode_FromString(errors_own_host()) : Py_NewRef(Py_None);
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

static PyObject *processor_name(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused)) {
    char name[MPI_MAX_PROCESSOR_NAME + 1] = "";
    int length = 0;
    if (!is_running())
        return NULL;
    int code = IN_TURN(MPI_Get_processor_name(name, &length));
    return code == MPI_SUCCESS ? PyUnicode_DecodeLocale(name, "surrogateescape")
                               : (raise_mpi(code, NULL), NULL);
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

static PyObject *report_long_waits(PyObject *Py_UNUSED(module), PyObject *seconds) {
    double given = PyFloat_AsDouble(seconds);
    if (given == -1 && PyErr_Occurred())
        return NULL;
    long_waits_report(given);
    Py_RETURN_NONE;
}

static PyObject *ask_long_waits(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused)) {
    return PyBool_FromLong(long_waits_ask());
}

static PyObject *limit_of(PyObject *Py_UNUSED(module), PyObject *args) {
    const char *function;
    PyObject *given;
    double timeout;
    if (!PyArg_ParseTuple(args, "sO", &function, &given) || parse_timeout(given, &timeout, function) < 0)
        return NULL;
    return PyFloat_FromDouble(timeout == DEFAULT_TIMEOUT ? state.timeout : timeout);
}

static PyObject *rest(PyObject *Py_UNUSED(module), PyObject *seconds) {
    static Sleep sleep; /* what wakes this rank between two rests ends the later one */
    double given = PyFloat_AsDouble(seconds);
    if (given == -1 && PyErr_Occurred())
        return NULL;
    if (!(given >= 0 && given <= LONGEST_REST))
        return PyErr_Format(PyExc_ValueError, "rest() takes 0 to %d seconds, not %R", LONGEST_REST, seconds);
    if ((open_windows || library_call_under_way) && given > SHORT_REST)
        given = SHORT_REST;
    Sleep own = sleep;
    sleep_begin(&own);
    (void)watch_network(given);
    Py_BEGIN_ALLOW_THREADS;
    sleep_for(&own, given);
    Py_END_ALLOW_THREADS;
    sleep_end(&own);
    sleep_look(&own);
    sleep = own;
    tests_after_rest = state.several_machines ? TESTS_OF_NETWORK : 1;
    return PyErr_CheckSignals() < 0 ? NULL : Py_NewRef(Py_None);
}

static PyObject *forget_sleeper(PyObject *Py_UNUSED(module), PyObject *args) {
    Communicator *comm;
    int rank;
    if (!PyArg_ParseTuple(args, "O!i", &Communicator_Type, &comm, &rank) || !is_usable(comm))
        return NULL;
    IN_TURN((sleeper_ended(comm->comm, rank), 0));
    Py_RETURN_NONE;
}

static PyObject *set_waiting(PyObject *Py_UNUSED(module), PyObject *way) {
    long given = PyLong_AsLong(way);
    if (given == -1 && PyErr_Occurred())
        return NULL;
    waiting = (enum waiting)given;
    wake_own(); /* those who sleep may have to spin */
    Py_RETURN_NONE;
}

static PyObject *get_waiting(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused)) {
    return PyLong_FromLong(waiting);
}

static PyObject *wake(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused)) {
    wake_own();
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"start_mpi", start_mpi, METH_VARARGS,
     "start_mpi($module, level, timeout, settle, /)\n--\n\n"
     "Start MPI unless someone has; MPI_COMM_WORLD. `settle` is called when someone else finalises MPI."},
    {"start_world", start_world, METH_VARARGS,
     "start_world($module, communicator_class, raw, /)\n--\n\n"
     "Make the world of polympi of the ranks of a raw communicator, all of which call it."},
    {"wrap", wrap, METH_VARARGS,
     "wrap($module, communicator_class, handle, /)\n--\n\nA communicator of the same ranks as one of other "
     "code, "
     "by its C handle. All its ranks call it."},
    {"raw_of_handle", raw_of_handle, METH_O,
     "raw_of_handle($module, handle, /)\n--\n\nA raw communicator over one of other code, by its C handle."},
    {"from_fortran", from_fortran, METH_O,
     "from_fortran($module, handle, /)\n--\n\nThe C handle of a communicator, from its Fortran handle."},
    {"settle", settle, METH_VARARGS,
     "settle($module, say, patient, /)\n--\n\n"
     "Wait for a moment, or, if `patient`, until what this rank has sent is received, or no rank is left to "
     "receive it, or POLYMPI_TIMEOUT; call `say` with what is waited for, if it takes long. Returns "
     "sentences on "
     "what is given up."},
    {"finish", finish, METH_NOARGS,
     "finish($module, /)\n--\n\nFinalise MPI if polympi has started it, and no sends are pending."},
    {"abort", abort_job, METH_O,
     "abort($module, code, /)\n--\n\nEnd all ranks with an exit code, never 0; does not return."},
    {"expect_exit", expect_exit, METH_O,
     "expect_exit($module, status, /)\n--\n\n"
     "Have the job end with this exit status when someone else finalises MPI after the interpreter."},
    {"end_alone", end_alone, METH_NOARGS,
     "end_alone($module, /)\n--\n\n"
     "A rank was killed: end without the others and without MPI_Finalize, which would wait for it."},
    {"end_at_once", end_at_once, METH_O,
     "end_at_once($module, status, /)\n--\n\n"
     "End MPI, or the job if this rank has failed, for a process that ends without the end of the "
     "interpreter."},
    {"owns_mpi", owns_mpi, METH_NOARGS,
     "owns_mpi($module, /)\n--\n\nWhether polympi has started MPI, and therefore finalises it."},
    {"phase", phase, METH_NOARGS,
     "phase($module, /)\n--\n\n'not started', 'running', 'finished', or 'forked' in a forked child."},
    {"thread_level", thread_level, METH_NOARGS,
     "thread_level($module, /)\n--\n\n0 single, 1 funneled, 2 serialized, 3 multiple: what MPI granted."},
    {"oversubscribed", oversubscribed, METH_NOARGS,
     "oversubscribed($module, /)\n--\n\nWhether this machine is oversubscribed, so waiting ranks yield."},
    {"machine", machine, METH_NOARGS,
     "machine($module, /)\n--\n\nThe number of this machine: the world rank of one of its ranks."},
    {"rank_and_host", rank_and_host, METH_VARARGS,
     "rank_and_host($module, comm, rank, /)\n--\n\n'rank 3', with its host where the job has several: "
     "'rank 3 (host b)'."},
    {"own_host", own_host, METH_NOARGS,
     "own_host($module, /)\n--\n\nThe name of the host of this rank where the job has several, else None."},
    {"library_version", library_version, METH_NOARGS,
     "library_version($module, /)\n--\n\nThe MPI library's version string."},
    {"processor_name", processor_name, METH_NOARGS,
     "processor_name($module, /)\n--\n\nThe name of this processor, as the MPI library reports it."},
    {"make_between", make_between, METH_VARARGS,
     "make_between($module, class, whole, group, leader, other, /)\n--\n\n"
     "An intercommunicator between this group and the other ranks of `whole`; `leader` is a rank of the "
     "group, "
     "`other` that of the other group's leader in the whole. All ranks of the whole call it."},
    {"spawn", spawn, METH_VARARGS,
     "spawn($module, communicator_class, class, group, words, count, seconds, /)\n--\n\n"
     "Start a command as a new world: a communicator of the ranks of both, and an intercommunicator."},
    {"meet_parent", meet_parent, METH_VARARGS,
     "meet_parent($module, communicator_class, class, /)\n--\n\n"
     "In a world that was spawned: the same pair. None: it wasn't."},
    {"self_world", self_world, METH_O,
     "self_world($module, communicator_class, /)\n--\n\nA communicator of this rank alone, after the start."},
    {"set_timeout", set_timeout, METH_O,
     "set_timeout($module, seconds, /)\n--\n\nSet the default time-out; 0: forever."},
    {"get_timeout", get_timeout, METH_NOARGS,
     "get_timeout($module, /)\n--\n\nThe default time-out in seconds; 0: forever."},
    {"report_long_waits", report_long_waits, METH_O,
     "report_long_waits($module, seconds, /)\n--\n\n"
     "Report each call that has waited this long, once, on standard error."},
    {"ask_long_waits", ask_long_waits, METH_NOARGS,
     "ask_long_waits($module, /)\n--\n\n"
     "Have each call report how long it has waited. Whether a signal handler calls this in such a call."},
    {"limit_of", limit_of, METH_VARARGS,
     "limit_of($module, function, timeout, /)\n--\n\nThe time-out in seconds of a call with this argument; "
     "0: "
     "forever."},
    {"set_waiting", set_waiting, METH_O,
     "set_waiting($module, way, /)\n--\n\nHow threads wait: 0 spin, 1 balanced, 2 quiet."},
    {"get_waiting", get_waiting, METH_NOARGS, "get_waiting($module, /)\n--\n\nHow threads wait: 0 to 2."},
    {"rest", rest, METH_O,
     "rest($module, seconds, /)\n--\n\n"
     "Sleep until a rank of this host gives this one something, wake() was called since the last rest, or "
     "the "
     "seconds are over. May end earlier; and may miss what arrives just before."},
    {"forget_sleeper", forget_sleeper, METH_VARARGS,
     "forget_sleeper($module, comm, rank, /)\n--\n\nA rank of this host was killed: it sleeps no longer."},
    {"wake", wake, METH_NOARGS, "wake($module, /)\n--\n\nEnd the rest of this process, or the next one."},
    {"set_buffer", set_buffer, METH_O,
     "set_buffer($module, nbytes, /)\n--\n\nAttach a buffer for bsend, -1 for none; the size before."},
    {"buffer_in_use", buffer_in_use, METH_NOARGS,
     "buffer_in_use($module, /)\n--\n\nBytes of buffered messages that haven't been received."},
    {NULL, NULL, 0, NULL},
};

static int add_types(PyObject *module) {
    return PyModule_AddObjectRef(module, "Communicator", (PyObject *)&Communicator_Type) ||
           PyModule_AddObjectRef(module, "Request", (PyObject *)&Request_Type) ||
           PyModule_AddObjectRef(module, "Plan", (PyObject *)&Plan_Type) ||
           PyModule_AddObjectRef(module, "Window", (PyObject *)&Window_Type) ||
           PyModule_AddObjectRef(module, "Raw", (PyObject *)&Raw_Type) ||
           PyModule_AddObjectRef(module, "File", (PyObject *)&File_Type) ||
           PyModule_AddObjectRef(module, "Status", (PyObject *)Status_Type) ||
           PyModule_AddIntConstant(module, "ANY_SOURCE", ANY_SOURCE) ||
           PyModule_AddIntConstant(module, "ANY_TAG", ANY_TAG) ||
           PyModule_AddIntConstant(module, "PROC_NULL", PROC_NULL);
}

/* The process has one MPI, whose lock is the GIL of the main interpreter. */
static int in_main_interpreter(void) {
    if (PyInterpreterState_Get() == PyInterpreterState_Main())
        return 0;
    PyObject *module = PyImport_ImportModule("polympi.errors");
    PyObject *class = module ? PyObject_GetAttrString(module, "LibraryError") : NULL;
    if (class)
        PyErr_SetString(class, "polympi works in the main interpreter only, not in a subinterpreter: use "
                               "threads, or more ranks.");
    Py_XDECREF(class);
    Py_XDECREF(module);
    return -1;
}

static int fill(PyObject *module) {
    if (in_main_interpreter() < 0 || request_prepare() < 0 || communicator_prepare() < 0 ||
        raw_prepare() < 0 || PyType_Ready(&File_Type) < 0 || add_types(module) < 0 ||
        op_prepare(module) < 0 || PyModule_AddFunctions(module, request_functions) < 0 ||
        PyModule_AddFunctions(module, mpi4py_functions) < 0)
        return -1;
    return PyModule_AddFunctions(module, test_functions);
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, (void *)fill},
#if PY_VERSION_HEX >= 0x030C0000
    {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED}, /* refused with a clear message */
#endif
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "polympi.native." TEXT(CORE_NAME),
    .m_doc = "The native core of polympi, built for one MPI library.",
    .m_size = 0,
    .m_methods = functions,
    .m_slots = slots,
};

PyMODINIT_FUNC JOIN(PyInit_, CORE_NAME)(void) { return PyModuleDef_Init(&definition); }
