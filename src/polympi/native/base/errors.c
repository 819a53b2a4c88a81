#include "base/errors.h"

#include <frameobject.h> /* PyFrame_GetBack, before Python 3.11 */
#include <unistd.h>

/* The names in polympi.errors, kept: when the interpreter ends, destructors may still raise errors although
 * nothing can be imported and the modules are empty. */
static PyObject *names;

int errors_prepare(void) {
    PyObject *module = names ? NULL : PyImport_ImportModule("polympi.errors");
    if (module)
        names = PyDict_Copy(PyModule_GetDict(module));
    Py_XDECREF(module);
    return names ? 0 : -1;
}

static PyObject *error_class(const char *name) {
    if (errors_prepare() < 0)
        return NULL;
    PyObject *found = PyDict_GetItemString(names, name); /* borrowed */
    if (!found)
        PyErr_Format(PyExc_AttributeError, "polympi.errors has no %s", name);
    Py_XINCREF(found);
    return found;
}

/* A rank or tag as an attribute: None where the call has none, the special numbers as they are. */
static PyObject *attribute(int number) {
    if (number <= OUTSIDE)
        return PyLong_FromLong(OUTSIDE - number);
    if (number == NO_PEER || number == NO_TAG)
        Py_RETURN_NONE;
    return PyLong_FromLong(number);
}

static int set_attributes(PyObject *error, const Call *call, PyObject *code) {
    if (PyObject_SetAttrString(error, "code", code) < 0)
        return -1;
    if (!call)
        return 0;
    const struct {
        const char *name;
        PyObject *value;
    } attributes[] = {
        {"operation", PyUnicode_FromString(call->operation)},
        {"rank", attribute(call->rank)},
        {"peer", attribute(call->peer)},
        {"tag", attribute(call->tag)},
    };
    int failed = 0;
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        failed |= !attributes[i].value ||
                  PyObject_SetAttrString(error, attributes[i].name, attributes[i].value) < 0;
        Py_XDECREF(attributes[i].value);
    }
    return failed ? -1 : 0;
}

/* A rank or tag as the user spells it. */
static const char *spell(int number, char digits[16]) {
    snprintf(digits, 16, "%d", number);
    return number == ANY_SOURCE  ? "ANY_SOURCE"
           : number == PROC_NULL ? "PROC_NULL"
           : number == ANY_TAG   ? "ANY_TAG"
                                 : digits;
}

void call_text(char *text, size_t room, const Call *call) {
    char peer[16], tag[16];
    if (call->peer == NO_PEER || call->tag == NO_TAG)
        snprintf(text, room, "%s()", call->operation);
    else
        snprintf(text, room, "%s(%s=%s, tag=%s)", call->operation, call->sends ? "dest" : "source",
                 spell(call->peer, peer), spell(call->tag, tag));
}

PyObject *describe_call(const Call *call) {
    char text[CALL_TEXT];
    call_text(text, sizeof text, call);
    return PyUnicode_FromString(text);
}

/* ---- where ranks are ---- */

static const char *(*host_of_rank)(const void *comm, int rank); /* NULL: there is one host */
static const char *own_host;

void errors_name_hosts(const char *(*host_of)(const void *comm, int rank), const char *own) {
    host_of_rank = host_of;
    own_host = own;
}

const char *errors_own_host(void) { return own_host; }

const char *rank_text(char text[RANK_TEXT], const Call *call, int rank) {
    const char *host = rank == call->rank           ? own_host
                       : host_of_rank && call->comm ? host_of_rank(call->comm, rank)
                                                    : NULL;
    bool between = call->rank <= OUTSIDE;
    int own = between ? OUTSIDE - call->rank : call->rank;
    int length = snprintf(text, RANK_TEXT, "rank %d", rank == call->rank ? own : rank);
    if (between && rank != call->rank)
        length += snprintf(text + length, RANK_TEXT - (size_t)length, " of the remote group");
    else if (rank == call->rank && own != state.world_rank)
        length += snprintf(text + length, RANK_TEXT - (size_t)length, " of this %s (rank %d of the world)",
                           between ? "group" : "communicator", state.world_rank);
    if (host)
        snprintf(text + length, RANK_TEXT - (size_t)length, " (host %s)", host);
    return text;
}

