/* The wire format of collectives: heads of their small messages, and what else ranks exchange. The streams
 * and announcements in these messages are those of codec/wire.h.
 *
 * All are structs that are read and written in place, at multiples of 8 bytes.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "codec/wire.h"

enum verb {
    BARRIER = 1,
    BCAST,
    GATHER,
    SCATTER,
    ALLGATHER,
    ALLTOALL,
    REDUCE,
    ALLREDUCE,
    SCAN,
    EXSCAN,
    REDUCE_SCATTER,
    SPLIT,
    DUP,
    FREE,
    SUBSET,
    FILE_ACCESS,
    PLAN,
    VERBS
};

/* How every small message begins. */
typedef struct {
    uint8_t verb;     /* what the sender calls; a different one is a mistake of the program */
    uint8_t kind;     /* of what follows */
    uint8_t type, op; /* of reductions */
    uint32_t nbytes;  /* with this head */
    int32_t root;     /* of bcast, gather, scatter, reduce; else 0 */
    int32_t failed;   /* of reductions: the lowest rank that cannot do its part; INT32_MAX */
} Head;
_Static_assert(sizeof(Head) == 16 && offsetof(Head, failed) == 12, "Head has no padding");

/* ---- answers of all ranks, which are combined bit by bit ---- */

/* Head.kind of an agreement before large data are sent. */
enum answer { ANSWER_ABLE = 1, ANSWER_MAY_BLOCK = 2 };

/* Head.kind of an agreement before a communicator is made. */
enum { ANSWER_NO, ANSWER_YES };

/* ---- subsets ---- */

/* What the members of a subset exchange before they make its communicator (subset.h). */
enum subset_step {
    SUBSET_ASKS = 1, /* to the leader: the sender has reached the call, or agrees to make it now */
    SUBSET_ANSWER,   /* of the leader: whether all do */
    SUBSET_LEFT,     /* the sender has left the call by an exception */
    SUBSET_WAITS,    /* to all: the sender has waited for long */
    SUBSET_CROSSES   /* the sender waits in another call, whose ranks follow, for the receiver */
};

enum { NAMED_RANKS = 12 }; /* the first ranks of a subset, for errors */

typedef struct {
    uint64_t key;    /* of the ranks, in their order */
    uint32_t number; /* of the call: its sender's calls with these ranks so far */
    uint8_t step;    /* enum subset_step */
    uint8_t yes;     /* of SUBSET_ASKS and SUBSET_ANSWER */
    uint8_t single;  /* the sender has one thread, so that it makes no other call meanwhile */
    uint8_t unused;
    int32_t count;         /* of the ranks */
    uint32_t other_number; /* of SUBSET_CROSSES: the call in which its sender waits */
    uint64_t other_key;    /* likewise */
    int32_t ranks[NAMED_RANKS];
} SubsetNote;
_Static_assert(sizeof(SubsetNote) == 80 && offsetof(SubsetNote, ranks) == 32, "SubsetNote has no padding");

/* ---- bcast ---- */

/* Head.kind of the root's small message, and what follows the head. */
enum bcast_kind {
    BCAST_STREAM,          /* all of it: the stream of the codec */
    BCAST_ANNOUNCED,       /* the rest of BcastHead and the body; the parts are sent separately, by the way */
    BCAST_ANNOUNCED_BODY,  /* the rest of BcastHead; the body is sent separately, then the parts */
    BCAST_ANNOUNCED_TREE,  /* as BCAST_ANNOUNCED; the parts are sent down the tree, as this message is */
    BCAST_ANNOUNCED_BOARD, /* as BCAST_ANNOUNCED; the parts are on the root's board */
    BCAST_NOTHING,         /* a text: the root could not encode its object */
};

/* The body is that of an announcement. */
typedef struct {
    Head head;
    uint64_t part_count, body_bytes;
    uint64_t page; /* of the root's board, where the parts begin; without board the way of blocking ranks */
} BcastHead;
_Static_assert(sizeof(BcastHead) == 40 && offsetof(BcastHead, page) == 32, "BcastHead has no padding");

/* ---- slots: gather, scatter, allgather, alltoall ---- */

/* Head.kind of a slot. */
enum slot_kind {
    SLOT_STREAM, /* all of it: the stream of the codec */
    SLOT_DIRECT, /* it is sent separately; the stream without its parts, if it fits */
    SLOT_BOARD,  /* its parts are on the owner's board; BoardHead and the body */
    SLOT_FAILED  /* a text: the owner could not send it */
};

