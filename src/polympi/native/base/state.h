/* What every file of the core shares: the state of the process. Nothing here needs MPI. */
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define likely(condition) __builtin_expect(!!(condition), 1)
#define unlikely(condition) __builtin_expect(!!(condition), 0)

/* Special ranks and tags. Their numbers are our own: they are the same with all MPI libraries, and a mistake
 * like `source=rank - 1` on rank 0 is an error and not a wildcard. */
enum { ANY_SOURCE = -101, PROC_NULL = -102, ANY_TAG = -103 };

/* HELD: MPI runs, but a thread is in an MPI call that may take forever, and no other thread may call MPI
 * (transfer/progress/offloaded_call.h). */
enum phase { NOT_STARTED, RUNNING, HELD, FINISHED, FORKED };

/* What a thread that waits without the GIL must do at the end: leave its call with StateError; or, after the
 * end of the interpreter, stop forever and never call MPI again. */
enum stop { GO_ON, LEAVE, PARK };

/* The state of the process. Guarded by the GIL, except the members that only `start` writes. */
struct state {
    enum phase phase;
    int level;                  /* the thread level that MPI granted */
    bool levels_clash;          /* with that of other ranks: the library's collectives would hang */
    bool locking;               /* below MPI_THREAD_MULTIPLE: one thread in MPI at a time */
    bool oversubscribed;        /* the ranks of this machine outnumber its CPUs: yield at once */
    bool library_yields;        /* oversubscribed, and the library yields by itself while it waits or tests */
    bool elsewhere;             /* according to the launcher, ranks of the job may be on other machines */
    bool several_machines;      /* there are ranks on other machines than this one */
    int machine;                /* if so: the unique number of this one */
    bool initialised_by_us;     /* and therefore finalised by us */
    uint32_t *any_asleep;       /* how many threads of this machine sleep, or will soon; atomic, shared */
    int outside;                /* threads that are in MPI, or will be, without the GIL */
    int inside;                 /* those of them that will still call MPI; atomic */
    enum stop stop;             /* atomic */
    pthread_mutex_t turn;       /* held while in MPI, if `locking` and `outside` require it */
    double timeout;             /* seconds a blocking call may take, from POLYMPI_TIMEOUT; 0: forever */
    int highest_tag;            /* of user messages */
    int world_rank, world_size; /* in the world of polympi; before that is made, in the job */
    uint32_t family;            /* of this world among those that spawned each other; 0: it was not spawned */
    bool connected;             /* this world has spawned another one, or was spawned by one */
    int job_size;               /* ranks of MPI_COMM_WORLD, of which others may not run polympi */
    bool stuck;                /* sends were in flight at the end: MPI_Finalize would wait for them forever */
    bool ends_alone;           /* a rank was killed: MPI_Finalize would wait for it forever */
    bool gone;                 /* MPI is finalised, and no function of it may be called */
    bool without_python;       /* the interpreter is gone: nothing can be raised any longer */
    unsigned long last_thread; /* the one that ends the interpreter, and then the process */
    int exit_status; /* that the program will end with, as far as Python knows it before MPI is finalised */
};
extern struct state state;

/* The arguments of a call, for error messages. */
typedef struct {
    const char *operation; /* as the user spells it: "recv" */
    int rank;              /* the caller's, in the communicator */
    int peer;              /* a rank of the communicator, ANY_SOURCE, PROC_NULL; NO_PEER in collectives */
    int tag;               /* ANY_TAG, or NO_TAG in collectives */
    bool sends;            /* the peer receives; for sendrecv, its send */
    const void *comm;      /* the communicator, for the hosts of its ranks; NULL: they are not named */
    int64_t large;         /* bytes that may take many steps of the library, on both ranks */
    bool library_call;     /* it waits for a collective of the library, whose steps nobody announces */
    double since;          /* when the wait began of which the next one is a part; 0: it is all */
} Call;
enum { NO_PEER = -104, NO_TAG = -105 };

/* The peers of an intercommunicator are the ranks of the remote group. The caller isn't one of them: its rank
 * is then OUTSIDE minus that in its own group. */
enum { OUTSIDE = -1000 };

/* What a step of something in flight returns. FAILED: an exception is set. A flag of MPI is passed on as it
 * is: any positive number is DONE. A wait returns 0 when it is done, -1 when it has failed, or RECALLED:
 * nothing has happened, but the receive may take another message. */
enum step { FAILED = -1, PENDING, DONE, RECALLED };

/* Whether MPI runs, even if this thread may not call it. */
static inline bool is_alive(void) { return state.phase == RUNNING || state.phase == HELD; }
