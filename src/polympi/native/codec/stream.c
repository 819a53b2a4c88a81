/* The memory of a stream, and reading what arrays begin with. */
#include "codec/stream.h"

#include "base/errors.h"

enum { FIRST_HEAP = 1024, FIRST_PARTS = 4 };

int stream_grow(Stream *stream, Py_ssize_t n) {
    Py_ssize_t capacity = stream->capacity > FIRST_HEAP ? stream->capacity : FIRST_HEAP;
    while (capacity - stream->used < n) {
        if (capacity > PY_SSIZE_T_MAX / 2)
            return no_memory();
        capacity *= 2;
    }
    char *bytes = PyMem_RawRealloc(stream->heap ? stream->bytes : NULL, (size_t)capacity);
    if (!bytes)
        return no_memory();
    if (!stream->heap && stream->used)
        memcpy(bytes, stream->bytes, (size_t)stream->used);
    stream->bytes = bytes;
    stream->capacity = capacity;
    stream->heap = true;
    return 0;
}

int stream_part(Stream *stream, char *data, Py_ssize_t nbytes, PyObject *owner, bool strided) {
    if (stream->part_count == stream->part_capacity) {
        int capacity = stream->part_capacity ? 2 * stream->part_capacity : FIRST_PARTS;
        Part *parts = PyMem_RawRealloc(stream->parts, (size_t)capacity * sizeof *parts);
        if (!parts) {
            Py_DECREF(owner);
            PyErr_NoMemory();
            return -1;
        }
        stream->parts = parts;
        stream->part_capacity = capacity;
    }
    stream->parts[stream->part_count++] =
        (Part){.data = data, .nbytes = nbytes, .owner = owner, .strided = strided};
    return 0;
}

void stream_rewind(Stream *stream, Py_ssize_t used, int part_count) {
    stream->used = used;
    while (stream->part_count > part_count) {
        stream->part_count--;
        Py_XDECREF(stream->parts[stream->part_count].owner);
    }
}

void stream_close(Stream *stream) {
    stream_rewind(stream, 0, 0);
    PyMem_RawFree(stream->parts);
    if (stream->heap)
        PyMem_RawFree(stream->bytes);
    *stream = (Stream){0};
}

void stream_put_body(const Stream *stream, char *body) {
    memmove(body + sizes_of_parts((uint64_t)stream->part_count), stream->bytes, (size_t)stream->used);
    for (int i = 0; i < stream->part_count; i++)
        wire_put_size(body, i, stream->parts[i].nbytes);
}

void *raise_damaged(void) {
    if (!PyErr_Occurred())
        raise_error("Error", NULL, "a damaged message came; do all ranks run the same polympi?");
    return NULL;
}

Arrived *reader_part(Reader *reader, Py_ssize_t nbytes) {
    if (reader->next_part >= reader->part_count || reader->parts[reader->next_part].nbytes != nbytes)
        return raise_damaged();
    return &reader->parts[reader->next_part++];
}

const char *reader_data(Reader *reader, Py_ssize_t nbytes) {
    if (nbytes < PART_BYTES)
        return reader_take(reader, (uint64_t)nbytes);
    Arrived *part = reader_part(reader, nbytes);
    return part ? part->data : NULL;
}

/* The number of elements and bytes; false where they are more than memory could hold. */
static bool measure(ArrayForm *form) {
    Py_ssize_t nbytes = form->head.itemsize ? form->head.itemsize : 1, count = 1;
    bool empty = false;
    for (int axis = 0; axis < form->head.ndim; axis++) {
        Py_ssize_t length = form->shape[axis];
        if (length < 0)
            return false;
        if (length == 0)
            empty = true;
        else if (__builtin_mul_overflow(nbytes, length, &nbytes))
            return false;
        else
            count *= length;
    }
    form->count = empty ? 0 : count;
    form->nbytes = form->count * form->head.itemsize;
    return true;
}

static int read_row(Reader *reader, ArrayForm *form) {
    const char *at = reader_take(reader, ROW_FORM);
    if (!at)
        return -1;
    struct row_head row;
    wire_get_row(at, &row);
    form->head = (struct array_head){.tag = TAG_ARRAY,
                                     .type = row.type,
                                     .ndim = 1,
                                     .container = CONTAINER_NDARRAY,
                                     .itemsize = row.itemsize};
    form->count = form->shape[0] = row.count;
    form->nbytes = form->count * row.itemsize;
    form->described = reader->at; /* nothing */
    if (unlikely(!is_native(row.type) || form->nbytes >= PART_BYTES)) {
        raise_damaged();
        return -1;
    }
    form->data = reader_take(reader, (uint64_t)form->nbytes);
    return form->data ? 0 : -1;
}

int read_array(Reader *reader, ArrayForm *form) {
    if (likely(reader_holds(reader, TAG_FORM) && wire_get_tag(reader->at) == TAG_ROW))
        return read_row(reader, form);
    const char *at = reader_take(reader, sizeof form->head);
    if (!at)
        return -1;
    wire_get_array(at, &form->head);
    const struct array_head *head = &form->head;
    if (head->tag != TAG_ARRAY || head->ndim > MOST_DIMENSIONS ||
        (head->itemsize == 0 && head->container != CONTAINER_NDARRAY)) {
        raise_damaged();
        return -1;
    }
    at = reader_take(reader, (uint64_t)SHAPE_BYTES(head->ndim));
    if (!at)
        return -1;
    wire_get_shape(at, head->ndim, form->shape);
    if (!measure(form)) {
        raise_damaged();
        return -1;
    }
    form->described = reader_take(reader, head->described);
    if (!form->described)
        return -1;
    form->data = NULL;
    if (!head->apart)
        form->data = reader_take(reader, (uint64_t)form->nbytes);
    return head->apart || form->data ? 0 : -1;
}

int format_type(char character, Py_ssize_t *itemsize) {
    Py_ssize_t ignored;
    if (!itemsize)
        itemsize = &ignored;
#define FORMAT(character, type, ctype)                                                                       \
    case character:                                                                                          \
        *itemsize = sizeof(ctype);                                                                           \
        return type
#define FORMAT_OF_TYPE(name, number, ctype, kind, npy, mpi, text, format)                                    \
    FORMAT(format ? format : 256 + number, TYPE_##name, ctype);
    switch ((int)character) {
        ELEMENT_TYPES(FORMAT_OF_TYPE)
        FORMAT('c', TYPE_UINT8, char);
        FORMAT('q', TYPE_LONG, long long);
        FORMAT('Q', TYPE_ULONG, long long);
        FORMAT('n', TYPE_LONG, Py_ssize_t);
        FORMAT('N', TYPE_ULONG, size_t);
        FORMAT('e', TYPE_HALF, uint16_t);
    }
#undef FORMAT_OF_TYPE
#undef FORMAT
    return TYPE_DESCRIBED;
}

char native_format(const char *format, Py_ssize_t itemsize) {
    if (!format)
        return 'B';
    if (*format == '@' || *format == '=' || (*format == '<' && PY_LITTLE_ENDIAN) ||
        (*format == '>' && PY_BIG_ENDIAN))
        format++;
    Py_ssize_t native;
    bool known = *format && !format[1] && format_type(*format, &native) != TYPE_DESCRIBED;
    return known && native == itemsize ? *format : 0;
}
