/* The codec as a separate module, without MPI: what is sent is copied as a transfer would copy it. */
#include "base/errors.h"
#include "codec/delivery.h"
#include "codec/overlap.h"
#include "collectives/collective_wire.h"
#include "memory/pool.h"

#include <string.h>

/* As in the core, but without the attributes of a call. */
int raise_error(const char *class_name, const Call *Py_UNUSED(call), const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    PyObject *sentence = PyUnicode_FromFormatV(format, arguments);
    va_end(arguments);
    PyObject *module = PyImport_ImportModule("polympi.errors");
    PyObject *name = PyUnicode_InternFromString(class_name);
    PyObject *class = module && name ? PyObject_GetAttr(module, name) : NULL;
    if (class && sentence)
        PyErr_SetObject(class, sentence);
    Py_XDECREF(class);
    Py_XDECREF(module);
    Py_XDECREF(name);
    Py_XDECREF(sentence);
    return -1;
}

static void drop_parts(Arrived *parts, int count) {
    release_parts(parts, count);
    PyMem_Free(parts);
}

/* A copy of just its size, so that a sanitizer sees what is read beyond it. */
static char *exact_copy(const char *bytes, Py_ssize_t nbytes) {
    char *copy = PyMem_RawMalloc((size_t)nbytes);
    if (copy)
        memcpy(copy, bytes, (size_t)nbytes);
    else
        PyErr_NoMemory();
    return copy;
}

static PyObject *encode(PyObject *Py_UNUSED(module), PyObject *value) {
    char packet[1024];
    Stream stream;
    stream_open(&stream, packet, sizeof packet);
    PyObject *parts = codec_encode(&stream, value) < 0 ? NULL : PyList_New(stream.part_count), *made = NULL;
    for (int i = 0; parts && i < stream.part_count; i++) {
        PyObject *part = PyByteArray_FromStringAndSize(NULL, stream.parts[i].nbytes);
        if (!part) {
            Py_CLEAR(parts);
            break;
        }
        part_copy(&stream.parts[i], PyByteArray_AS_STRING(part));
        PyList_SET_ITEM(parts, i, part);
    }
    if (parts)
        made = Py_BuildValue("(y#O)", stream.bytes, stream.used, parts);
    Py_XDECREF(parts);
    stream_close(&stream);
    return made;
}

/* The parts of a list of bytearrays; NULL with an exception. */
static Arrived *arrive(PyObject *list, int *count) {
    Arrived *parts = PyMem_Calloc((size_t)PyList_GET_SIZE(list) + 1, sizeof *parts);
    if (!parts)
        return (Arrived *)PyErr_NoMemory();
    for (; *count < PyList_GET_SIZE(list); ++*count) {
        PyObject *bytes = PyList_GET_ITEM(list, *count);
        Arrived *part = &parts[*count];
        part->nbytes = PyByteArray_Size(bytes);
        part->data = pool_allocate(part->nbytes);
        if (!part->data) {
            drop_parts(parts, *count);
            return NULL;
        }
        memcpy(part->data, PyByteArray_AsString(bytes), (size_t)part->nbytes);
    }
    return parts;
}

static PyObject *decode(PyObject *Py_UNUSED(module), PyObject *arguments) {
    const char *bytes;
    Py_ssize_t nbytes;
    PyObject *list;
    int count = 0;
    if (!PyArg_ParseTuple(arguments, "y#O!", &bytes, &nbytes, &PyList_Type, &list))
        return NULL;
    char *copy = exact_copy(bytes, nbytes);
    Arrived *parts = copy ? arrive(list, &count) : NULL;
    PyObject *value = parts ? codec_decode(copy, nbytes, parts, count) : NULL;
    if (parts) {
        memset(copy, 0xFF, (size_t)nbytes); /* nothing may still look at it */
        drop_parts(parts, count);
    }
    PyMem_RawFree(copy);
    return value;
}

