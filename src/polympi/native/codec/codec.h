/* Any Python object as a stream of bytes, together with the memory of large arrays, and back.
 *
 * A stream is self-describing; its first byte says what follows (wire.h). Scalars, strings, small containers
 * and arrays have their own form, everything else is pickled (protocol 5, out of band).
 */
#pragma once

#include "codec/element_types.h"
#include "codec/wire.h"
#include "memory/layout.h"

/* Memory of the sender that travels alongside the stream. */
typedef struct {
    char *data;
    Py_ssize_t nbytes;
    PyObject *owner; /* strong reference, keeps `data` valid; NULL if the message does */
    bool strided;    /* owner is an ndarray neither in C nor in Fortran order, to be sent in C order */
    bool on_device;  /* only the MPI library can read `data`; owner is what direct_memory gave */
} Part;

/* An encoded value. `bytes` may begin in memory of the caller (on the stack, a packet) and moves to the heap
 * when it outgrows that. */
typedef struct {
    char *bytes;
    Py_ssize_t used, capacity;
    bool heap;
    bool direct; /* the parts are only given to the MPI library, so they may be on a device */
    Part *parts; /* on the heap once there is one */
    int part_count, part_capacity;
} Stream;

static inline void stream_open(Stream *stream, char *memory, Py_ssize_t capacity) {
    *stream = (Stream){.bytes = memory, .capacity = capacity};
}
/* Free the heap and drop the owners. */
void stream_close(Stream *stream);
/* The bytes of the body of an announcement of the stream: sizes of its parts, then itself. */
static inline Py_ssize_t stream_body_bytes(const Stream *stream) {
    return sizes_of_parts((uint64_t)stream->part_count) + stream->used;
}
/* Write that body; the stream may overlap it. */
void stream_put_body(const Stream *stream, char *body);

/* Append any object to a stream. An exception of pickle has a note that names the object that couldn't be
 * sent. Objects that the value holds twice are one object at the receiver, as with pickle. GIL held. */
int codec_encode(Stream *stream, PyObject *value);

/* Memory of the receiver for a part: from pool_allocate, filled. */
typedef struct {
    char *data;
    Py_ssize_t nbytes;
    bool taken; /* an object made by codec_decode owns it now */
} Arrived;

/* Whether a message may also be a bare pickle: a program of mpi4py may have pickled by itself. */
extern bool plain_pickles;
/* The object of a stream, a new reference; parts that it owns are marked as taken. */
PyObject *codec_decode(const char *bytes, Py_ssize_t nbytes, Arrived *parts, int part_count);

/* ---- arrays ---- */

/* The elements of an array-like message, and of the memory that receives them. */
typedef struct {
    int type; /* TYPE_...; that of long for long long */
    Py_ssize_t itemsize;
    PyObject *dtype; /* of TYPE_DESCRIBED, strong; NULL for memoryviews of formats that NumPy does not know */
    bool bytes_like; /* bytes, bytearray, memoryview of bytes: fit elements of any type of one byte */
    bool fortran;
    bool apart; /* the data are part 0; otherwise at `data` */
    const char *data;
    Py_ssize_t count, nbytes;
    int ndim;
    Py_ssize_t shape[MOST_DIMENSIONS];
} Elements;

/* Read the head of a message that is one array or bytes-like object: 1; 0 when it is anything else; -1 with
 * an exception. The caller drops elements->dtype. */
int array_elements(const char *bytes, Py_ssize_t nbytes, Elements *elements);

/* Memory the user owns: an ndarray, anything with a writable buffer, or an array of another library. */
typedef struct {
    Layout layout;
    int type;         /* as of Elements */
    PyObject *dtype;  /* borrowed from the array; NULL without NumPy's array */
    PyObject *object; /* what the user gave; strong */
    Py_buffer view;   /* held when view.obj is set */
    PyObject *array;  /* the ndarray over a DLPack object; strong or NULL */
    bool on_device;   /* the array is host memory, from where elements go to the object in the end */
    char *direct;     /* then, where only the MPI library can write instead; or NULL */
} Target;

/* Open what was given as `into`, or, where the call sends, memory to be read: 0, or -1 with MismatchError
 * (not writable, no memory, object dtype). */
int target_open(Target *target, PyObject *object, const Call *call);
void target_close(Target *target);
/* The type of its elements, as NumPy calls it; a new reference. */
PyObject *target_type(const Target *target);
/* Move an open target to another struct. */
void target_move(Target *to, const Target *from);

/* The elements of `target->array` to a device; for target_result. */
PyObject *copy_to_device(const Target *target, Py_ssize_t count);

/* The object that was received into, once its first `count` elements are there: a new reference. NULL with an
 * exception if they can't be copied to its device. */
static inline PyObject *target_result(const Target *target, Py_ssize_t count) {
    return likely(!target->on_device) ? Py_NewRef(target->object) : copy_to_device(target, count);
}

/* Whether these elements may be received into the target: 0; -1 with MismatchError (other types or shapes) or
 * TruncationError (too many). Fewer elements fill the first ones of a one-dimensional target. */
int target_accepts(const Target *target, const Elements *elements, const Call *call);

/* Whether these elements and those of the target are of one type and as many: 0; -1 with MismatchError. */
int target_matches(const Target *target, const Elements *elements, const Call *call);
/* The head of a message with all the memory, without data, as bytes; `fortran`: in that order. */
PyObject *target_form(const Target *target, bool fortran);

/* Put contiguous data of the elements, in the order they were sent in, into the target. Needs no GIL. */
void target_fill(const Target *target, const Elements *elements, const char *data);

/* The layout of the target in the order in which the elements arrive, so that they can be received into it
 * directly, if necessary by a datatype. False if there is none, for elements in Fortran order and another
 * shape, or fewer than the target has; then use target_fill. */
bool target_in_order(const Target *target, const Elements *elements, Layout *layout);

/* Of an array on a device, its name for device_array and a copy of it, a tuple; NULL, with an exception only
 * if the copy failed, for any other object. */
PyObject *on_device(PyObject *object);
/* The memory of an array on a device as (name, ndarray), if it is in C order and the MPI library knows such
 * memory, which the CPU doesn't: a new reference; NULL, with an exception only for errors. */
PyObject *direct_memory(PyObject *object);
/* Copy what such an ndarray refers to. 0, or -1 with an exception. */
int direct_read(PyObject *array, char *to, Py_ssize_t nbytes);
/* The array on this process' device, if there is one: a new reference or NULL with an exception. */
PyObject *device_array(PyObject *name, PyObject *array);

/* The layout of an exact or derived ndarray. NumPy must be loaded. */
void array_layout(PyObject *array, Layout *layout);

/* The type of NumPy's arrays; NULL until someone loads NumPy: no object can be an array before. */
extern PyTypeObject *ndarray_type;

/* Use NumPy if it is in sys.modules, or with `import` import it: whether it can be used. False with an
 * exception only if it had to be imported, or is older than 2.0. */
bool numpy_loaded(bool import);
