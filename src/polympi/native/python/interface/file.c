/* The class of files as the core has them: single calls of MPI. polympi.file makes of them what programs use:
 * it has the ranks agree before and after a collective call, cuts large arrays, and words the errors. */
#include "python/interface/file.h"

#include <limits.h>

#include "base/errors.h"
#include "collectives/creation.h"
#include "python/interface/communicator.h"
#include "transfer/transfer.h"
#include "transport/files.h"
#include "transport/strided_datatype.h"

typedef struct {
    PyObject_HEAD Communicator *comm; /* nobody else's */
    MPI_File file;
    bool open;
} File;

/* ---- calls ---- */

/* Raise OSError with the number and MPI's text. -1. */
static int raise_os_error(int code) {
    char text[MPI_MAX_ERROR_STRING + 1] = "";
    int length = 0;
    if (MPI_Error_string(code, text, &length) == MPI_SUCCESS)
        text[length] = '\0';
    for (char *c = text; *c; c++)
        if (*c == '\n')
            *c = ' ';
    PyObject *details = Py_BuildValue("iN", file_errno(code), PyUnicode_DecodeUTF8(text, length, "replace"));
    if (details)
        PyErr_SetObject(PyExc_OSError, details);
    Py_XDECREF(details);
    return -1;
}

static int result_of(int code, const Call *call) {
    return code != MPI_SUCCESS ? raise_os_error(code) : still_running(call);
}

/* Make a call of all ranks. They take their turns as in making communicators, so that threads may use
 * different files in any order. */
static int make_together(Communicator *comm, int (*make)(void *context), void *context) {
    Creation creation;
    if (creation_begin(&creation, comm, FILE_ACCESS) < 0)
        return -1;
    const Call call = creation.call;
    int code = creation_make(make, context);
    creation_end(&creation);
    return result_of(code, &call);
}

static int make_alone(Communicator *comm, int (*make)(void *context), void *context) {
    const Call call = {.operation = "file", .rank = comm->rank, .peer = NO_PEER, .tag = NO_TAG, .comm = comm};
    return result_of(creation_make(make, context), &call);
}

/* Whether calls on the file are possible; otherwise false with an exception. */
static bool is_open(const File *self) {
    if (!self->open)
        PyErr_SetString(PyExc_ValueError, "the file is closed");
    return self->open && is_usable(self->comm);
}

struct opening {
    Communicator *comm;
    const char *path;
    const char **hints;
    enum file_access access;
    MPI_File file;
};

static int make_open(void *context) {
    struct opening *opening = context;
    return file_open(opening->comm->comm, opening->path, opening->access, opening->hints, &opening->file);
}

/* The words of a tuple of bytes, which keeps them, and NULL at the end; to be freed. NULL with an exception.
 */
static const char **words_of(PyObject *tuple) {
    Py_ssize_t count = PyTuple_GET_SIZE(tuple);
    char **words = PyMem_Calloc((size_t)count + 1, sizeof *words);
    if (!words)
        return (void *)PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < count; i++)
        if (PyBytes_AsStringAndSize(PyTuple_GET_ITEM(tuple, i), &words[i], NULL) < 0) {
            PyMem_Free(words);
            return NULL;
        }
    return (const char **)words;
}

static PyObject *open_file(PyObject *Py_UNUSED(unused), PyObject *args) {
    struct opening opening = {0};
    int reads, writes;
    PyObject *hints;
    if (!PyArg_ParseTuple(args, "O!yppO!", &Communicator_Type, &opening.comm, &opening.path, &reads, &writes,
                          &PyTuple_Type, &hints) ||
        !is_usable(opening.comm) || !(opening.hints = words_of(hints)))
        return NULL;
    File *self = (File *)File_Type.tp_alloc(&File_Type, 0);
    if (!self) {
        PyMem_Free(opening.hints);
        return NULL;
    }
    opening.access = (reads ? FILE_READS : 0) | (writes ? FILE_WRITES : 0);
    self->comm = (Communicator *)Py_NewRef((PyObject *)opening.comm);
    self->open = make_together(opening.comm, make_open, &opening) == 0;
    self->file = opening.file;
    PyMem_Free(opening.hints);
    if (!self->open)
        Py_CLEAR(self);
    return (PyObject *)self;
}

static int make_close(void *context) { return MPI_File_close(&((File *)context)->file); }
static int make_sync(void *context) { return MPI_File_sync(((File *)context)->file); }

static PyObject *close_file(File *self, PyObject *Py_UNUSED(unused)) {
    if (!is_open(self))
        return NULL;
    self->open = false;
    return make_together(self->comm, make_close, self) < 0 ? NULL : Py_NewRef(Py_None);
}

static PyObject *sync_file(File *self, PyObject *Py_UNUSED(unused)) {
    return !is_open(self) || make_together(self->comm, make_sync, self) < 0 ? NULL : Py_NewRef(Py_None);
}

struct sizing {
    MPI_File file;
    MPI_Offset size;
};

static int make_size(void *context) {
    struct sizing *sizing = context;
    return MPI_File_get_size(sizing->file, &sizing->size);
}

static int make_resize(void *context) {
    const struct sizing *sizing = context;
    return MPI_File_set_size(sizing->file, sizing->size);
}

static PyObject *size_of_file(File *self, PyObject *Py_UNUSED(unused)) {
    struct sizing sizing = {.file = self->file};
    if (!is_open(self) || make_alone(self->comm, make_size, &sizing) < 0)
        return NULL;
    return PyLong_FromLongLong(sizing.size);
}

