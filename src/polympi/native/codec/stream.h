/* Writing a stream and reading it: what the files of the codec share. codec.h says what a stream is. */
#pragma once

#include "codec/codec.h"

#include <string.h>

/* ---- writing ---- */

/* What became of a value: it is in the stream; an exception is set; or it has no form here, so
 * that the whole top value has to be pickled. */
enum outcome { ENCODED = 0, TO_PICKLE = 1 }; /* or FAILED */

enum { MOST_DEPTH = 32, MOST_SEEN = 32 };

/* A value being encoded. Visiting it runs no Python code of the user, except __dlpack__ and what pickles the
 * metadata of a dtype. */
typedef struct {
    Stream *stream;
    int depth;
    int mutables;           /* mutable objects met so far */
    int seen_count;         /* those which may be met again */
    int held;               /* references to the next value that the encoder itself has */
    int hashed;             /* sets and keys around the next value: the receiver will hash it */
    PyTypeObject *class;    /* of the instance before; not to be looked into */
    unsigned class_version; /* its version then */
    bool gives_memory;      /* an object said no to DLPack, but might still be sent as its memory */
    PyObject *seen[MOST_SEEN];
} Encoder;

static inline void encoder_start(Encoder *encoder, Stream *stream) {
    encoder->stream = stream;
    encoder->depth = encoder->mutables = encoder->seen_count = encoder->held = encoder->hashed = 0;
    encoder->class = NULL;
    encoder->gives_memory = false;
}

/* Make room for n more bytes at least: 0, or -1 with MemoryError. */
int stream_grow(Stream *stream, Py_ssize_t n);

/* Where the next n bytes go; NULL with MemoryError. */
static inline char *stream_reserve(Stream *stream, Py_ssize_t n) {
    if (unlikely(stream->capacity - stream->used < n) && stream_grow(stream, n) < 0)
        return NULL;
    char *at = stream->bytes + stream->used;
    stream->used += n;
    return at;
}

/* Send memory alongside the stream; takes over the reference to the owner, also on failure. 0 or -1. */
int stream_part(Stream *stream, char *data, Py_ssize_t nbytes, PyObject *owner, bool strided);

/* Go back to an earlier state of the stream. */
void stream_rewind(Stream *stream, Py_ssize_t used, int part_count);

/* Append data, as a part if they are long. */
static inline int put_bytes(Stream *stream, const char *data, Py_ssize_t nbytes, PyObject *owner) {
    if (nbytes >= PART_BYTES)
        return stream_part(stream, (char *)data, nbytes, Py_NewRef(owner), false);
    char *at = stream_reserve(stream, nbytes);
    if (unlikely(!at))
        return -1;
    if (nbytes)
        memcpy(at, data, (size_t)nbytes);
    return 0;
}

/* A length, and data as above. */
static inline int put_data(Stream *stream, enum tag tag, const char *data, Py_ssize_t nbytes,
                           PyObject *owner) {
    char *at = stream_reserve(stream, LENGTH_FORM);
    if (unlikely(!at))
        return -1;
    wire_put_length(at, tag, nbytes);
    return put_bytes(stream, data, nbytes, owner);
}

/* Whether an object that more than one owner refers to, apart from `held` references of the encoder, was met
 * before in this value: pickle would send it once, so that it is one object at the receiver, too. Also true
 * where there are too many to tell. */
static inline bool met_before(Encoder *encoder, PyObject *object, int held) {
    if (likely(Py_REFCNT(object) <= 1 + held))
        return false;
    for (int i = 0; i < encoder->seen_count; i++)
        if (encoder->seen[i] == object)
            return true;
    if (encoder->seen_count == MOST_SEEN)
        return true;
    encoder->seen[encoder->seen_count++] = object;
    return false;
}

static inline bool mutable_met_before(Encoder *encoder, PyObject *object) {
    encoder->mutables++;
    return met_before(encoder, object, encoder->held);
}

