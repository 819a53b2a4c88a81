/* The last calls of the ranks of a communicator, so that a rank that waits long can find out why.
 *
 * Collective calls have the same numbers on all ranks. So ranks whose calls of one number have different
 * verbs or roots differ for certain, however late either is; and a rank that is only late is never reported.
 */
#pragma once

#include <stdatomic.h>

#include "collectives/rounds.h"

/* The last calls of a rank, in its mailboxes if it has some. */
enum { LOGGED_CALLS = 64 };
typedef struct CallLog {
    _Alignas(64) _Atomic uint64_t entries[LOGGED_CALLS]; /* log_entry() */
    _Alignas(64) _Atomic uint64_t failed; /* 1 << 32 | number of the last call that ended with an exception */
    _Atomic uint64_t pending; /* 1 << 32 | number of the first pending call, which it has not left; or 0 */
} CallLog;

/* What a communicator records of calls. */
struct Calls {
    CallLog *log;     /* of this rank; ranks with mailboxes read it directly */
    uint32_t settled; /* the last call that this rank left by an exception */
    Notice notice;    /* of the call in which this rank waits */
    int notified;     /* how many ranks have been sent it */
    int *sent;        /* notices to each rank so far; NULL if all share memory */
    int received;     /* notices so far */
    uint64_t *left;   /* of each rank: as `failed` in its log, from its notices; NULL likewise */
    uint64_t *called; /* of each rank: the last call in its notices; NULL likewise */
    int awaited;      /* the rank for which the call of that number waited when it timed out; or NOBODY */
    uint32_t awaited_in;
    bool unreported; /* a failure to report to others when no call is pending any more */
    CallLog own;
};

/* How long a rank waits before it looks at the calls of the others, and before it looks again: long compared
 * with the delay of a late rank, short for a user. */
#define PATIENCE_SECONDS 0.1

/* Log a call that begins; its number is comm->collective. */
static inline void log_call(Communicator *comm, enum verb verb, int root) {
    uint64_t entry = log_entry(comm->collective, what_call(verb, root));
    atomic_store_explicit(&comm->calls->log->entries[comm->collective % LOGGED_CALLS], entry,
                          memory_order_release);
}
/* Make the log, at the first call. 0, or -1 with MemoryError. */
int calls_open(Communicator *comm);
/* Receive all notices in flight, before the communicator is freed; on all ranks, blocking. MPI's code. */
int calls_end(Communicator *comm);
void calls_close(Communicator *comm);
/* Log that the call ends with an exception. */
void log_failure(const Collective *collective);
/* Log which call is the first of those pending, if `any` are. */
void log_pending(const Communicator *comm, bool any, uint32_t number);
/* Report failures to the ranks that cannot read the log, once no call is pending. */
void report_failures(const Communicator *comm);

/* Whether another rank's call of that number is a different one; false if that is not known. */
bool calls_differ(const Communicator *comm, int rank, uint32_t number);
/* Raise MismatchError for it. -1. */
int raise_difference(const Collective *collective, int rank, uint32_t number);
/* Raise MismatchError: a message of this call has arrived from a rank whose call is a different one. -1. */
int raise_other_call(const Collective *collective, int rank, int verb, int root);

/* Whether a rank has left a call: it has failed since, or reached a later one. Only if all share memory. */
bool has_left_call(const Communicator *comm, int rank, uint32_t number);

/* Read the notices that have arrived: 0, or -1 with MismatchError. */
int read_notices(const Collective *collective);
/* Look at what the others have called, after a long wait: 0; 1 if the rank `source` (or NOBODY) has left this
 * call, and will send nothing more in it; -1 with MismatchError. */
int look_around(Collective *collective, int source);
/* Whether that rank has ended this call, or a later one, with an exception, as far as this one knows. */
bool has_given_up(const Collective *collective, int rank);
/* After a Timeout in a wait for that rank, or NOBODY: replace it by MismatchError if the others have called
 * something else. Whether it was replaced; false for other exceptions, too. */
bool explain_timeout(Collective *collective, int source);
/* Replace a Timeout by one that names all the seconds, and the ranks that have not called. */
void name_late(const Collective *collective, double seconds);
