/* The wire: what the bytes of a message between two ranks mean. No other file knows how far they are apart.
 *
 * Numbers are as the machine has them, in no alignment, so that all are copied. The caller has seen to it
 * that there is room for what is written, and as many bytes as are read.
 */
#pragma once

#include <stddef.h>
#include <string.h>

#include "base/state.h"

/* Ranks of other versions are refused at the start. Raise it with any change of what ranks exchange: these
 * bytes and those of collectives (collective_wire.h), shared memory (shared_memory.c, mailbox.c, board.c),
 * MPI calls in which they meet, trees and rounds of collectives. */
enum { WIRE_VERSION = 9 };

/* The most bytes of a small message: the stream, or an announcement. */
#define PACKET_BYTES 8192

/* From this size on, data are sent as a part, apart from the stream. */
#define PART_BYTES 4096

/* The most that one MPI message carries: counts are int, and a round number keeps pages aligned. */
#define CHUNK_BYTES ((Py_ssize_t)1 << 30)

/* How many messages of MPI these bytes travel in. */
static inline uint64_t pieces_of(uint64_t nbytes) {
    return nbytes / CHUNK_BYTES + (nbytes % CHUNK_BYTES != 0);
}

/* ---- streams ---- */

/* First bytes, and what follows; data are a part instead from PART_BYTES on. TAG_REMOTE isn't a value: it
 * begins messages that announce what travels apart. */
enum tag {
    TAG_NONE,
    TAG_FALSE,
    TAG_TRUE,
    TAG_INT,     /* int64 */
    TAG_BIG_INT, /* uint64 length; data: two's complement, the lowest byte first */
    TAG_FLOAT,   /* double */
    TAG_COMPLEX, /* two of them */
    TAG_STR,     /* uint64 length; data: UTF-8 */
    TAG_BYTES,   /* uint64 length; data */
    TAG_TUPLE,   /* uint64 length; items; so list, set, frozenset; dict: keys and values in turn */
    TAG_LIST,
    TAG_DICT,
    TAG_SET,
    TAG_FROZENSET,
    TAG_ARRAY,        /* struct array_head: ndarray, bytearray, memoryview, array.array */
    TAG_NUMPY_SCALAR, /* uint8 type; the bytes of the value */
    TAG_PICKLE,       /* uint64 entries; uint64 length; the entries; data: the pickle */
    TAG_FOREIGN,      /* uint64 length; the name of a module; a TAG_ARRAY: an array by DLPack */
    TAG_SHORT_STR,    /* uint8 length; ASCII */
    TAG_BUFFER,       /* uint64 length; data: memory that a pickle refers to, among its entries alone */
    TAG_ROW,          /* struct row_head; the data: a small ndarray of one axis, the commonest */
    TAG_INTS,         /* uint64 length; int64 each: a list of nothing but such ints */
    TAG_FLOATS,       /* uint64 length; doubles: a list of nothing but floats */
    TAG_INSTANCE,     /* uint64 bytes of the maker, 0: that of the instance before; the maker: a pickle; a
                         TAG_DICT of attributes; or TAG_TUPLE of two: that or None, and a TAG_DICT of slots; or
                         TAG_TUPLE of the items of a named tuple, or of the value of a member */
    TAG_REMOTE = 255
};

/* The bytes of a tag alone, and with the numbers after it. */
enum {
    TAG_FORM = 1,
    NUMBER_FORM = TAG_FORM + 8,
    COMPLEX_FORM = TAG_FORM + 16,
    LENGTH_FORM = TAG_FORM + 8,
    SHORT_FORM = TAG_FORM + 1,
    SCALAR_FORM = TAG_FORM + 1,
    PICKLE_FORM = LENGTH_FORM + 8
};

/* Of an item of a TAG_INTS or TAG_FLOATS. */
enum { PLAIN_NUMBER = 8 };

enum { MOST_SHORT = UINT8_MAX }; /* characters of a TAG_SHORT_STR */

static inline void wire_put_tag(char *at, enum tag tag) { *at = (char)tag; }
static inline int wire_get_tag(const char *at) { return (unsigned char)*at; }