/* Slots follow each other at multiples of 8 bytes; Head.type is the number of padding bytes. */
enum { SLOT_HEAD = sizeof(Head), SLOT_ALIGNMENT = 8 };

static inline Py_ssize_t slot_bytes(const char *slot) { return ((const Head *)slot)->nbytes; }
static inline const char *slot_content(const char *slot) { return slot + SLOT_HEAD; }
static inline Py_ssize_t slot_content_bytes(const char *slot) {
    const Head *head = (const Head *)slot;
    return (Py_ssize_t)head->nbytes - SLOT_HEAD - head->type;
}

/* The body is that of an announcement. */
typedef struct {
    uint64_t page; /* of the owner's board, where the parts begin, each on a new page */
    uint64_t part_count;
} BoardHead;
_Static_assert(sizeof(BoardHead) == 16, "BoardHead has no padding");

/* ---- reductions ---- */

/* Head.kind. Contributions of one kind, type and shape combine; those of several kinds become OBJECT. */
enum contribution_kind {
    FLOAT,       /* Python's numbers, as elements of TYPE_DOUBLE */
    INTEGER,     /* of TYPE_LONG */
    BOOLEAN,     /* of TYPE_LONG */
    COMPLEX,     /* of complex128 */
    SCALAR,      /* a NumPy scalar */
    ARRAY,       /* an ndarray, with its elements */
    LARGE_ARRAY, /* an ndarray without its elements, which the library's collective reduces */
    OBJECT       /* what Python reduces, in separate messages */
};

enum {
    CONTRIBUTION_BYTES =
        PACKET_BYTES / 4,   /* a call needs four; MPICH, too, sees 2048 bytes as short in MPI_Allreduce */
    CONTRIBUTION_HEAD = 32, /* with that of a letter and two doubles, a cache line */
    MOST_ELEMENT_BYTES = CONTRIBUTION_BYTES - CONTRIBUTION_HEAD,
    DIFFERENT_OPS = 255, /* in Head.op */
    DIFFERENT_ROOTS = -2 /* in Head.root */
};

/* Contribution.consent. */
enum { MAY_BLOCK = 1, IN_PLACE = 2, IN_SEGMENTS = 4 };

typedef struct {
    Head head;        /* type: TYPE_..., op: enum op */
    uint32_t shape;   /* a hash */
    uint32_t consent; /* how large arrays may be reduced; after the rounds, what all ranks consent to */
    uint64_t bound;   /* no partial result of integers is larger (a sum), or longer in bits (a product) */
    _Alignas(16) char data[MOST_ELEMENT_BYTES];
} Contribution;
_Static_assert(offsetof(Contribution, bound) == 24 && offsetof(Contribution, data) == CONTRIBUTION_HEAD &&
                   sizeof(Contribution) == CONTRIBUTION_BYTES,
               "four contributions fill a packet");

/* ---- what has been called ---- */

/* A call in the log of a rank (call_log.h): its number, and what is called: verb and root. */
static inline uint32_t what_call(enum verb verb, int root) { return (uint32_t)root << 8 | (uint32_t)verb; }
static inline int what_verb(uint32_t what) { return (int)(what & 0xff); }
static inline int what_root(uint32_t what) { return (int32_t)what >> 8; } /* negative: of several ranks */
static inline uint64_t log_entry(uint32_t number, uint32_t what) { return (uint64_t)number << 32 | what; }
static inline uint32_t entry_number(uint64_t entry) { return (uint32_t)(entry >> 32); }
static inline uint32_t entry_what(uint64_t entry) { return (uint32_t)entry; }

/* What a rank has called, as a message to others, where not all share memory. */
typedef struct {
    uint64_t entry; /* as in a log */
    int32_t rank;
    int32_t left; /* whether it has left that call by an exception, and all calls before are over */
} Notice;
_Static_assert(sizeof(Notice) == 16, "Notice has no padding");

/* ---- a new communicator of several machines ---- */

/* What each rank sends to the others. */
typedef struct {
    uint64_t number; /* of the communicator: that of rank 0 counts */
    int64_t machine; /* a number that no other machine has */
} Introduction;
_Static_assert(sizeof(Introduction) == 16, "Introduction has no padding");