static PyObject *fill(PyObject *Py_UNUSED(module), PyObject *arguments) {
    const Call call = {.operation = "recv", .rank = 0, .peer = 0, .tag = 0};
    const char *bytes;
    Py_ssize_t nbytes;
    PyObject *into, *list, *value = NULL;
    Target target;
    int count = 0;
    if (!PyArg_ParseTuple(arguments, "Oy#O!", &into, &bytes, &nbytes, &PyList_Type, &list) ||
        target_open(&target, into, &call) < 0)
        return NULL;
    char *copy = exact_copy(bytes, nbytes);
    Arrived *parts = copy ? arrive(list, &count) : NULL;
    if (parts) {
        value = deliver(copy, nbytes, parts, count, &target, &call);
        drop_parts(parts, count);
    }
    PyMem_RawFree(copy);
    target_close(&target);
    return value;
}

static PyObject *sizes_of(const struct announcement *announced, const char *body) {
    PyObject *sizes = PyList_New(0);
    for (uint64_t i = 0; sizes && i < announced->part_count; i++) {
        PyObject *size = PyLong_FromUnsignedLongLong(wire_get_size(body, i));
        if (!size || PyList_Append(sizes, size) < 0)
            Py_CLEAR(sizes);
        Py_XDECREF(size);
    }
    return sizes;
}

static PyObject *announced(PyObject *Py_UNUSED(module), PyObject *bytes) {
    struct announcement announced;
    uint64_t pieces;
    PyObject *sizes = NULL;
    char *copy = PyBytes_Check(bytes) ? exact_copy(PyBytes_AS_STRING(bytes), PyBytes_GET_SIZE(bytes)) : NULL;
    if (!copy)
        return NULL;
    const char *body = copy + ANNOUNCEMENT_FORM;
    if (!wire_get_announcement(copy, PyBytes_GET_SIZE(bytes), &announced))
        PyErr_SetString(PyExc_LookupError, "no announcement");
    else if (announced.body_apart)
        sizes = Py_NewRef(Py_None);
    else if (!wire_check_body(&announced, body, &pieces))
        PyErr_SetString(PyExc_LookupError, "no sizes");
    else
        sizes = sizes_of(&announced, body);
    PyMem_RawFree(copy);
    return sizes;
}

/* The announcement of a stream with its body after it, as it begins a message. */
static PyObject *announce(PyObject *Py_UNUSED(module), PyObject *arguments) {
    char packet[1024];
    unsigned sequence;
    PyObject *value, *message = NULL;
    Stream stream;
    if (!PyArg_ParseTuple(arguments, "OI", &value, &sequence))
        return NULL;
    stream_open(&stream, packet, sizeof packet);
    if (codec_encode(&stream, value) == 0)
        message = PyBytes_FromStringAndSize(NULL, ANNOUNCEMENT_FORM + stream_body_bytes(&stream));
    if (message) {
        const struct announcement announced = announcement_of(sequence, stream.part_count, stream.used);
        wire_put_announcement(PyBytes_AS_STRING(message), &announced);
        stream_put_body(&stream, PyBytes_AS_STRING(message) + ANNOUNCEMENT_FORM);
    }
    stream_close(&stream);
    return message;
}

/* As a small message of an array begins that needs no encoder; with the announcement of its data, if they
 * travel apart. */
static PyObject *plain_array(PyObject *Py_UNUSED(module), PyObject *arguments) {
    char message[256];
    int type;
    unsigned sequence;
    PyObject *axes;
    Py_ssize_t itemsize, nbytes, shape[2];
    if (!PyArg_ParseTuple(arguments, "inO!I", &type, &itemsize, &PyTuple_Type, &axes, &sequence))
        return NULL;
    int ndim = (int)PyTuple_GET_SIZE(axes);
    if (!PyArg_ParseTuple(axes, "n|n", &shape[0], &shape[1]))
        return NULL;
    char *head = message + announced_stream(1);
    Py_ssize_t head_bytes = wire_put_plain_array(head, type, itemsize, ndim, shape, &nbytes);
    if (nbytes < PART_BYTES)
        return PyBytes_FromStringAndSize(head, head_bytes);
    return PyBytes_FromStringAndSize(message, wire_announce_one(message, sequence, nbytes, head_bytes));
}