static inline void wire_put_int(char *at, int64_t number) {
    wire_put_tag(at, TAG_INT);
    memcpy(at + TAG_FORM, &number, sizeof number);
}
static inline void wire_put_float(char *at, double number) {
    wire_put_tag(at, TAG_FLOAT);
    memcpy(at + TAG_FORM, &number, sizeof number);
}
static inline void wire_put_complex(char *at, double real, double imaginary) {
    wire_put_tag(at, TAG_COMPLEX);
    memcpy(at + TAG_FORM, &real, sizeof real);
    memcpy(at + TAG_FORM + sizeof real, &imaginary, sizeof imaginary);
}

static inline void wire_put_plain_int(char *at, int64_t number) { memcpy(at, &number, sizeof number); }
static inline void wire_put_plain_float(char *at, double number) { memcpy(at, &number, sizeof number); }

/* The caller writes what follows. */
static inline void wire_put_length(char *at, enum tag tag, Py_ssize_t length) {
    uint64_t number = (uint64_t)length;
    wire_put_tag(at, tag);
    memcpy(at + TAG_FORM, &number, sizeof number);
}
static inline void wire_put_short(char *at, Py_ssize_t length) {
    wire_put_tag(at, TAG_SHORT_STR);
    at[TAG_FORM] = (char)length;
}
static inline void wire_put_scalar(char *at, int type) {
    wire_put_tag(at, TAG_NUMPY_SCALAR);
    at[TAG_FORM] = (char)type;
}
static inline void wire_put_pickle(char *at, Py_ssize_t entries, Py_ssize_t length) {
    uint64_t number = (uint64_t)length;
    wire_put_length(at, TAG_PICKLE, entries);
    memcpy(at + LENGTH_FORM, &number, sizeof number);
}

/* Numbers, which follow their tag. */
static inline int64_t wire_get_int(const char *at) {
    int64_t number;
    memcpy(&number, at, sizeof number);
    return number;
}
static inline double wire_get_float(const char *at) {
    double number;
    memcpy(&number, at, sizeof number);
    return number;
}
static inline void wire_get_complex(const char *at, double parts[2]) { memcpy(parts, at, 2 * sizeof *parts); }
static inline uint64_t wire_get_length(const char *at) {
    uint64_t length;
    memcpy(&length, at, sizeof length);
    return length;
}
static inline uint8_t wire_get_short(const char *at) { return (uint8_t)*at; }
static inline uint8_t wire_get_type(const char *at) { return (uint8_t)*at; }

/* Whether a stream is one bytes object whose data are the only part, which has nbytes. */
static inline bool wire_is_bytes(const char *stream, Py_ssize_t stream_bytes, uint64_t parts,
                                 uint64_t nbytes) {
    return stream_bytes == LENGTH_FORM && parts == 1 && wire_get_tag(stream) == TAG_BYTES &&
           wire_get_length(stream + TAG_FORM) == nbytes;
}

/* ---- arrays ---- */

/* What the receiver makes of a TAG_ARRAY. */
enum container { CONTAINER_NDARRAY, CONTAINER_BYTEARRAY, CONTAINER_MEMORYVIEW, CONTAINER_ARRAY };

/* How a TAG_ARRAY begins; int64 shape[ndim], then `described` bytes, then the data follow. */
struct array_head {
    uint8_t tag;  /* TAG_ARRAY */
    uint8_t type; /* TYPE_... */
    uint8_t ndim;
    uint8_t container; /* enum container */
    uint8_t fortran;   /* the data are in Fortran order, and so will the array be */
    uint8_t apart;     /* the data are the next part instead of following here */
    uint8_t format;    /* CONTAINER_ARRAY and _MEMORYVIEW: the struct format character; 0: it is described */
    uint8_t unused;
    uint32_t itemsize;
    uint32_t described; /* bytes of the pickle of TYPE_DESCRIBED, or of the format of a memoryview */
};
_Static_assert(sizeof(struct array_head) == 16, "array_head has no padding");

/* Of the shape; an int, as axes are, which spares loops over them a conversion. */
enum { AXIS_BYTES = sizeof(int64_t) };

/* The bytes of the shape, and of the head with it. */
#define SHAPE_BYTES(ndim) ((Py_ssize_t)AXIS_BYTES * (ndim))
#define ARRAY_FORM(ndim) ((Py_ssize_t)sizeof(struct array_head) + SHAPE_BYTES(ndim))

_Static_assert(sizeof(Py_ssize_t) == sizeof(int64_t), "a shape travels as it is");