static PyObject *resize_file(File *self, PyObject *size) {
    struct sizing sizing = {.file = self->file, .size = PyLong_AsLongLong(size)};
    if (PyErr_Occurred() || !is_open(self) || make_together(self->comm, make_resize, &sizing) < 0)
        return NULL;
    Py_RETURN_NONE;
}

/* ---- moving bytes ---- */

/* Where the elements of an array are in the file, from (itemsize, shape, strides). 0 or -1. */
static int parse_places(PyObject *given, Layout *layout) {
    PyObject *shape, *strides;
    if (!PyArg_ParseTuple(given, "nO!O!", &layout->itemsize, &PyTuple_Type, &shape, &PyTuple_Type, &strides))
        return -1;
    layout->data = NULL;
    layout->contiguous = false;
    layout->ndim = (int)PyTuple_GET_SIZE(shape);
    layout->count = 1;
    if (layout->ndim > MOST_DIMENSIONS || layout->ndim != PyTuple_GET_SIZE(strides))
        return PyErr_SetString(PyExc_ValueError, "as many strides as axes are needed"), -1;
    for (int axis = 0; axis < layout->ndim; axis++) {
        layout->shape[axis] = PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, axis));
        layout->strides[axis] = PyLong_AsSsize_t(PyTuple_GET_ITEM(strides, axis));
        layout->count *= layout->shape[axis];
    }
    layout->nbytes = layout->count * layout->itemsize;
    return PyErr_Occurred() ? -1 : 0;
}

/* The datatype of these places; MPI_BYTE if the bytes follow one another, or there are none. 0 or -1. */
static int open_places(PyObject *given, MPI_Datatype *places) {
    Layout layout;
    *places = MPI_BYTE;
    if (given == Py_None)
        return 0;
    if (parse_places(given, &layout) < 0)
        return -1;
    if (!layout.nbytes)
        return 0;
    int code = strided_datatype_new(&layout, MPI_BYTE, places);
    return code == MPI_SUCCESS ? 0 : raise_os_error(code);
}

/* Move a piece, whose places are given. A collective call is made in any case, since the others wait for it.
 */
static int move_piece(File *self, FilePiece *piece, PyObject *given) {
    PyObject *error = NULL;
    if (open_places(given, &piece->places) < 0) {
        error = take_exception();
        piece->nbytes = 0;
        piece->places = MPI_BYTE;
    }
    int failed = (piece->together ? make_together : make_alone)(self->comm, file_move, piece);
    if (piece->places != MPI_BYTE)
        IN_TURN(MPI_Type_free(&piece->places));
    if (!error)
        return failed;
    PyErr_Clear();
    restore_exception(error);
    return -1;
}

static PyObject *move(File *self, PyObject *args) {
    PyObject *memory, *given;
    int writes, together, viewed;
    long long offset;
    Py_buffer view;
    if (!PyArg_ParseTuple(args, "pppLOO", &writes, &together, &viewed, &offset, &memory, &given) ||
        !is_open(self) || PyObject_GetBuffer(memory, &view, writes ? PyBUF_SIMPLE : PyBUF_WRITABLE) < 0)
        return NULL;
    FilePiece piece = {.file = self->file,
                       .writes = writes,
                       .together = together,
                       .viewed = viewed,
                       .offset = offset,
                       .data = view.buf,
                       .nbytes = (int)view.len};
    int failed = -1;
    if (view.len > INT_MAX)
        PyErr_SetString(PyExc_OverflowError, "one call moves fewer than 2 GiB");
    else
        failed = move_piece(self, &piece, given);
    PyBuffer_Release(&view);
    return failed ? NULL : PyLong_FromLongLong((long long)piece.moved);
}

/* ---- the class ---- */

/* MPI can't close a file on one rank alone, so a dropped one stays open. */
static void file_dealloc(File *self) {
    Py_XDECREF((PyObject *)self->comm);
    Py_TYPE(self)->tp_free(self);
}

static PyMethodDef methods[] = {
    {"open", open_file, METH_VARARGS | METH_STATIC,
     "open(comm, path, reads, writes, hints, /)\n--\n\nOpen a file that exists. All ranks call it. Hints are "
     "a "
     "tuple of keys, each with its value after it."},
    {"close", (PyCFunction)close_file, METH_NOARGS, "close($self, /)\n--\n\nClose it. All ranks call it."},
    {"sync", (PyCFunction)sync_file, METH_NOARGS,
     "sync($self, /)\n--\n\nTransfer what was written to the device. All ranks call it."},
    {"size", (PyCFunction)size_of_file, METH_NOARGS, "size($self, /)\n--\n\nIts bytes."},
    {"resize", (PyCFunction)resize_file, METH_O,
     "resize($self, nbytes, /)\n--\n\nCut or extend it. All ranks call it."},
    {"move", (PyCFunction)move, METH_VARARGS,
     "move($self, writes, together, viewed, offset, memory, places, /)\n--\n\n"
     "Read or write contiguous memory of fewer than 2 GiB; the bytes that were moved. All ranks call it if "
     "`together`; if `viewed`, places may be (itemsize, shape, strides) of elements in the file."},
    {NULL, NULL, 0, NULL},
};

PyTypeObject File_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "polympi.native.core.File",
    .tp_basicsize = sizeof(File),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_doc = "A file that the ranks of a communicator have open (MPI 5.0, chapter 14).",
    .tp_dealloc = (destructor)file_dealloc,
    .tp_methods = methods,
};
