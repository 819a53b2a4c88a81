/* What a rank's file holds. Every number has the byte order of the machine; polympi.lab.audit.layout reads
   the same.

   The file is mapped into memory and written in place, so whatever ends the process, what was written stays.
   It begins with the header and four tables; each thread that calls MPI appends a segment of its own, so
   threads share no counter. Times are ticks of one clock of the host; the header has two moments in ticks and
   in nanoseconds of CLOCK_MONOTONIC. */
#ifndef POLYMPI_AUDIT_LAYOUT_H
#define POLYMPI_AUDIT_LAYOUT_H

#include <stdint.h>

#define LAYOUT_MAGIC "POLYMPI AUDIT\0\0"
enum {
    LAYOUT_VERSION = 1,
    MAX_THREADS = 64,
    MAX_SITES = 8192,         /* the last one stands for all that have no room */
    MAX_COMMUNICATORS = 4096, /* likewise */
    STRING_BYTES = 1 << 20,
    MAX_ENTRIES = 4096, /* of a thread's profile; a power of two, as its place follows from a hash */
    MAX_PENDING = 1024, /* nonblocking operations that have not completed */
    SIZE_CLASSES = 40,  /* class k counts messages of 2^(k-1) to 2^k - 1 bytes, class 0 those of none */
};

/* EXITED: without MPI_Finalize, or in it; ABORTED: by MPI_Abort; FAILED: MPI_Finalize returned an error */
enum state { RUNNING, FINALIZED, EXITED, ABORTED, FAILED };

/* What a record of the timeline is; several can hold. */
enum role {
    ROLE_CALL = 1,       /* the call itself, from its begin to its end */
    ROLE_SENDS = 2,      /* it hands a message to MPI */
    ROLE_RECEIVES = 4,   /* a message has arrived; without ROLE_CALL, by a request that began at `begin` */
    ROLE_COLLECTIVE = 8, /* `number` is that of the collective on its communicator, from 0 */
};

enum {
    NO_PEER = -1000,
    ANY_SOURCE = -1001,
    NOBODY = -1002,
    NO_TAG = -1000,
    ANY_TAG = -1001,
    NO_COMMUNICATOR = 65535, /* of a call that has none, such as MPI_Wait or MPI_Type_commit */
};                           /* NOBODY: MPI_PROC_NULL */

struct table {
    uint64_t offset; /* of its first element, from the begin of the file */
    uint32_t size;   /* bytes of an element */
    uint32_t used;   /* elements that are whole */
};

struct moment {
    uint64_t ticks;
    uint64_t ns;
};

struct header {
    char magic[16];
    uint32_t version;
    int32_t pid;
    int32_t rank;  /* in MPI_COMM_WORLD; -1 before MPI is initialized */
    int32_t ranks; /* of MPI_COMM_WORLD */
    uint32_t state;
    uint32_t timeline;    /* records that each thread's ring has room for; how many it uses is in `ring` */
    uint64_t world;       /* the identity of MPI_COMM_WORLD, the same for the ranks of a job and no others */
    struct moment first;  /* when MPI was initialized */
    struct moment last;   /* renewed about once a second, and at the end */
    int64_t offset_ns[2]; /* what to add to this host's clock to get rank 0's, at the begin and at the end */
    int64_t error_ns[2];  /* by how much that can be wrong at most; -1 if it was not measured */
    uint64_t started_ns;  /* CLOCK_REALTIME at `first` */
    uint64_t cost_ticks;  /* of recording 1000 calls, measured at the start */
    char host[64];
    char program[256]; /* its command, as far as there is room: words with line feeds between them */
    char library[256];
    struct table
        strings; /* bytes; a string ends with a zero, and its number is where it begins; 0 is the empty one */
    struct table
        procedures; /* bytes: the names of all MPI procedures, each ended by a line feed, in their order */
    struct table sites;
    struct table communicators;
    struct table threads;           /* segments; size is that of one */
    uint64_t segments[MAX_THREADS]; /* the offset of each */
};

struct site {
    uint32_t file;     /* a string: the Python file, or the program or library */
    uint32_t function; /* a string: the Python function's qualified name, or the symbol before the address */
    int32_t line;      /* -1 where it is native code */
    uint32_t python;
    uint64_t address;     /* in that file; of Python code none */
    uint64_t past_symbol; /* bytes from the symbol to the address */
};

struct communicator {
    uint64_t id; /* the same for all its ranks */
    uint64_t parent;
    uint32_t name; /* a string; empty if the program gave it none */
    int32_t size;
    int32_t remote_size; /* of an intercommunicator, else 0 */
    int32_t rank;
    uint64_t collectives; /* that this rank has begun on it */
    uint32_t freed;
    int32_t first_rank; /* the lowest rank of MPI_COMM_WORLD in it */
};

/* Where a thread is. While `inside` is 1 it is in a call; otherwise the rest says which call was its last. */
struct current {
    uint32_t inside;
    uint16_t procedure;
    uint16_t communicator;
    int32_t peer; /* a rank of MPI_COMM_WORLD, or of the other job; or one of the names above */
    int32_t tag;
    uint32_t site;
    int32_t root; /* of a collective, in MPI_COMM_WORLD; else NO_PEER */
    uint64_t bytes;
    uint64_t number;     /* of the collective */
    uint64_t since;      /* when the call began, or has ended */
    uint64_t progress;   /* calls that have ended, but for tests and probes that found nothing, and for those
                            that only   ask MPI or its objects something */
    uint64_t polls;      /* tests and probes that found nothing since then */
    uint64_t first_poll; /* when the first of those began */
};

struct entry { /* of the profile */
    uint16_t procedure;
    uint16_t communicator;
    uint32_t site;
    uint64_t calls; /* 0 where the place is free */
    uint64_t ticks;
    uint64_t longest;
    uint64_t messages_sent;
    uint64_t bytes_sent;
    uint64_t messages_received;
    uint64_t bytes_received;
    uint32_t sizes[SIZE_CLASSES]; /* how many calls sent (or, if they only receive, received) a message of
                                     that class */
};

struct peer {
    uint64_t messages_sent;
    uint64_t bytes_sent;
    uint64_t messages_received;
    uint64_t bytes_received;
};

struct pending {
    uint64_t request; /* the handle; 0 where the place is free */
    uint16_t procedure;
    uint16_t communicator;
    int32_t peer;
    int32_t tag;
    uint32_t site;
    uint64_t bytes;
    uint64_t since;
};

struct event { /* of the timeline */
    uint64_t begin;
    uint64_t end;
    uint64_t bytes;
    uint64_t number;
    uint16_t procedure;
    uint16_t communicator;
    int32_t peer;
    int32_t tag;
    uint32_t site;
    uint32_t role;
    int32_t root;
};

/* A segment: this, then the entries, the pending operations, the peers (one for each rank of MPI_COMM_WORLD)
   and the ring of events, of which number n is at n modulo the segment's `ring`. */
struct segment {
    int32_t thread;           /* the operating system's number */
    uint32_t dropped_entries; /* calls that found the profile full: they count without their communicator */
    uint32_t dropped_pending;
    uint32_t ring;   /* records of its ring: as the header says, or fewer once the disk is full */
    uint64_t events; /* written so far, also those that were overwritten */
    uint64_t in_mpi; /* ticks inside MPI */
    struct current current;
};

#endif