/* Head and shape; where what follows them goes. */
static inline char *wire_put_array(char *at, const struct array_head *head, const Py_ssize_t *shape) {
    memcpy(at, head, sizeof *head);
    at += sizeof *head;
    for (int axis = 0; axis < head->ndim; axis++)
        memcpy(at + AXIS_BYTES * axis, &shape[axis], sizeof *shape);
    return at + AXIS_BYTES * head->ndim;
}

/* How a TAG_ROW begins: an ndarray of one axis, of a native type, in C order, whose data are shorter than
 * PART_BYTES and follow. One number for both sides, to write and to compare. */
struct row_head {
    uint8_t tag;  /* TAG_ROW */
    uint8_t type; /* TYPE_..., not TYPE_DESCRIBED */
    uint16_t itemsize;
    uint32_t count;
};
enum { ROW_FORM = sizeof(struct row_head) };
_Static_assert(ROW_FORM == sizeof(uint64_t), "row_head is one number");

static inline uint64_t wire_row(int type, Py_ssize_t itemsize, Py_ssize_t count) {
#if PY_LITTLE_ENDIAN
    return TAG_ROW | (uint64_t)type << 8 | (uint64_t)itemsize << 16 | (uint64_t)count << 32;
#else
    return (uint64_t)TAG_ROW << 56 | (uint64_t)type << 48 | (uint64_t)itemsize << 32 | (uint64_t)count;
#endif
}
static inline void wire_put_row(char *at, uint64_t row) { memcpy(at, &row, sizeof row); }
static inline void wire_get_row(const char *at, struct row_head *head) { memcpy(head, at, sizeof *head); }

/* The head of an ndarray in C order of a native type, whose bytes are counted on the way; the bytes written.
 */
static inline Py_ssize_t wire_put_plain_array(char *at, int type, Py_ssize_t itemsize, int ndim,
                                              const Py_ssize_t *shape, Py_ssize_t *nbytes) {
    if (likely(ndim == 1 && (*nbytes = itemsize * shape[0]) < PART_BYTES)) {
        wire_put_row(at, wire_row(type, itemsize, shape[0]));
        return ROW_FORM;
    }
    const struct array_head head = {
        .tag = TAG_ARRAY, .type = (uint8_t)type, .ndim = (uint8_t)ndim, .itemsize = (uint32_t)itemsize};
    memcpy(at, &head, sizeof head);
    *nbytes = itemsize;
    for (int axis = 0; axis < ndim; axis++) {
        *nbytes *= shape[axis];
        memcpy(at + sizeof head + AXIS_BYTES * axis, &shape[axis], sizeof *shape);
    }
    at[offsetof(struct array_head, apart)] = *nbytes >= PART_BYTES;
    return (Py_ssize_t)sizeof head + AXIS_BYTES * ndim;
}

static inline void wire_get_array(const char *at, struct array_head *head) { memcpy(head, at, sizeof *head); }
static inline void wire_get_shape(const char *at, int ndim, Py_ssize_t *shape) {
    memcpy(shape, at, (size_t)SHAPE_BYTES(ndim));
}

/* ---- bodies: uint64 bytes of each part, then the stream ---- */

static inline Py_ssize_t sizes_of_parts(uint64_t parts) { return (Py_ssize_t)(parts * sizeof(uint64_t)); }
static inline Py_ssize_t most_parts(Py_ssize_t body_bytes) {
    return body_bytes / (Py_ssize_t)sizeof(uint64_t);
}
static inline void wire_put_size(char *body, int part, Py_ssize_t nbytes) {
    uint64_t size = (uint64_t)nbytes;
    memcpy(body + sizes_of_parts((uint64_t)part), &size, sizeof size);
}
static inline uint64_t wire_get_size(const char *body, uint64_t part) {
    uint64_t size;
    memcpy(&size, body + sizes_of_parts(part), sizeof size);
    return size;
}

/* ---- announcements ---- */

/* The head of an announcement. The body follows, or is sent apart, before the parts; all with the tag of the
 * sequence number. */
struct announcement {
    uint8_t tag; /* TAG_REMOTE */
    uint8_t body_apart;
    uint16_t more_pieces; /* how many pieces the parts have beyond one each, so that a receiver knows without
                             the body */
    uint32_t sequence;
    uint64_t body_bytes;
    uint64_t part_count;
};
_Static_assert(sizeof(struct announcement) == 24, "announcement has no padding");

