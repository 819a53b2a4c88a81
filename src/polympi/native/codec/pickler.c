/* A pickler that takes what has its own form out of the pickle, so that an array or a memoryview arrives
 * as it would have arrived alone, whatever it is contained in.
 *
 * Such an object is written to the stream when the pickler meets it, and the pickle says
 * `operator.getitem((buffer,), 0)` in its place. The buffer is an out-of-band one of PEP 574: the unpickler
 * takes the next of what it is given, which is the object. pickle's memo keeps identity.
 */
#include "codec/stream.h"

typedef struct {
    PyObject_HEAD Stream *stream; /* NULL when pickling has ended */
    PyObject *pickle;             /* bytes: the first piece, mostly the only one */
    PyObject *more;               /* a list of all its pieces; NULL: there is no second one */
    PyObject *tried;              /* of pickle_apart */
    Py_ssize_t entries;           /* what lies alongside the pickle */
    bool gives_memory;
} Pickling;

/* A pickler, and what it writes to. */
typedef struct {
    PyObject *pickler;
    Pickling *pickling;
} Pair;

/* The last pair, for the next pickle: making one takes as long as pickling a small object. */
static Pair spare;

static struct {
    PyObject *pickler;         /* a class: pickle.Pickler with a place for `reducer_override` */
    PyObject *getitem;         /* operator.getitem */
    PyObject *placeholder;     /* the PickleBuffer that stands for what is in the stream already */
    PyObject *protocol, *keys; /* 5, and the names of arguments */
} tools;

/* ---- what the pickler calls ---- */

/* A piece of the pickle; a bytearray may change later. */
static PyObject *pickling_write(PyObject *self, PyObject *piece) {
    Pickling *pickling = (Pickling *)self;
    PyObject *bytes = PyBytes_FromObject(piece);
    if (!bytes)
        return NULL;
    if (likely(!pickling->pickle)) {
        pickling->pickle = bytes;
        Py_RETURN_NONE;
    }
    if (!pickling->more)
        pickling->more = Py_BuildValue("[O]", pickling->pickle);
    int failed = pickling->more ? PyList_Append(pickling->more, bytes) : -1;
    Py_DECREF(bytes);
    return failed ? NULL : Py_NewRef(Py_None);
}

/* The memory of a PickleBuffer alongside the stream or in it. */
static int put_memory(Stream *stream, PyObject *buffer) {
    PyObject *view = call_method(buffer, NAME("raw"));
    if (!view)
        return -1;
    int failed = put_data(stream, TAG_BUFFER, PyMemoryView_GET_BUFFER(view)->buf,
                          PyMemoryView_GET_BUFFER(view)->len, view);
    Py_DECREF(view);
    return failed;
}

/* The buffer callback: false, as nothing goes into the pickle. */
static PyObject *pickling_buffer(PyObject *self, PyObject *buffer) {
    Pickling *pickling = (Pickling *)self;
    if (!pickling->stream) {
        PyErr_SetString(PyExc_RuntimeError, "this object has been pickled already");
        return NULL;
    }
    pickling->entries++;
    if (buffer != tools.placeholder && put_memory(pickling->stream, buffer) < 0)
        return NULL;
    return Py_NewRef(Py_False);
}

/* Whether pickle refuses an object: 1, 0, or -1 with an exception that is none of the object's. Found out
 * once for each, which `tried` keeps alive; it counts as pickled meanwhile, where it holds itself. */
static int is_refused(PyObject *object, PyObject *tried) {
    PyObject *key = PyLong_FromVoidPtr(object), *known = key ? PyDict_GetItemWithError(tried, key) : NULL;
    PyObject *pair = known ? NULL : Py_BuildValue("(OO)", object, Py_False);
    int refused = known ? PyTuple_GET_ITEM(known, 1) == Py_True : -1;
    if (key && pair && !PyErr_Occurred() && PyDict_SetItem(tried, key, pair) == 0) {
        Stream scratch;
        bool gives_memory;
        stream_open(&scratch, NULL, 0);
        refused = pickle_apart(&scratch, object, tried, &gives_memory) < 0;
        stream_close(&scratch);
        if (refused && !PyErr_ExceptionMatches(PyExc_Exception))
            refused = -1;
        if (refused > 0) {
            PyErr_Clear();
            Py_XSETREF(pair, Py_BuildValue("(OO)", object, Py_True));
            if (!pair || PyDict_SetItem(tried, key, pair) < 0)
                refused = -1;
        }
    }
    Py_XDECREF(key);
    Py_XDECREF(pair);
    return refused;
}