static PyObject *overlaps(PyObject *Py_UNUSED(module), PyObject *arguments) {
    const Call call = {.operation = "sendrecv", .rank = 0, .peer = 0, .tag = 0};
    char packet[1024];
    PyObject *value, *into, *found = NULL;
    Stream stream;
    Target target;
    if (!PyArg_ParseTuple(arguments, "OO", &value, &into) || target_open(&target, into, &call) < 0)
        return NULL;
    stream_open(&stream, packet, sizeof packet);
    if (codec_encode(&stream, value) == 0)
        found = PyBool_FromLong(stream_overlaps(&stream, &target.layout));
    stream_close(&stream);
    target_close(&target);
    return found;
}

/* A message of a channel. */
static PyObject *offer(PyObject *Py_UNUSED(module), PyObject *arguments) {
    int step, channel, tag;
    const char *behind;
    Py_ssize_t nbytes;
    if (!PyArg_ParseTuple(arguments, "iiiy#", &step, &channel, &tag, &behind, &nbytes))
        return NULL;
    PyObject *message = PyBytes_FromStringAndSize(NULL, OFFER_FORM + nbytes);
    if (message) {
        wire_put_offer(PyBytes_AS_STRING(message), (enum offer_step)step, channel, tag, nbytes);
        memcpy(PyBytes_AS_STRING(message) + OFFER_FORM, behind, (size_t)nbytes);
    }
    return message;
}

static PyObject *offered(PyObject *Py_UNUSED(module), PyObject *bytes) {
    struct offer offer;
    char *copy = PyBytes_Check(bytes) ? exact_copy(PyBytes_AS_STRING(bytes), PyBytes_GET_SIZE(bytes)) : NULL;
    if (!copy)
        return NULL;
    bool read = wire_get_offer(copy, PyBytes_GET_SIZE(bytes), &offer);
    PyMem_RawFree(copy);
    if (!read)
        return PyErr_Format(PyExc_LookupError, "no offer");
    return Py_BuildValue("(iIII)", (int)offer.step, offer.channel, offer.tag, offer.nbytes);
}

/* How the message of memory begins that a plan sends. */
static PyObject *form(PyObject *Py_UNUSED(module), PyObject *arguments) {
    const Call call = {.operation = "plan.send", .rank = 0, .peer = 0, .tag = 0, .sends = true};
    PyObject *object;
    int fortran;
    Target target;
    if (!PyArg_ParseTuple(arguments, "Op", &object, &fortran) || target_open(&target, object, &call) < 0)
        return NULL;
    PyObject *bytes = target_form(&target, fortran);
    target_close(&target);
    return bytes;
}

/* Each struct of collective_wire.h with other numbers in each field. */
static PyObject *heads(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused)) {
    const Head head = {
        .verb = REDUCE, .kind = 2, .type = 3, .op = 4, .nbytes = 0x05060708, .root = -2, .failed = 9};
    const BcastHead bcast = {.head = head, .part_count = 10, .body_bytes = 11, .page = 12};
    const BoardHead board = {.page = 13, .part_count = 14};
    const Contribution contribution = {.head = head, .shape = 15, .consent = 16, .bound = 17, .data = "data"};
    const Notice notice = {.entry = log_entry(18, what_call(GATHER, 19)), .rank = 20};
    const Introduction introduction = {.number = 21, .machine = -22};
    const SubsetNote note = {.key = 23,
                             .number = 24,
                             .step = SUBSET_WAITS,
                             .yes = 1,
                             .single = 1,
                             .count = 2,
                             .other_number = 25,
                             .other_key = 26,
                             .ranks = {3, 5}};
    const Py_ssize_t data = offsetof(Contribution, data) + 4;
    return Py_BuildValue("{s:y#,s:y#,s:y#,s:y#,s:y#,s:y#,s:y#}", "Head", &head, (Py_ssize_t)sizeof head,
                         "BcastHead", &bcast, (Py_ssize_t)sizeof bcast, "BoardHead", &board,
                         (Py_ssize_t)sizeof board, "Contribution", &contribution, data, "Notice", &notice,
                         (Py_ssize_t)sizeof notice, "Introduction", &introduction,
                         (Py_ssize_t)sizeof introduction, "SubsetNote", &note, (Py_ssize_t)sizeof note);
}