/* ---- raising ---- */

/* Raise an instance of the class with this text (stolen) and the attributes. */
static int raise_text(const char *class_name, const Call *call, PyObject *text, int code) {
    if (!text)
        return -1;
    PyObject *class = error_class(class_name);
    PyObject *error = class ? PyObject_CallOneArg(class, text) : NULL;
    PyObject *number = code == NO_CODE ? Py_NewRef(Py_None) : PyLong_FromLong(code);
    if (error && number && set_attributes(error, call, number) == 0)
        PyErr_SetObject(class, error);
    Py_XDECREF(number);
    Py_XDECREF(error);
    Py_XDECREF(class);
    Py_DECREF(text);
    return -1;
}

/* The sentence with its place before it: "rank 2, recv(source=1, tag=7): ...". */
static PyObject *placed(const Call *call, PyObject *sentence) {
    if (!call || !sentence)
        return sentence;
    char rank[RANK_TEXT];
    PyObject *where = describe_call(call);
    PyObject *text =
        where ? PyUnicode_FromFormat("%s, %U: %U", rank_text(rank, call, call->rank), where, sentence) : NULL;
    Py_XDECREF(where);
    Py_DECREF(sentence);
    return text;
}

int raise_error(const char *class_name, const Call *call, const char *format, ...) {
    if (state.without_python)
        return -1;
    va_list arguments;
    va_start(arguments, format);
    PyObject *sentence = PyUnicode_FromFormatV(format, arguments);
    va_end(arguments);
    return raise_coded(class_name, call, sentence, NO_CODE);
}

int raise_coded(const char *class_name, const Call *call, PyObject *sentence, int code) {
    return raise_text(class_name, call, placed(call, sentence), code);
}

int raised_by_another(void) {
    PyObject *error = state.without_python ? NULL : take_exception();
    if (!error)
        return -1;
    if (PyObject_SetAttrString(error, "consequence", Py_True) == 0)
        PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    Py_DECREF(error);
    return -1;
}

/* Whether a frame runs code of polympi itself. */
static bool is_ours(PyFrameObject *frame) {
    PyObject *globals = PyObject_GetAttrString((PyObject *)frame, "f_globals");
    PyObject *name = globals ? PyDict_GetItemString(globals, "__name__") : NULL; /* borrowed */
    const char *text = name && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;
    bool ours = text && (strcmp(text, "polympi") == 0 || strncmp(text, "polympi.", 8) == 0);
    Py_XDECREF(globals);
    return ours;
}

PyObject *callers_place(void) {
    PyFrameObject *frame = PyEval_GetFrame(); /* borrowed */
    Py_XINCREF(frame);
    while (frame && is_ours(frame)) {
        PyFrameObject *back = PyFrame_GetBack(frame);
        Py_DECREF(frame);
        frame = back;
    }
    if (!frame)
        return PyUnicode_FromString("an unknown place");
    PyCodeObject *code = PyFrame_GetCode(frame);
    PyObject *place = PyUnicode_FromFormat("%U:%d", code->co_filename, PyFrame_GetLineNumber(frame));
    Py_DECREF(code);
    Py_DECREF(frame);
    return place;
}

/* Whom a call waits for, " for rank 3", as far as it has one peer; a new reference. */
static PyObject *awaited(const Call *call) {
    char peer[RANK_TEXT];
    return call->peer == NO_PEER ? PyUnicode_FromString("")
           : call->peer < 0      ? PyUnicode_FromString(" for any rank")
                                 : PyUnicode_FromFormat(" for %s", rank_text(peer, call, call->peer));
}

