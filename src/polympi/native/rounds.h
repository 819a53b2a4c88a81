/* One collective call: rounds of small messages between the ranks.
 *
 * MPI matches no blocking collective of one rank with a nonblocking one of another (MPI 5.0, section 6.12),
 * and whether a rank may block is its own affair: it may have a time-out, other threads, receives that have
 * to be moved on. So what is small travels in messages of ours, on the shadow communicator with a tag of the
 * call. They cost what the library's own small collectives cost, since those are made of messages, too. In
 * them the ranks agree on how to call the library's collectives, which move large data.
 */
#ifndef POLYMPI_ROUNDS_H
#define POLYMPI_ROUNDS_H

#include "codec.h"
#include "communicator.h"

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
    VERBS
};
extern const char *const verb_names[VERBS];

/* How every small message begins. */
typedef struct {
    uint8_t verb;            /* what the sender calls; another one is a mistake of the program */
    uint8_t kind;            /* of what follows */
    uint8_t type, operation; /* of reductions */
    uint32_t nbytes;         /* with this head */
} Head;

/* A collective call under way. */
typedef struct {
    Communicator *comm;
    Call call;
    enum verb verb;
    int tag;
    double timeout, end; /* seconds, and the moment in `now()` until which it may wait; 0: for ever */
    char *memory;        /* for small messages */
    bool in_block;       /* `memory` is a block */
    bool lost;           /* it has failed while MPI may still use the memory */
    PyObject *error;     /* what this rank will raise, once the others have got what they need from it */
} Collective;

/* Begin, once all arguments are known to be right. `timeout` as the user gave it. 0 or -1. */
int collective_open(Collective *collective, Communicator *comm, enum verb verb, PyObject *timeout);
/* Memory for small messages, 64-byte aligned, until the end; once. NULL with MemoryError. */
char *collective_memory(Collective *collective, Py_ssize_t nbytes);
/* Open what was given as `into`: `target`, or NULL if it was not or that has failed, which is deferred. */
const Target *collective_target(Collective *collective, Target *target, PyObject *into);
/* The end. 0, or -1 with an exception if there is one: the deferred one rather than one that came later. */
int collective_close(Collective *collective);

/* Raise the exception at hand at the end only, so that this rank still does what the others wait for. The
 * first one counts. */
void collective_defer(Collective *collective);
/* What the deferred exception says, as "TypeError: cannot pickle ...", in at most `room` bytes; its length.
 */
Py_ssize_t collective_excuse(const Collective *collective, char *text, Py_ssize_t room);
/* Raise Error: another rank could not take its part. -1. */
int raise_failed(const Collective *collective, int rank, const char *text, Py_ssize_t length);

/* Seconds it may still wait, for wait_for. */
double collective_seconds(const Collective *collective);
/* Wait for requests, of which the first are receives. 0, or -1 with an exception; what is not complete then
 * is left to MPI, with the memory it uses. */
int collective_wait(Collective *collective, MPI_Request *requests, int receives, int sends,
                    MPI_Status *statuses);

enum { NOBODY = -1 };

/* Send a message (which begins with a Head) and receive another at the same time; to or from NOBODY: nothing.
 * The bytes received (0 from NOBODY), or -1. */
Py_ssize_t exchange(Collective *collective, const void *message, Py_ssize_t nbytes, int dest, void *room,
                    Py_ssize_t most, int source);
/* The bytes of a message that has come, or -1 with MismatchError when its sender calls another collective. */
Py_ssize_t examine(const Collective *collective, const void *message, MPI_Status *status);
/* Start one send or receive. 0 or -1. */
int start_send(Collective *collective, const void *message, Py_ssize_t nbytes, int dest,
               MPI_Request *request);
int start_receive(Collective *collective, void *room, Py_ssize_t most, int source, MPI_Request *request);

/* Pass the root's message on to all ranks, along a binomial tree: ceil(log2(size)) rounds. 0 or -1. */
int spread(Collective *collective, void *message, Py_ssize_t most, int root);

/* What all ranks have, combined in their order, at all ranks: by recursive doubling in ceil(log2(size))
 * rounds, and two more where the size is no power of two. All ranks get the very same bits, as each
 * combination is made of the same two operands wherever it is made. */
typedef struct Doubling {
    char *mine; /* the message of this rank; then, of a range of ranks with this one in it; in the end, of all
                 */
    char *theirs; /* room for one of another range */
    Py_ssize_t most;
    /* Make `mine` the combination; `theirs` are of the range just below (or above) that of `mine`. */
    void (*combine)(struct Doubling *doubling, bool below);
    /* The message for the rank above, which sat out because the size is no power of two; NULL: `mine`. */
    char *(*for_neighbour)(struct Doubling *doubling);
    bool sat_out; /* this rank did, and `mine` is what for_neighbour has made */
} Doubling;
int doubling(Collective *collective, Doubling *doubling);

/* Whether this rank may call a blocking collective of the library. Not where ranks share processors:
 * libraries spin, and the one that is waited for does not run (16 MB to 3 ranks on 2 processors: 4.5 s with
 * MPICH, 0.05 s otherwise). */
bool can_block(const Collective *collective);
/* Ask all ranks whether each can go on (`able`; if not, its exception is deferred) and may block, before a
 * collective of the library. 0, and `*block` is the same at all; -1 with an exception when one cannot. */
int agree(Collective *collective, bool able, bool *block);
/* Finish a collective of the library: `code` is what it has returned, `request` NULL if it was a blocking
 * one. */
int collective_finish(Collective *collective, int code, MPI_Request *request);

#endif