/* What the pickler cannot tell: an enum outcome. */
static int encode_apart(Pickling *pickling, PyObject *object) {
    Stream *stream = pickling->stream;
    Encoder encoder;
    encoder_start(&encoder, stream);
    Py_ssize_t used = stream->used;
    int part_count = stream->part_count, outcome = encode_other(&encoder, object);
    if (likely(outcome != TO_PICKLE))
        return outcome;
    stream_rewind(stream, used, part_count);
    if (!encoder.gives_memory && !PyObject_CheckBuffer(object))
        return TO_PICKLE;
    pickling->gives_memory = true;
    if (!pickling->tried)
        return TO_PICKLE;
    int refused = is_refused(object, pickling->tried);
    if (refused <= 0)
        return refused ? FAILED : TO_PICKLE;
    outcome = encode_memory(stream, object);
    if (outcome == TO_PICKLE)
        stream_rewind(stream, used, part_count);
    return outcome;
}

/* reducer_override, asked once about each object but those of Python's own types. */
static PyObject *pickling_reduce(PyObject *self, PyObject *object) {
    Pickling *pickling = (Pickling *)self;
    int outcome = pickling->stream ? encode_apart(pickling, object) : TO_PICKLE;
    if (outcome == FAILED)
        return NULL;
    return outcome == TO_PICKLE ? Py_NewRef(Py_NotImplemented)
                                : Py_BuildValue("(O((O)i))", tools.getitem, tools.placeholder, 0);
}

static void pickling_dealloc(PyObject *self) {
    Py_XDECREF(((Pickling *)self)->pickle);
    Py_XDECREF(((Pickling *)self)->more);
    PyObject_Free(self);
}

static PyMethodDef methods[] = {
    {"write", pickling_write, METH_O, "Take a piece of the pickle."},
    {"buffer", pickling_buffer, METH_O, "Take the memory of a PickleBuffer."},
    {"reduce", pickling_reduce, METH_O, "Take an object that has a special form."},
    {NULL, NULL, 0, NULL},
};
static PyTypeObject Pickling_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "polympi.native.core.Pickling",
    .tp_doc = "What a pickler writes to.",
    .tp_basicsize = sizeof(Pickling),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_dealloc = pickling_dealloc,
    .tp_methods = methods,
};

/* ---- pickling ---- */

static PyObject *attribute_of(const char *module_name, const char *name) {
    PyObject *module = PyImport_ImportModule(module_name);
    PyObject *attribute = module ? PyObject_GetAttrString(module, name) : NULL;
    Py_XDECREF(module);
    return attribute;
}

static PyObject *make_pickler_class(void) {
    PyObject *base = attribute_of("pickle", "Pickler");
    PyObject *made = base ? PyObject_CallFunction((PyObject *)&PyType_Type, "s(O){s(s)}", "Pickler", base,
                                                  "__slots__", "reducer_override")
                          : NULL;
    Py_XDECREF(base);
    return made;
}

/* Get the tools on first use: 0 or -1. */
static int tools_ready(void) {
    if (likely(tools.keys != NULL))
        return 0;
    if (PyType_Ready(&Pickling_Type) < 0)
        return -1;
    if (!tools.pickler)
        tools.pickler = make_pickler_class();
    if (!tools.getitem)
        tools.getitem = attribute_of("operator", "getitem");
    if (!tools.protocol)
        tools.protocol = PyLong_FromLong(5);
    if (!tools.placeholder) {
        PyObject *nothing = PyByteArray_FromStringAndSize(NULL, 0);
        tools.placeholder = nothing ? PyPickleBuffer_FromObject(nothing) : NULL;
        Py_XDECREF(nothing);
    }
    if (tools.pickler && tools.getitem && tools.protocol && tools.placeholder)
        tools.keys = Py_BuildValue("(s)", "buffer_callback");
    return tools.keys ? 0 : -1;
}

static void pair_drop(Pair *pair) {
    Py_CLEAR(pair->pickler);
    Py_CLEAR(pair->pickling);
}