/* Whether pickle might look for this attribute on the instance itself, or the key isn't even a name. */
static inline bool is_special(PyObject *key) {
    return !PyUnicode_CheckExact(key) ||
           (PyUnicode_GET_LENGTH(key) >= 2 && PyUnicode_READ_CHAR(key, 0) == '_' &&
            PyUnicode_READ_CHAR(key, 1) == '_');
}

/* Each returns an enum outcome. */
int encode_value(Encoder *encoder, PyObject *value); /* encode.c */
int encode_other(Encoder *encoder, PyObject *value); /* encode.c: but for the commonest types */
/* encode.c: the attributes or slots of an instance as a TAG_DICT; TO_PICKLE for names that pickle looks up.
 */
int encode_attributes(Encoder *encoder, PyObject *dict);
int encode_tuple(Encoder *encoder, PyObject *tuple); /* encode.c: the items, also those of a named tuple */
/* instance.c: TO_PICKLE for all but plain classes, named tuples and enumerations. */
int encode_instance(Encoder *encoder, PyObject *value);
int encode_ndarray(Encoder *encoder, PyObject *array); /* array.c */
int encode_scalar(Encoder *encoder,
                  PyObject *scalar); /* array.c: TO_PICKLE for what is no NumPy scalar, too */
int encode_buffer(Encoder *encoder, PyObject *owner, enum container container); /* buffers.c */
int encode_foreign(Encoder *encoder,
                   PyObject *value); /* foreign.c: TO_PICKLE for what isn't a foreign array, too */

/* pickle.c: 0, or -1 with an exception. */
int encode_pickle(Stream *stream, PyObject *value);

/* pickle.c: What cannot be pickled but has memory; TO_PICKLE for what has none. A DLPack object arrives
 * as an ndarray, others as a memoryview. */
int encode_memory(Stream *stream, PyObject *value);

/* pickler.c: Write a TAG_PICKLE: 0, or -1 with an exception. Sets gives_memory where it met objects that
 * could be sent as their memory if pickle refuses them; with `tried`, a dict to remember them in, they are.
 */
int pickle_apart(Stream *stream, PyObject *value, PyObject *tried, bool *gives_memory);

/* ---- reading ---- */

typedef struct {
    const char *at, *end;
    Arrived *parts;
    int part_count, next_part;
    int depth;
    const char *maker; /* of the instance before; NULL: there was none */
    Py_ssize_t maker_bytes;
} Reader;

/* Raise Error: the message is damaged. Returns NULL. */
void *raise_damaged(void);

static inline bool reader_holds(const Reader *reader, uint64_t n) {
    return n <= (uint64_t)(reader->end - reader->at);
}

/* The next n bytes; NULL with an exception when there are fewer. */
static inline const char *reader_take(Reader *reader, uint64_t n) {
    if (unlikely(!reader_holds(reader, n)))
        return raise_damaged();
    const char *at = reader->at;
    reader->at += n;
    return at;
}

/* A length; -1 with an exception. */
static inline Py_ssize_t reader_length(Reader *reader) {
    const char *at = reader_take(reader, LENGTH_FORM - TAG_FORM);
    if (unlikely(!at))
        return -1;
    uint64_t length = wire_get_length(at);
    if (unlikely(length > PY_SSIZE_T_MAX)) {
        raise_damaged();
        return -1;
    }
    return (Py_ssize_t)length;
}

/* The next part, which must have nbytes; NULL with an exception. */
Arrived *reader_part(Reader *reader, Py_ssize_t nbytes);

/* The next nbytes bytes, which are a part from PART_BYTES on. Nobody takes the part over. */
const char *reader_data(Reader *reader, Py_ssize_t nbytes);

/* A TAG_ARRAY as it is in the stream, or as a TAG_ROW would be. */
typedef struct {
    struct array_head head;
    Py_ssize_t count, nbytes;
    const char *described; /* head.described bytes */
    const char *data;      /* nbytes bytes; NULL when they are apart */
    Py_ssize_t shape[MOST_DIMENSIONS];
} ArrayForm;

/* Read all of a TAG_ARRAY or TAG_ROW, whose tag is next: 0, or -1 with an exception. The part of what is
 * apart is not taken. */