/* The numbers of verbs and kinds that collective_wire.h gives names. */
static PyObject *kinds(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused)) {
    return Py_BuildValue(
        "{s:(iiiiiiiiiiiiiii),s:(iiiiii),s:(iiii),s:(iiiiiiii),s:(iii),s:(ii),s:(iiiii),s:(ii)}", "verb",
        BARRIER, BCAST, GATHER, SCATTER, ALLGATHER, ALLTOALL, REDUCE, ALLREDUCE, SCAN, EXSCAN, REDUCE_SCATTER,
        SPLIT, DUP, FREE, SUBSET, "bcast", BCAST_STREAM, BCAST_ANNOUNCED, BCAST_ANNOUNCED_BODY,
        BCAST_ANNOUNCED_TREE, BCAST_ANNOUNCED_BOARD, BCAST_NOTHING, "slot", SLOT_STREAM, SLOT_DIRECT,
        SLOT_BOARD, SLOT_FAILED, "contribution", FLOAT, INTEGER, BOOLEAN, COMPLEX, SCALAR, ARRAY, LARGE_ARRAY,
        OBJECT, "consent", MAY_BLOCK, IN_PLACE, IN_SEGMENTS, "answer", ANSWER_ABLE, ANSWER_MAY_BLOCK,
        "subset", SUBSET_ASKS, SUBSET_ANSWER, SUBSET_LEFT, SUBSET_WAITS, SUBSET_CROSSES, "different",
        DIFFERENT_OPS, DIFFERENT_ROOTS);
}

static PyMethodDef functions[] = {
    {"encode", encode, METH_O, "The value as (bytes, [bytearray of each part])."},
    {"decode", decode, METH_VARARGS, "The value of (bytes, [bytearray])."},
    {"fill", fill, METH_VARARGS,
     "Receive an array, as (bytes, [bytearray]), into memory: (into, bytes, parts) -> into."},
    {"announced", announced, METH_O,
     "The sizes of the parts that bytes announce; None where they are apart."},
    {"announce", announce, METH_VARARGS, "What begins a message that announces (value, sequence)."},
    {"plain_array", plain_array, METH_VARARGS,
     "What begins the message of an array: (type, itemsize, shape of one or two axes, sequence)."},
    {"offer", offer, METH_VARARGS, "A message on a channel: (step, channel, tag, what follows)."},
    {"offered", offered, METH_O, "(step, channel, tag, bytes that follow) of such a message."},
    {"form", form, METH_VARARGS, "How a channel's array begins: (array, whether in Fortran order)."},
    {"heads", heads, METH_NOARGS, "What begins the messages of collectives, by the names of its structs."},
    {"kinds", kinds, METH_NOARGS, "What the numbers in them are, by what they tell apart."},
    {"overlaps", overlaps, METH_VARARGS, "Whether (value, into) share memory, as the core sees it."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "codec", NULL, -1, functions, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit_codec(void) {
    PyObject *module = PyModule_Create(&definition);
    if (module && PyModule_AddIntConstant(module, "WIRE_VERSION", WIRE_VERSION) < 0)
        Py_CLEAR(module);
    return module;
}