enum { ANNOUNCEMENT_FORM = sizeof(struct announcement) };

/* Where the stream of an announcement is, whose body is not apart. */
static inline Py_ssize_t announced_stream(uint64_t parts) {
    return ANNOUNCEMENT_FORM + sizes_of_parts(parts);
}

static inline struct announcement announcement_of(uint32_t sequence, int parts, Py_ssize_t stream_bytes) {
    return (struct announcement){.tag = TAG_REMOTE,
                                 .sequence = sequence,
                                 .body_bytes = (uint64_t)(sizes_of_parts((uint64_t)parts) + stream_bytes),
                                 .part_count = (uint64_t)parts};
}
static inline void wire_put_announcement(char *message, const struct announcement *announced) {
    memcpy(message, announced, sizeof *announced);
}

/* Announce one part, before the stream that the message holds already; the bytes of it. */
static inline Py_ssize_t wire_announce_one(char *message, uint32_t sequence, Py_ssize_t nbytes,
                                           Py_ssize_t stream_bytes) {
    const struct announcement announced = announcement_of(sequence, 1, stream_bytes);
    wire_put_announcement(message, &announced);
    wire_put_size(message + ANNOUNCEMENT_FORM, 0, nbytes);
    return announced_stream(1) + stream_bytes;
}

/* Whether a small message, which must be long enough, announces just one part of nbytes, with this stream. */
static inline bool wire_announces_one(const char *message, struct announcement *announced, Py_ssize_t nbytes,
                                      const char *stream, Py_ssize_t stream_bytes) {
    memcpy(announced, message, sizeof *announced);
    return announced->tag == TAG_REMOTE && !announced->body_apart && announced->part_count == 1 &&
           announced->body_bytes == (uint64_t)(sizes_of_parts(1) + stream_bytes) &&
           wire_get_size(message + ANNOUNCEMENT_FORM, 0) == (uint64_t)nbytes &&
           memcmp(message + announced_stream(1), stream, (size_t)stream_bytes) == 0;
}

/* ---- channels of plans ---- */

/* What the two ranks of a channel exchange before its data. */
enum offer_step {
    OFFER_MADE = 1,  /* the sender; how the array begins follows, as a TAG_ARRAY whose data are apart */
    OFFER_WITHDRAWN, /* the sender has given up what it offered */
    OFFER_ACCEPTED,  /* the receiver; the data may travel as they were offered */
    OFFER_ACCEPTED_IN_C_ORDER, /* likewise, but not in Fortran order */
    OFFER_REFUSED              /* the receiver; a sentence in UTF-8 follows, which says why */
};

struct offer {
    uint8_t step;
    uint8_t unused[3];
    uint32_t channel; /* the tag of the data, which the sender has chosen */
    uint32_t tag;     /* that the user gave */
    uint32_t nbytes;  /* that follow */
};
_Static_assert(sizeof(struct offer) == 16, "offer has no padding");

enum { OFFER_FORM = sizeof(struct offer) };

static inline void wire_put_offer(char *message, enum offer_step step, int channel, int tag,
                                  Py_ssize_t nbytes) {
    const struct offer offer = {.step = (uint8_t)step,
                                .channel = (uint32_t)channel,
                                .tag = (uint32_t)tag,
                                .nbytes = (uint32_t)nbytes};
    memcpy(message, &offer, sizeof offer);
}
/* What a message of nbytes says of a channel; false where it is damaged. */
static inline bool wire_get_offer(const char *message, Py_ssize_t nbytes, struct offer *offer) {
    if (nbytes < OFFER_FORM)
        return false;
    memcpy(offer, message, sizeof *offer);
    return offer->step >= OFFER_MADE && offer->step <= OFFER_REFUSED &&
           nbytes - OFFER_FORM == offer->nbytes && offer->channel <= INT32_MAX && offer->tag <= INT32_MAX;
}

/* What a small message of nbytes announces; false if it is damaged. All that it claims is checked against its
 * bytes. */
bool wire_get_announcement(const char *message, Py_ssize_t nbytes, struct announcement *announced);
/* Whether a body holds possible sizes of its parts and a stream; *pieces becomes the number of pieces that
 * follow it. */
bool wire_check_body(const struct announcement *announced, const char *body, uint64_t *pieces);