/* Whether it waits for the first of several requests. */
static bool is_of_requests(const Call *call) {
    static const char *const names[] = {"wait_any", "wait_some", "as_completed"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(call->operation, names[i]) == 0)
            return true;
    return false;
}

static const char *what_was_missing(const Call *call) {
    if (call->sends)
        return "it did not receive";
    if (call->peer != NO_PEER && call->tag == NO_TAG)
        return "it has not called it with these ranks";
    if (call->peer != NO_PEER)
        return "no matching message came";
    if (is_of_requests(call))
        return "none of the requests was complete";
    return state.levels_clash
               ? "not all other ranks called it, or it hangs, since the ranks run MPI at different thread "
                 "levels, "
                 "'multiple' and a lower one: give all the same (POLYMPI_THREADS, mpi4py.rc.thread_level)"
               : "not all other ranks called it; check that every rank calls it, in the same order";
}

static const char *(*explain_wait)(const Call *call);

void errors_explain_waits(const char *(*explain)(const Call *call)) { explain_wait = explain; }

int raise_timeout(const Call *call, double seconds) {
    return raise_timeout_unless_explained(call, seconds, what_was_missing(call));
}

int raise_timeout_unless_explained(const Call *call, double seconds, const char *missing) {
    const char *reason = explain_wait ? explain_wait(call) : NULL;
    return raise_timeout_since(call, seconds, reason ? reason : missing);
}

int raise_timeout_since(const Call *call, double seconds, const char *missing) {
    return raise_wait("Timeout", call, seconds, missing);
}

PyObject *describe_wait(const Call *call, double seconds, const char *communicator, const char *missing) {
    PyObject *what = describe_call(call), *place = callers_place(), *number = PyFloat_FromDouble(seconds);
    PyObject *whom = awaited(call), *text = NULL;
    if (what && place && number && whom)
        text = PyUnicode_FromFormat("waited %R s%U in %U%s at %U: %s", number, whom, what, communicator,
                                    place, missing ? missing : what_was_missing(call));
    Py_XDECREF(whom);
    Py_XDECREF(what);
    Py_XDECREF(place);
    Py_XDECREF(number);
    return text;
}

int raise_wait(const char *class_name, const Call *call, double seconds, const char *missing) {
    PyObject *wait = describe_wait(call, seconds, "", missing);
    char rank[RANK_TEXT];
    PyObject *sentence = wait ? PyUnicode_FromFormat("%s %U", rank_text(rank, call, call->rank), wait) : NULL;
    Py_XDECREF(wait);
    return raise_text(class_name, call, sentence, NO_CODE);
}

void write_report(const char *sentence) {
    char line[REPORT_BYTES], rank[RANK_TEXT];
    const Call own = {.rank = state.world_rank};
    int length =
        snprintf(line, sizeof line - 1, "[%s] %s", rank_text(rank, &own, state.world_rank), sentence);
    size_t used = (size_t)length < sizeof line - 2 ? (size_t)length : sizeof line - 2;
    line[used] = '\n';
    if (write(STDERR_FILENO, line, used + 1) < 0)
        return; /* standard error is closed */
}

bool is_raised(const char *class_name) {
    PyObject *found = names ? PyDict_GetItemString(names, class_name) : NULL; /* borrowed */
    return found && PyErr_Occurred() == found;
}

bool is_any_error(void) {
    PyObject *error = names ? PyDict_GetItemString(names, "Error") : NULL; /* borrowed */
    return error && PyErr_ExceptionMatches(error);
}

bool is_timeout(void) { return is_raised("Timeout"); }

PyObject *take_exception(void) {
    PyObject *class, *error, *trace;
    PyErr_Fetch(&class, &error, &trace);
    PyErr_NormalizeException(&class, &error, &trace);
    if (trace && error)
        PyException_SetTraceback(error, trace);
    Py_XDECREF(class);
    Py_XDECREF(trace);
    return error;
}

void restore_exception(PyObject *exception) {
    if (exception)
        PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
    Py_XDECREF(exception);
}
