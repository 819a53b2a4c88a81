/* What is there when all of a message has come: its elements, counted, and put where the user wants them. */
#include "codec/delivery.h"
#include "transfer/incoming.h"

PyObject *incoming_fill_target(Incoming *in, Status *status) {
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

void incoming_measure(const Incoming *in, Status *status) {
    Elements elements = {0};
    status->nbytes = in->inbox->stream_bytes;
    for (int i = 0; i < in->inbox->part_count; i++)
        status->nbytes += in->inbox->parts[i].nbytes;
    if (in->inbox->bytes)
        status->elements = status->nbytes = PyBytes_GET_SIZE(in->inbox->bytes);
    else if (array_elements(in->inbox->stream, in->inbox->stream_bytes, &elements) == 1) {
        status->elements = elements.count;
        status->nbytes = elements.nbytes;
    }
    Py_XDECREF(elements.dtype);
    PyErr_Clear(); /* damaged: decoding says so */
}