/* A new pair: 0 or -1. */
static int pair_make(Pair *pair) {
    Pickling *pickling = pair->pickling = PyObject_New(Pickling, &Pickling_Type);
    if (!pickling)
        return -1;
    pickling->stream = NULL;
    pickling->pickle = pickling->more = pickling->tried = NULL;
    PyObject *self = (PyObject *)pickling;
    PyObject *reduce = get_attribute(self, NAME("reduce")), *buffer = get_attribute(self, NAME("buffer"));
    int failed = -1;
    if (reduce && buffer) {
        PyObject *arguments[] = {self, tools.protocol, buffer};
        pair->pickler = PyObject_Vectorcall(tools.pickler, arguments, 2, tools.keys);
        if (pair->pickler)
            failed = PyObject_SetAttr(pair->pickler, NAME("reducer_override"), reduce);
    }
    Py_XDECREF(reduce);
    Py_XDECREF(buffer);
    if (failed)
        pair_drop(pair);
    return failed;
}

/* The spare one, unless a pickle is being made by it at this moment: 0 or -1. */
static int pair_take(Pair *pair) {
    *pair = spare;
    spare = (Pair){NULL, NULL};
    return likely(pair->pickler != NULL) ? 0 : pair_make(pair);
}

/* The most bytes of a pickle whose pickler is kept: it keeps a table of all that it has met, as large as it
 * once was, and each use clears it. */
enum { MOST_BYTES_TO_KEEP = 4096 };

/* Keep it, if that was a small pickle, without what it remembers of it: that may run code of the program,
 * which may pickle, too. */
static void pair_give(Pair *pair, Py_ssize_t nbytes) {
    PyObject *cleared = nbytes > MOST_BYTES_TO_KEEP ? NULL : call_method(pair->pickler, NAME("clear_memo"));
    bool kept = cleared && !spare.pickler;
    Py_XDECREF(cleared);
    if (likely(kept)) {
        spare = *pair;
        return;
    }
    PyErr_Clear();
    pair_drop(pair);
}

/* The same after a failure, whose exception is set. */
static void pair_drop_with_error(Pair *pair) {
    PyObject *class, *error, *trace;
    PyErr_Fetch(&class, &error, &trace);
    pair_drop(pair);
    PyErr_Restore(class, error, trace);
}

/* Let the pickler run: the pickle as bytes; NULL with an exception. */
static PyObject *dump(const Pair *pair, PyObject *value) {
    Pickling *pickling = pair->pickling;
    PyObject *done = call_method_with(pair->pickler, NAME("dump"), value), *joined = NULL;
    if (likely(done && !pickling->more))
        joined = Py_NewRef(pickling->pickle);
    else if (done) {
        PyObject *empty = PyBytes_FromStringAndSize(NULL, 0);
        joined = call_method_with(empty, NAME("join"), pickling->more);
        Py_XDECREF(empty);
    }
    Py_XDECREF(done);
    Py_CLEAR(pickling->pickle);
    Py_CLEAR(pickling->more);
    return joined;
}

int pickle_apart(Stream *stream, PyObject *value, PyObject *tried, bool *gives_memory) {
    *gives_memory = false;
    Py_ssize_t start = stream->used;
    Pair pair;
    if (tools_ready() < 0 || !stream_reserve(stream, PICKLE_FORM) || pair_take(&pair) < 0)
        return -1;
    Pickling *pickling = pair.pickling;
    pickling->stream = stream;
    pickling->tried = tried;
    pickling->entries = 0;
    pickling->gives_memory = false;
    PyObject *made = dump(&pair, value);
    Py_ssize_t entries = pickling->entries;
    *gives_memory = pickling->gives_memory;
    pickling->stream = NULL;
    pickling->tried = NULL;
    int failed = -1;
    if (likely(made != NULL)) {
        wire_put_pickle(stream->bytes + start, entries, PyBytes_GET_SIZE(made));
        failed = put_bytes(stream, PyBytes_AS_STRING(made), PyBytes_GET_SIZE(made), made);
    }
    if (likely(!failed))
        pair_give(&pair, PyBytes_GET_SIZE(made));
    else
        pair_drop_with_error(&pair);
    Py_XDECREF(made);
    return failed;
}
