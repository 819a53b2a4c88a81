#include "transfer/bare.h"

#include "base/errors.h"
#include "memory/pool.h"
#include "memory/strided.h"
#include "transport/strided_datatype.h"

MPI_Datatype bare_types[TYPE_HALF + 1];

void bare_prepare(void) {
    for (int type = 0; type <= TYPE_HALF; type++)
        bare_types[type] = MPI_DATATYPE_NULL;
#define MPI_OF_TYPE(name, number, ctype, kind, npy, mpi, text, format) bare_types[TYPE_##name] = mpi;
    ELEMENT_TYPES(MPI_OF_TYPE)
#undef MPI_OF_TYPE
    bare_types[TYPE_LONG_LONG] = bare_types[TYPE_LONG];
    bare_types[TYPE_ULONG_LONG] = bare_types[TYPE_ULONG];
}

/* Bytes and the like, which have no dtype, count as bytes; so do structures, times, float16, for which MPI
 * has no type. Elements in another byte order would be read wrongly by a partner. */
static int choose_element(Bare *bare, PyObject *object, const Call *call) {
    const Target *target = &bare->target;
    const PyArray_Descr *dtype = (const PyArray_Descr *)target->dtype;
    bare->element = MPI_BYTE;
    if (dtype && !PyArray_ISNBO(dtype->byteorder))
        return raise_error(
            "MismatchError", call,
            "a partner would misread the elements of this %s, whose bytes are in another order: "
            "convert it with array.astype(array.dtype.newbyteorder('='))",
            Py_TYPE(object)->tp_name);
    bool bytes = !dtype && target->layout.itemsize == 1;
    if (!bytes && target->type <= TYPE_HALF && bare_types[target->type] != MPI_DATATYPE_NULL)
        bare->element = bare_types[target->type];
    return 0;
}

/* One piece of so many elements. */
static int describe_piece(Bare *bare, void *data, enum bare_use use, bool whole, const Call *call) {
    const Layout *layout = &bare->target.layout;
    Py_ssize_t count = bare->element == MPI_BYTE ? layout->nbytes : layout->count;
    if (count > INT_MAX)
        return raise_error("MismatchError", call,
                           "%zd elements are more than a plain message can count, which is %d: send them in "
                           "several",
                           count, INT_MAX);
    bare->data = data;
    bare->count = (int)count;
    bare->type = bare->element;
    if (use == TO_RECEIVE && !whole)
        bare_as_received(bare);
    return 0;
}

/* Strided memory: by a datatype where that is faster, else by way of a copy. */
static int describe_strided(Bare *bare, enum bare_use use, bool whole, const Call *call) {
    const Layout *layout = &bare->target.layout;
    if (!whole && bare->element != MPI_BYTE && strided_by_datatype(layout)) {
        bool locked = enter_mpi();
        int code = strided_datatype_of(layout, bare->element, &bare->type);
        leave_mpi(locked);
        if (code == MPI_SUCCESS) {
            bare->data = layout->data;
            bare->count = 1;
            bare->derived = true;
            return 0;
        }
    }
    bare->packed = pool_allocate(layout->nbytes);
    if (!bare->packed)
        return -1;
    if (use == TO_SEND || whole) /* what a collective does not write stays as it is */
        strided_pack(layout, bare->packed);
    return describe_piece(bare, bare->packed, use, whole, call);
}

int bare_open_slowly(Bare *bare, PyObject *object, enum bare_use use, bool whole, const Call *call) {
    Call how = *call;
    how.sends = use == TO_SEND;
    bare->packed = NULL;
    bare->derived = bare->open = false;
    if (target_open(&bare->target, object, &how) < 0)
        return -1;
    bare->open = true;
    const Layout *layout = &bare->target.layout;
    bare->itemsize = layout->itemsize ? layout->itemsize : 1;
    bare->elements = layout->count;
    if (choose_element(bare, object, call) == 0 &&
        (layout->contiguous || layout->nbytes == 0 ? describe_piece(bare, layout->data, use, whole, call)
                                                   : describe_strided(bare, use, whole, call)) == 0)
        return 0;
    bare_close(bare);
    return -1;
}

PyObject *bare_owner(const Bare *bare, PyObject *object) {
    if (bare->open && bare->target.view.obj)
        return PyMemoryView_FromObject(object); /* so that it cannot be resized */
    return Py_NewRef(bare->open && bare->target.array ? bare->target.array : object);
}

void bare_unpack(const Bare *bare, Py_ssize_t nbytes) {
    if (unlikely(bare->packed != NULL))
        strided_unpack(&bare->target.layout, bare->packed, nbytes - nbytes % bare->itemsize);
}

void bare_close_slowly(Bare *bare) {
    if (bare->packed)
        pool_free(bare->packed);
    if (bare->derived) {
        bool locked = enter_mpi();
        MPI_Type_free(&bare->type);
        leave_mpi(locked);
    }
    if (bare->open)
        target_close(&bare->target);
    bare->packed = NULL;
    bare->derived = bare->open = false;
}

/* The memory from the first byte to behind the last. */
static void extent(const Bare *bare, const char **first, const char **end) {
    const Layout *layout = &bare->target.layout;
    *first = bare->open ? layout->data : bare->data;
    *end = *first + (bare->open ? layout->itemsize : bare->elements * bare->itemsize);
    for (int axis = 0; bare->open && axis < layout->ndim; axis++) {
        Py_ssize_t way = (layout->shape[axis] - 1) * layout->strides[axis];
        *(way < 0 ? first : end) += way;
    }
}

int bare_part(Bare *sent, const Bare *into) {
    const char *first, *end, *other_first, *other_end;
    if (sent->packed || into->packed || !sent->elements || !into->elements)
        return 0;
    extent(sent, &first, &end);
    extent(into, &other_first, &other_end);
    if (first >= other_end || other_first >= end)
        return 0;
    Py_ssize_t nbytes = sent->elements * sent->itemsize;
    sent->packed = pool_allocate(nbytes);
    if (!sent->packed)
        return -1;
    if (sent->derived) {
        strided_pack(&sent->target.layout, sent->packed);
        bool locked = enter_mpi();
        MPI_Type_free(&sent->type);
        leave_mpi(locked);
        sent->derived = false;
        sent->type = sent->element;
        sent->count = (int)sent->elements;
    } else
        memcpy(sent->packed, sent->data, (size_t)nbytes);
    sent->data = sent->packed;
    return 0;
}

int bare_status(const MPI_Status *from, Py_ssize_t itemsize, Status *status, const Call *call) {
    MPI_Count nbytes = 0;
    bool locked = enter_mpi();
    int code = MPI_Get_elements_x(from, MPI_BYTE, &nbytes);
    leave_mpi(locked);
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
        "%zd bytes came from rank %d with tag %d, which are no whole number of elements of %zd "
        "bytes: receive with the type that the sender has",
        status->nbytes, status->source, status->tag, itemsize);
}

int bare_raise(int code, const Bare *into, const Call *call) {
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
