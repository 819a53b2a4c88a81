/* The last calls of the ranks of a communicator, so that a rank that waits long can find out why.
 *
 * Collective calls have the same numbers on all ranks. So ranks that have given different verbs or roots to a
 * call of one number have gone apart for certain, however late either is; and a rank that is only late is
 * never reported.
 */
#ifndef POLYMPI_CALL_LOG_H
#define POLYMPI_CALL_LOG_H

#include <stdatomic.h>

#include "collectives/rounds.h"

/* The last calls of a rank. Mailboxes have room for that of each rank. */
enum { LOGGED_CALLS = 64 };
typedef struct CallLog {
    _Alignas(64) _Atomic uint64_t entries[LOGGED_CALLS]; /* log_entry() */
    _Alignas(64) _Atomic uint64_t failed; /* 1 << 32 | number of the last call that ended with an exception */
    _Atomic uint64_t
        under_way; /* 1 << 32 | number of the first call in flight, which it has not left; or 0 */
} CallLog;

/* What a communicator knows of calls. */
struct Calls {
    CallLog *log;     /* of this rank; where others reach it (mailbox.h), they look there */
    uint32_t settled; /* the last call that this rank has left by an exception */
    Notice notice;    /* of the call in which this rank waits */
    int told;         /* how many ranks have it */
    int *sent;        /* notices to each rank so far; NULL where all share memory */
    int received;     /* notices that have come */
    uint64_t *left;   /* of each rank: as `failed` in its log, where this rank has been told; NULL likewise */
    uint64_t *called; /* of each rank: the last call that it has told of; NULL likewise */
    int awaited; /* the rank for which the call of that number waited when its time was over; or NOBODY */
    uint32_t awaited_in;
    bool untold; /* a failure that has to be told when no call is in flight any more */
    CallLog own;
};

/* How long a rank waits before it looks at the calls of the others, and until it looks again: long compared
 * with the delay of a late rank, short for a user. */
#define PATIENCE_SECONDS 0.1

/* Note that a call begins, under the number that comm->collective is. */
static inline void log_call(Communicator *comm, enum verb verb, int root) {
    uint64_t entry = log_entry(comm->collective, what_call(verb, root));
    atomic_store_explicit(&comm->calls->log->entries[comm->collective % LOGGED_CALLS], entry,
                          memory_order_release);
}
/* Make the log, with the first call. 0, or -1 with MemoryError. */
int calls_open(Communicator *comm);
/* Receive all notices under way, before the communicator is freed; on all ranks, blocking. MPI's code. */
int calls_end(Communicator *comm);
void calls_close(Communicator *comm);
/* Note that the call ends with an exception. */
void log_failure(const Collective *collective);
/* Note which call is the first of those in flight, if `any` are. */
void log_under_way(const Communicator *comm, bool any, uint32_t number);
/* Tell the ranks that cannot look into the log of failures, once no call is in flight. */
void tell_of_failures(const Communicator *comm);

/* Whether another rank has called something else under that number; false where that is not known. */
bool calls_differ(const Communicator *comm, int rank, uint32_t number);
/* Raise MismatchError for it. -1. */
int raise_difference(const Collective *collective, int rank, uint32_t number);
/* Raise MismatchError: a message of this call has come from a rank that calls something else. -1. */
int raise_other_call(const Collective *collective, int rank, int verb, int root);

/* Whether a rank has left a call: it has failed since, or come to this call, a later one. Where all
 * share memory. */
bool has_left_call(const Communicator *comm, int rank, uint32_t number);

/* Read the notices that have come: 0, or -1 with MismatchError. */
int read_notices(const Collective *collective);
/* Look at what the others have called, after a long wait: 0; 1 if the rank `source` (or NOBODY) has left this
 * call, so that what is not there yet will never come; -1 with MismatchError. */
int look_around(Collective *collective, int source);
/* Whether that rank has ended this call, or a later one, with an exception, as far as this one knows. */
bool has_given_up(const Collective *collective, int rank);
/* A Timeout is raised in a wait for that rank, or NOBODY: put MismatchError in its place if the others have
 * called something else. Whether that is so; false for other exceptions, too. */
bool explain_timeout(Collective *collective, int source);
/* A Timeout is raised: raise it again for all the seconds, with the ranks from which nothing came. */
void name_late(const Collective *collective, double seconds);

#endif
