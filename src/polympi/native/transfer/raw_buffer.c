#include "transfer/raw_buffer.h"

#include "base/errors.h"
#include "codec/overlap.h"
#include "memory/pool.h"
#include "memory/strided.h"
#include "transport/strided_datatype.h"

MPI_Datatype raw_buffer_types[TYPE_HALF + 1];

void raw_buffer_prepare(void) {
    for (int type = 0; type <= TYPE_HALF; type++)
        raw_buffer_types[type] = MPI_DATATYPE_NULL;
#define MPI_OF_TYPE(name, number, ctype, kind, npy, mpi, text, format) raw_buffer_types[TYPE_##name] = mpi;
    ELEMENT_TYPES(MPI_OF_TYPE)
#undef MPI_OF_TYPE
    raw_buffer_types[TYPE_LONG_LONG] = raw_buffer_types[TYPE_LONG];
    raw_buffer_types[TYPE_ULONG_LONG] = raw_buffer_types[TYPE_ULONG];
}

/* Bytes and the like, which have no dtype, count as bytes; so do structures, times, float16, for which MPI
 * has no type. A partner would misread elements in another byte order. */
static int choose_element(RawBuffer *raw, PyObject *object, const Call *call) {
    const Target *target = &raw->target;
    const PyArray_Descr *dtype = (const PyArray_Descr *)target->dtype;
    raw->element = MPI_BYTE;
    if (dtype && !PyArray_ISNBO(dtype->byteorder))
        return raise_error(
            "MismatchError", call,
            "a partner would misread the elements of this %s, whose bytes are in another order: "
            "convert it with array.astype(array.dtype.newbyteorder('='))",
            Py_TYPE(object)->tp_name);
    bool bytes = !dtype && target->layout.itemsize == 1;
    if (!bytes && target->type <= TYPE_HALF && raw_buffer_types[target->type] != MPI_DATATYPE_NULL)
        raw->element = raw_buffer_types[target->type];
    return 0;
}

/* One piece of this many elements. */
static int describe_piece(RawBuffer *raw, void *data, enum raw_buffer_use use, bool whole, const Call *call) {
    const Layout *layout = &raw->target.layout;
    Py_ssize_t count = raw->element == MPI_BYTE ? layout->nbytes : layout->count;
    if (count > INT_MAX)
        return raise_error("MismatchError", call,
                           "%zd elements are more than a plain message can count, which is %d: send them in "
                           "several",
                           count, INT_MAX);
    raw->data = data;
    raw->count = (int)count;
    raw->type = raw->element;
    if (use == TO_RECEIVE && !whole)
        raw_buffer_as_received(raw);
    return 0;
}

/* Strided memory: by a datatype if that is faster, else by a copy. */
static int describe_strided(RawBuffer *raw, enum raw_buffer_use use, bool whole, const Call *call) {
    const Layout *layout = &raw->target.layout;
    if (!whole && raw->element != MPI_BYTE && strided_by_datatype(layout) &&
        strided_datatype_new(layout, raw->element, &raw->type) == MPI_SUCCESS) {
        raw->data = layout->data;
        raw->count = 1;
        raw->derived = true;
        return 0;
    }
    raw->packed = pool_allocate(layout->nbytes);
    if (!raw->packed)
        return -1;
    if (use == TO_SEND || whole) /* keep what a collective doesn't write */
        strided_pack(layout, raw->packed);
    return describe_piece(raw, raw->packed, use, whole, call);
}

/* What a collective doesn't write remains as it is on the device. */
static int keep_elements(Target *target) {
    PyObject *copy = on_device(target->object);
    int failed =
        copy ? PyArray_CopyInto((PyArrayObject *)target->array, (PyArrayObject *)PyTuple_GET_ITEM(copy, 1))
             : -1;
    Py_XDECREF(copy);
    if (failed)
        target_close(target);
    return failed;
}

int raw_buffer_open_slowly(RawBuffer *raw, PyObject *object, enum raw_buffer_use use, bool whole,
                           const Call *call) {
    Call how = *call;
    how.sends = use == TO_SEND;
    raw->packed = NULL;
    raw->derived = raw->open = raw->on_device = false;
    PyObject *memory = direct_memory(object);
    if (!memory && PyErr_Occurred())
        return -1;
    int failed = target_open(&raw->target, memory ? PyTuple_GET_ITEM(memory, 1) : object, &how);
    raw->on_device = memory;
    Py_XDECREF(memory);
    if (failed || (whole && raw->target.on_device && keep_elements(&raw->target) < 0))
        return -1;
    raw->open = true;
    const Layout *layout = &raw->target.layout;
    raw->itemsize = layout->itemsize ? layout->itemsize : 1;
    raw->elements = layout->count;
    if (choose_element(raw, object, call) == 0 &&
        (layout->contiguous || layout->nbytes == 0 ? describe_piece(raw, layout->data, use, whole, call)
                                                   : describe_strided(raw, use, whole, call)) == 0)
        return 0;
    raw_buffer_close(raw);
    return -1;
}