int read_array(Reader *reader, ArrayForm *form);

/* New references, or NULL with an exception. */
PyObject *decode_value(Reader *reader);    /* decode.c */
PyObject *decode_key(Reader *reader);      /* decode.c: a TAG_SHORT_STR, whose tag is read */
Py_ssize_t item_count(Reader *reader);     /* decode.c: how many items follow, or -1 with an exception */
PyObject *decode_instance(Reader *reader); /* instance.c */
PyObject *decode_ndarray(Reader *reader, const ArrayForm *form); /* array.c */
PyObject *decode_scalar(Reader *reader);                        /* array.c; the tag is read; likewise below */
PyObject *decode_buffer(Reader *reader, const ArrayForm *form); /* buffers.c */
PyObject *view_of_none(const ArrayForm *form); /* buffers.c: a memoryview of its format without elements */
PyObject *decode_foreign(Reader *reader);      /* foreign.c */
PyObject *decode_pickle(Reader *reader);       /* pickle.c */

/* ---- types of elements ---- */

/* The type number of a format character of the struct module in native size, TYPE_DESCRIBED for others; the
 * size in *itemsize when that is not NULL. */
int format_type(char character, Py_ssize_t *itemsize);

/* A format that is a single character, in native size and byte order, as that character; 0 for others. */
char native_format(const char *format, Py_ssize_t itemsize);

/* dtypes.c: The pickle of a dtype, or of (dtype, class) for arrays of another class, as bytes; NULL, mostly
 * without an exception, when an array of that dtype has to be pickled as a whole: its elements aren't plain
 * memory. */
PyObject *dtype_description(PyObject *dtype, PyTypeObject *class);

/* The dtype of such a pickle and, where `class` is not NULL, the class, new references; an array may be given
 * that dtype. Without `class` the dtype is only to be looked at. NULL with an exception. */
PyObject *described_dtype(const char *description, Py_ssize_t length, PyTypeObject **class);

/* Whether a dtype has metadata; not those of the fields within. */
bool has_metadata(PyObject *dtype);

/* pickle.c: pickle.dumps(value, 5) and pickle.loads, without anything apart. New references or NULL. */
PyObject *pickled(PyObject *value);
PyObject *unpickled(const char *pickle, Py_ssize_t length);
/* pickle.loads of a pickle that asks for one buffer, which is `state`; takes over `state`, which may be
 * NULL. */
PyObject *unpickled_with(const char *pickle, Py_ssize_t length, PyObject *state);

/* ---- attributes ---- */

/* An interned string, made once: a new name per call would take a slot of the interpreter's method cache each
 * time. NULL with an exception. */
#define NAME(text)                                                                                           \
    ({                                                                                                       \
        static PyObject *name_of_text;                                                                       \
        name_of_text ? name_of_text : (name_of_text = PyUnicode_InternFromString(text));                     \
    })

/* A new reference or NULL with an exception; a NULL among the arguments is an exception set before. */
static inline PyObject *get_attribute(PyObject *object, PyObject *name) {
    return object && name ? PyObject_GetAttr(object, name) : NULL;
}
static inline PyObject *call_method(PyObject *object, PyObject *name) {
    return object && name ? PyObject_CallMethodNoArgs(object, name) : NULL;
}
static inline PyObject *call_method_with(PyObject *object, PyObject *name, PyObject *argument) {
    return object && name && argument ? PyObject_CallMethodOneArg(object, name, argument) : NULL;
}

/* foreign.c: the ndarray over the memory of a DLPack object on the CPU; NULL with an exception. */
PyObject *foreign_array(PyObject *object);
/* Whether an object is an array of another library: it has DLPack or __cuda_array_interface__. */
bool is_foreign(PyObject *object);
/* Memory of such an array as an ndarray: 0, or 1 if that is host memory instead of memory on a device, with a
 * copy of its elements where the call sends; -1 with an exception. */
int foreign_memory(PyObject *object, bool sends, PyObject **array);
