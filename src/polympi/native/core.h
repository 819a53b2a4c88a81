/* What every file of the core shares: its state, and how a call enters and leaves MPI.
 *
 * Every call has one shape: resolve the message, release the GIL where it may wait, call MPI, check the code.
 */
#ifndef POLYMPI_CORE_H
#define POLYMPI_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define likely(condition) __builtin_expect(!!(condition), 1)
#define unlikely(condition) __builtin_expect(!!(condition), 0)

/* Ranks and tags that mean something else than a number; numbers of our own, so that they are the same over
 * all MPI libraries, and so that an off-by-one (`source=rank - 1`) is an error and no wildcard. */
enum { ANY_SOURCE = -101, PROC_NULL = -102, ANY_TAG = -103 };

enum phase { NOT_STARTED, RUNNING, FINISHED, FORKED };

/* The state of the process. Guarded by the GIL, but for what only `start` writes. */
struct state {
    enum phase phase;
    int level;              /* the thread level that MPI granted */
    bool locking;           /* below MPI_THREAD_MULTIPLE: one thread in MPI at a time */
    bool crowded;           /* the ranks of this machine outnumber its CPUs: yield at once */
    bool initialised_by_us; /* and therefore finalised by us */
    int outside;            /* threads that are in MPI, or will be, without the GIL */
    pthread_mutex_t turn;   /* held while in MPI, where `locking` and `outside` ask for it */
    double timeout;         /* seconds a blocking call may take, from POLYMPI_TIMEOUT; 0: for ever */
    int highest_tag;        /* of user messages */
    int world_rank, world_size;
    bool stuck; /* sends were under way at the end: MPI_Finalize would wait for them for ever */
};
extern struct state state;

/* What a call is about, for the sentence of an error. */
typedef struct {
    const char *operation; /* as the user spells it: "recv" */
    int rank;              /* the caller's, in the communicator */
    int peer;              /* a rank of the communicator, ANY_SOURCE, PROC_NULL; NO_PEER in collectives */
    int tag;               /* ANY_TAG, or NO_TAG in collectives */
    bool sends;            /* the peer is the one to receive; of sendrecv's two halves, the first */
} Call;
enum { NO_PEER = -104, NO_TAG = -105 };

/* Take the turn in MPI. With the GIL held and no thread outside nobody else can be in MPI: the GIL is the
 * lock. */
static inline bool enter_mpi(void) {
    if (likely(!state.outside) || !state.locking)
        return false;
    pthread_mutex_lock(&state.turn);
    return true;
}
static inline void leave_mpi(bool locked) {
    if (unlikely(locked))
        pthread_mutex_unlock(&state.turn);
}

/* Whether calls are possible now; otherwise raises StateError and is false. */
bool running(void);
static inline bool is_running(void) { return likely(state.phase == RUNNING) || running(); }

#endif