PyObject *raw_buffer_owner(const RawBuffer *raw, PyObject *object) {
    if (raw->open && raw->target.view.obj)
        return PyMemoryView_FromObject(object); /* so that it cannot be resized */
    return Py_NewRef(raw->open && raw->target.array ? raw->target.array : object);
}

int raw_buffer_unpack(const RawBuffer *raw, Py_ssize_t nbytes) {
    if (unlikely(raw->packed != NULL))
        strided_unpack(&raw->target.layout, raw->packed, nbytes - nbytes % raw->itemsize);
    if (likely(!raw->open || !raw->target.on_device) || PyErr_Occurred())
        return 0;
    PyObject *filled = copy_to_device(&raw->target, nbytes / raw->itemsize);
    Py_XDECREF(filled);
    return filled ? 0 : -1;
}

void raw_buffer_close_slowly(RawBuffer *raw) {
    if (raw->packed)
        pool_free(raw->packed);
    if (raw->derived)
        IN_TURN(MPI_Type_free(&raw->type));
    if (raw->open)
        target_close(&raw->target);
    raw->packed = NULL;
    raw->derived = raw->open = false;
}

/* The layout of its memory; what isn't open is a single piece, described in `piece`. */
static const Layout *memory_of(const RawBuffer *raw, Layout *piece) {
    if (raw->open)
        return &raw->target.layout;
    piece->data = raw->data;
    piece->nbytes = piece->itemsize = raw->elements * raw->itemsize;
    piece->ndim = 0;
    return piece;
}

int raw_buffer_part(RawBuffer *sent, const RawBuffer *into) {
    Layout piece, other;
    if (sent->packed || into->packed || !sent->elements || !into->elements ||
        !layouts_overlap(memory_of(sent, &piece), memory_of(into, &other)))
        return 0;
    Py_ssize_t nbytes = sent->elements * sent->itemsize;
    sent->packed = pool_allocate(nbytes);
    if (!sent->packed)
        return -1;
    if (sent->derived) {
        strided_pack(&sent->target.layout, sent->packed);
        IN_TURN(MPI_Type_free(&sent->type));
        sent->derived = false;
        sent->type = sent->element;
        sent->count = (int)sent->elements;
    } else if (sent->open && sent->on_device) {
        if (direct_read(sent->target.object, sent->packed, nbytes) < 0)
            return -1;
    } else
        memcpy(sent->packed, sent->data, (size_t)nbytes);
    sent->data = sent->packed;
    return 0;
}

int raw_buffer_status(const MPI_Status *from, Py_ssize_t itemsize, Status *status, const Call *call) {
    MPI_Count nbytes = 0;
    int code = IN_TURN(MPI_Get_elements_x(from, MPI_BYTE, &nbytes));
    if (code != MPI_SUCCESS)
        return raise_mpi(code, call);
    *status = (Status){.source = from->MPI_SOURCE == MPI_PROC_NULL ? PROC_NULL : from->MPI_SOURCE,
                       .tag = from->MPI_TAG,
                       .elements = (Py_ssize_t)nbytes / itemsize,
                       .nbytes = (Py_ssize_t)nbytes};
    if (likely(nbytes % itemsize == 0))
        return 0;
    return raise_error(
        "MismatchError", call,
        "%zd bytes came from rank %d with tag %d, which are not a whole number of elements of %zd "
        "bytes: receive with the type that the sender has",
        status->nbytes, status->source, status->tag, itemsize);
}

int raw_buffer_raise(int code, const RawBuffer *into, const Call *call) {
    int class = MPI_ERR_OTHER;
    MPI_Error_class(code, &class);
    if (class != MPI_ERR_TRUNCATE || !into)
        return raise_mpi(code, call);
    PyObject *sentence = PyUnicode_FromFormat(
        "the message is longer than the %zd elements of %zd bytes that it was received into, and is lost: "
        "ask probe() for its size before",
        into->elements, into->itemsize);
    return raise_coded("TruncationError", call, sentence, class);
}
