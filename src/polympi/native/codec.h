/* Any Python object as a stream of bytes, with the memory of large arrays beside it, and back.
 *
 * A stream is self-describing; its first byte says what follows. Scalars, strings, small containers and
 * arrays have a form of their own, everything else is pickled (protocol 5, out of band).
 */
#ifndef POLYMPI_CODEC_H
#define POLYMPI_CODEC_H

#include "layout.h"

/* First bytes. TAG_REMOTE is no value: it begins messages that announce what travels apart (transfer.h). */
enum tag {
    TAG_NONE,
    TAG_FALSE,
    TAG_TRUE,
    TAG_INT, /* 8 bytes, int64 */
    TAG_BIG_INT,
    TAG_FLOAT,   /* 8 bytes */
    TAG_COMPLEX, /* 16 bytes */
    TAG_STR,     /* uint64 length, UTF-8, or a part */
    TAG_BYTES,   /* uint64 length, or a part */
    TAG_TUPLE,   /* uint64 length, items; so list, set, frozenset; dict: keys and values in turn */
    TAG_LIST,
    TAG_DICT,
    TAG_SET,
    TAG_FROZENSET,
    TAG_ARRAY, /* struct array_head: ndarray, bytearray, memoryview, array.array */
    TAG_NUMPY_SCALAR,
    TAG_PICKLE,
    TAG_FOREIGN,   /* an array of another library, by DLPack */
    TAG_SHORT_STR, /* uint8 length, ASCII */
    TAG_REMOTE = 255
};

/* Type numbers of elements: NumPy's (stable since 1.0), known here so that array.array needs no NumPy.
 * TYPE_DESCRIBED: a pickled dtype follows (structured, datetime64, other byte order, ...). long long counts
 * as long. */
enum {
    TYPE_BOOL = 0,
    TYPE_INT8 = 1,
    TYPE_UINT8 = 2,
    TYPE_LONG = 7,
    TYPE_ULONG = 8,
    TYPE_FLOAT = 11,
    TYPE_DOUBLE = 12,
    TYPE_HALF = 23,
    TYPE_DESCRIBED = 255
};

/* What the receiver makes of a TAG_ARRAY. */
enum container { CONTAINER_NDARRAY, CONTAINER_BYTEARRAY, CONTAINER_MEMORYVIEW, CONTAINER_ARRAY };

/* How a TAG_ARRAY begins; int64 shape[ndim], then `described` bytes, then the data follow. */
struct array_head {
    uint8_t tag;  /* TAG_ARRAY */
    uint8_t type; /* TYPE_... */
    uint8_t ndim;
    uint8_t container; /* enum container */
    uint8_t fortran;   /* the data are in Fortran order, and so shall the array be */
    uint8_t apart;     /* the data are the next part instead of following here */
    uint8_t format;    /* CONTAINER_ARRAY and _MEMORYVIEW: the struct format character; 0: it is described */
    uint8_t unused;
    uint32_t itemsize;
    uint32_t described; /* bytes of the pickled dtype of TYPE_DESCRIBED, or of the format of a memoryview */
};
_Static_assert(sizeof(struct array_head) == 16, "array_head has no padding");

/* From this size on data travel beside the stream, from where they lie to where they shall lie. */
#define PART_BYTES 4096

/* Memory of the sender that travels beside the stream. */
typedef struct {
    char *data;
    Py_ssize_t nbytes;
    PyObject *owner; /* strong reference; keeps `data` valid; NULL where the message itself does */
    bool strided;    /* owner is an ndarray neither in C nor in Fortran order, to be sent in C order */
} Part;

/* An encoded value. `bytes` may begin in memory of the caller (on the stack, a block) and moves to the heap
 * when it outgrows that. */
typedef struct {
    char *bytes;
    Py_ssize_t used, capacity;
    bool heap;
    Part *parts; /* on the heap once there is one */
    int part_count, part_capacity;
} Stream;

static inline void stream_open(Stream *stream, char *memory, Py_ssize_t capacity) {
    *stream = (Stream){.bytes = memory, .capacity = capacity};
}
/* Free the heap and drop the owners. */
void stream_close(Stream *stream);

/* Append any object to a stream: 0, or -1 with an exception (what pickle raised, with a note which object
 * could not be sent). Objects that the value holds twice are one object at the receiver, as with pickle. GIL
 * held. */
int codec_encode(Stream *stream, PyObject *value);

/* Memory of the receiver for a part: from pool_allocate, filled. */
typedef struct {
    char *data;
    Py_ssize_t nbytes;
    bool taken; /* an object made by codec_decode owns it now */
} Arrived;

/* The object of a stream; a new reference, or NULL with an exception. Parts it has taken are marked so. */
PyObject *codec_decode(const char *bytes, Py_ssize_t nbytes, Arrived *parts, int part_count);

/* ---- arrays ---- */

/* The elements of an incoming array-like message, and of the memory it shall go into. */
typedef struct {
    int type; /* TYPE_... */
    Py_ssize_t itemsize;
    PyObject *dtype; /* of TYPE_DESCRIBED, strong; NULL for memoryviews of formats of several characters */
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

/* Memory the user owns: an ndarray, or anything with a writable buffer, or DLPack on the CPU. */
typedef struct {
    Layout layout;
    int type;
    PyObject *dtype;  /* borrowed from the array; NULL without NumPy's array */
    PyObject *object; /* what the user gave; strong */
    Py_buffer view;   /* held when view.obj is set */
    PyObject *array;  /* the ndarray over a DLPack object; strong or NULL */
} Target;

/* Open what was given as `into`: 0, or -1 with MismatchError (not writable, no memory, object dtype). */
int target_open(Target *target, PyObject *object, const Call *call);
void target_close(Target *target);
/* Move an open target to other memory. */
void target_move(Target *to, const Target *from);

/* Whether these elements may go into the target: 0; -1 with MismatchError (other element types, shapes that
 * do not fit) or TruncationError (more elements than room). Fewer elements fill the first ones of a
 * one-dimensional target. */
int target_accepts(const Target *target, const Elements *elements, const Call *call);

/* Put contiguous data of the elements, in the order they were sent in, into the target. Needs no GIL. */
void target_fill(const Target *target, const Elements *elements, const char *data);

/* The memory of the first elements->count elements of the target in the order of the elements that arrive, so
 * that they can be received where they belong: at once when layout->contiguous, or by a datatype. False where
 * there is none: for elements in Fortran order and another shape, or fewer than the target has; then
 * target_fill. */
bool target_in_order(const Target *target, const Elements *elements, Layout *layout);

/* The layout of an exact or derived ndarray. NumPy must be loaded. */
void array_layout(PyObject *array, Layout *layout);

/* The type of NumPy's arrays once NumPy is loaded by anyone, else NULL: no object can be an array before. */
extern PyTypeObject *ndarray_type;

/* Use NumPy if it is in sys.modules (or import it when `import` says so): true when it can be used. False
 * with an exception only when it had to be imported, or is older than 2.0. */
bool numpy_loaded(bool import);

#endif
