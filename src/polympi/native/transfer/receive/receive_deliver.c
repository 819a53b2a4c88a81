/* When all of a message has come: it becomes an object, or goes where the user wants it. */
#include "codec/delivery.h"
#include "transfer/receive/incoming.h"

/* The object of the target of a message that has come, filled; a new reference, or NULL. `status` may be
 * NULL. */
static PyObject *fill_target(Incoming *in, Status *status) {
    Elements elements = {0};
    int is_array = array_elements(in->inbox->stream, in->inbox->stream_bytes, &elements);
    if (is_array < 0)
        return NULL;
    int failed = is_array ? target_accepts(in->target, &elements, &in->call) : refuse_object(&in->call);
    const char *data =
        failed || in->filled ? NULL : elements_data(&elements, in->inbox->parts, in->inbox->part_count);
    if (data)
        target_fill(in->target, &elements, data);
    else if (!in->filled)
        failed = -1;
    if (status) {
        status->elements = elements.count;
        status->nbytes = elements.nbytes;
    }
    Py_XDECREF(elements.dtype);
    return failed ? NULL : Py_NewRef(in->target->object);
}

void incoming_measure(const char *stream, Py_ssize_t stream_bytes, Status *status) {
    Elements elements = {0};
    status->elements = 1;
    if (array_elements(stream, stream_bytes, &elements) == 1) {
        status->elements = elements.count;
        status->nbytes = elements.nbytes;
    }
    Py_XDECREF(elements.dtype);
    PyErr_Clear(); /* damaged: decoding says so */
}

/* The elements and bytes of what is received as an object. */
static void measure(const Incoming *in, Status *status) {
    status->nbytes = in->inbox->stream_bytes;
    for (int i = 0; i < in->inbox->part_count; i++)
        status->nbytes += in->inbox->parts[i].nbytes;
    if (in->inbox->bytes)
        status->elements = status->nbytes = PyBytes_GET_SIZE(in->inbox->bytes);
    else
        incoming_measure(in->inbox->stream, in->inbox->stream_bytes, status);
}

static PyObject *into_simple(Incoming *in, Status *status) {
    SimpleArray *simple = &in->inbox->simple;
    if (likely(simple->nbytes < PART_BYTES))
        memcpy(simple->data, in->inbox->packet + simple->head_bytes, (size_t)simple->nbytes);
    if (status) {
        status->elements = PyArray_SIZE((PyArrayObject *)in->array);
        status->nbytes = simple->nbytes;
    }
    PyObject *array = in->array;
    in->array = NULL;
    return array;
}

static PyObject *as_object(Incoming *in, Status *status) {
    if (status)
        measure(in, status);
    if (unlikely(in->inbox->bytes != NULL)) {
        PyObject *bytes = in->inbox->bytes;
        in->inbox->bytes = NULL;
        return bytes;
    }
    return codec_decode(in->inbox->stream, in->inbox->stream_bytes, in->inbox->parts, in->inbox->part_count);
}

PyObject *incoming_deliver(Incoming *in, Status *status) {
    PyObject *object;
    if (status)
        *status =
            (Status){.source = in->inbox->small.MPI_SOURCE, .tag = in->inbox->small.MPI_TAG, .elements = 1};
    if (unlikely(in->refusal != NULL)) {
        PyErr_SetObject((PyObject *)Py_TYPE(in->refusal), in->refusal);
        object = NULL;
    } else
        object = in->array    ? into_simple(in, status)
                 : in->target ? fill_target(in, status)
                              : as_object(in, status);
    incoming_close(in);
    return object;
}
