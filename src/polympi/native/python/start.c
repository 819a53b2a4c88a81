#include "python/start.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/errors.h"
#include "base/last_words.h"
#include "codec/wire.h"
#include "memory/pool.h"
#include "python/ending.h"
#include "python/interface/communicator.h"
#include "python/last_report.h"
#include "python/raw/raw.h"
#include "transfer/hosts.h"
#include "transport/sleepers.h"
#include "transport/transport.h"

/* ---- watching the start ---- */

/* A thread watches the start of MPI, whose calls block: they return when all ranks have arrived.
 *
 * Without it, a rank that never arrives would let the others hang silently. The thread reports what is waited
 * for when it takes long, and ends the process after POLYMPI_TIMEOUT: no exception can end a call of the
 * library.
 */

/* MPI may take this long to start if the machine is busy or the job large. A shorter POLYMPI_TIMEOUT, which
 * is meant for messages, has no effect here. */
#define USUAL_SECONDS 10.0

static struct {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool running, over;
    double timeout;
    char sentence[256]; /* what is waited for, and where */
} watch = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* This rank, from the launcher: MPI may not have started. */
static const char *own_rank(void) {
    static const char *const names[] = {"PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]))
            return getenv(names[i]);
    return "0";
}

static void report_wait(const char *beginning, double seconds, const char *advice) {
    char line[512];
    int length = snprintf(line, sizeof line, "[rank %s] %s %.0f s %s: %s\n", own_rank(), beginning, seconds,
                          watch.sentence, advice);
    if (length > 0 && write(STDERR_FILENO, line, (size_t)length) < 0)
        return; /* standard error is closed */
}

/* Wait until the start is over, at most this many seconds: whether it is. */
static bool is_over_within(double seconds) {
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += (time_t)seconds;
    end.tv_nsec += (long)(1e9 * (seconds - (double)(time_t)seconds));
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    pthread_mutex_lock(&watch.mutex);
    while (!watch.over && pthread_cond_timedwait(&watch.changed, &watch.mutex, &end) == 0)
        ;
    bool over = watch.over;
    pthread_mutex_unlock(&watch.mutex);
    return over;
}

/* End the job, if that can be requested from the launcher, which may wait for the ranks of other hosts if one
 * only exits: by PMI version 1, which the process managers of MPICH and Slurm support. */
static _Noreturn void end_job(void) {
    const char *launcher = getenv("PMI_FD");
    static const char words[] = "cmd=abort exitcode=1\n";
    if (launcher && write(atoi(launcher), words, sizeof words - 1) < 0)
        _exit(1); /* the launcher has ended */
    _exit(1);
}

static void *look_on(void *unused) {
    bool limited = watch.timeout > 0;
    double limit = watch.timeout > USUAL_SECONDS ? watch.timeout : USUAL_SECONDS;
    if (is_over_within(USUAL_SECONDS))
        return unused;
    if (!limited || limit > USUAL_SECONDS)
        report_wait(
            "has waited", USUAL_SECONDS,
            "every rank that the launcher has started must do so; one of them has ended, or does something "
            "else");
    if (!limited || (limit > USUAL_SECONDS && is_over_within(limit - USUAL_SECONDS)))
        return unused;
    report_wait(
        "waited", limit,
        "not all ranks that the launcher has started did so, and the time of POLYMPI_TIMEOUT is over; this "
        "ends "
        "the job");
    wait_for_last_words();
    end_job();
}

static int start_thread(void) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&watch.changed, &attributes);
    pthread_condattr_destroy(&attributes);
    sigset_t all, before; /* signals are for the threads of Python */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&watch.thread, NULL, look_on, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

/* Begin to watch; `step` is what all ranks have to do, for the report. With the GIL. */
static void start_watch_begin(const char *step, double timeout) {
    PyObject *place = callers_place();
    const char *text = place ? PyUnicode_AsUTF8(place) : NULL;
    snprintf(watch.sentence, sizeof watch.sentence, "for all ranks to %s, at %s", step, text ? text : "?");
    PyErr_Clear();
    Py_XDECREF(place);
    watch.timeout = timeout;
    watch.over = false;
    watch.running = start_thread() == 0; /* without a thread nobody watches */
}

static void start_watch_end(void) {
    if (!watch.running)
        return;
    pthread_mutex_lock(&watch.mutex);
    watch.over = true;
    pthread_cond_signal(&watch.changed);
    pthread_mutex_unlock(&watch.mutex);
    pthread_join(watch.thread, NULL);
    watch.running = false;
}

/* ---- this process and its machine ---- */

/* Whether the library yields the processor in calls that find nothing to do: Open MPI does if its launcher
 * knows that the machine is oversubscribed. MPI must run: Open MPI's MPI_T_init_thread sets the thread level
 * of the whole library, so it is given the one that was granted. */
static bool does_library_yield(void) {
    int yields = 0; /* of which Open MPI writes one byte */
#ifdef OPEN_MPI
    int provided, index, count;
    MPI_T_cvar_handle handle;
    if (MPI_T_init_thread(state.level, &provided) != MPI_SUCCESS)
        return false;
    if (MPI_T_cvar_get_index("mpi_yield_when_idle", &index) == MPI_SUCCESS &&
        MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) == MPI_SUCCESS) {
        if (MPI_T_cvar_read(handle, &yields) != MPI_SUCCESS)
            yields = 0;
        MPI_T_cvar_handle_free(&handle);
    }
    MPI_T_finalize();
#endif
    return yields;
}

/* The number of this machine: the lowest of its ranks. A test may have set different numbers before. */
static int number_machine(MPI_Comm machine, bool several) {
    if (state.several_machines)
        return MPI_SUCCESS;
    state.several_machines = several;
    state.machine = state.world_rank;
    return several ? MPI_Bcast(&state.machine, 1, MPI_INT, 0, machine) : MPI_SUCCESS;
}

/* Whether the ranks of this machine outnumber the CPUs that they may use together, and whether there are
 * other machines; set up shared memory. */
static int look_at_machine(MPI_Comm world) {
    MPI_Comm machine;
    cpu_set_t mine, all;
    int ranks, code = MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    if (code != MPI_SUCCESS)
        return code;
    CPU_ZERO(&mine);
    sched_getaffinity(0, sizeof mine, &mine);
    code = MPI_Allreduce(&mine, &all, (int)sizeof mine, MPI_BYTE, MPI_BOR, machine);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_size(machine, &ranks);
    if (code == MPI_SUCCESS) {
        state.oversubscribed = ranks > CPU_COUNT(&all);
        state.library_yields = state.oversubscribed && does_library_yield();
        code = number_machine(machine, ranks < state.world_size);
    }
    if (code == MPI_SUCCESS)
        code = shared_open(machine);
    if (code == MPI_SUCCESS)
        code = sleepers_open(machine);
    if (code == MPI_SUCCESS && ranks < state.world_size) /* on all machines, or on none */
        code = hosts_learn(world);
    MPI_Comm_free(&machine);
    return code;
}

static int find_highest_tag(void) {
    enum { LEAST_IN_THE_STANDARD = 32767 };
    int found = 0, *highest = NULL;
    int code = MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &highest, &found);
    return code == MPI_SUCCESS && found ? *highest : LEAST_IN_THE_STANDARD;
}

static int initialise(int level) {
    int done = 0;
    MPI_Finalized(&done);
    if (done) {
        state.phase = FINISHED;
        return running() ? 0 : -1;
    }
    MPI_Initialized(&done);
    state.initialised_by_us = !done;
    int code = done ? MPI_Query_thread(&state.level) : MPI_Init_thread(NULL, NULL, level, &state.level);
    if (code != MPI_SUCCESS)
        return raise_error("Error", NULL, "MPI could not be started: MPI_Init_thread returned %d", code);
    return 0;
}

/* ---- one version for all ranks ---- */

uint32_t wire_version = WIRE_VERSION;

/* A version, and a rank that has it in the lower half, so that the minimum over ranks names one. */
static uint64_t speaker(uint32_t version) { return (uint64_t)version << 32 | (uint32_t)state.world_rank; }
static uint32_t version_of(uint64_t speaker) { return (uint32_t)(speaker >> 32); }
static int rank_of(uint64_t speaker) { return (int)(uint32_t)speaker; }

/* The first collective: whether a rank has another version than this one; `*other` is then the lowest of
 * these, or the highest. It must be the same in all versions, which read each other here. MPI's code. */
static int compare_versions(MPI_Comm world, bool *differ, uint64_t *other) {
    const uint64_t own[] = {speaker(wire_version), speaker(~wire_version)};
    uint64_t least[] = {own[0], own[1]};
    int code = MPI_Allreduce(own, least, 2, MPI_UINT64_T, MPI_MIN, world);
    uint64_t highest = least[1] ^ (uint64_t)UINT32_MAX << 32;
    *differ = version_of(least[0]) != version_of(highest);
    *other = version_of(least[0]) != wire_version ? least[0] : highest;
    return code;
}

/* Ranks that would misread each other leave MPI together. Raises LibraryError; NULL. */
static PyObject *refuse_other_version(PyObject *module, uint64_t other) {
    state.phase = FINISHED;
    if (state.initialised_by_us) {
        state.gone = true;
        Py_BEGIN_ALLOW_THREADS;
        MPI_Finalize();
        Py_END_ALLOW_THREADS;
    }
    PyObject *file = PyModule_GetFilenameObject(module);
    if (file)
        raise_error(
            "LibraryError", NULL,
            "the ranks of this job do not run the same polympi: rank %d writes messages of version %u "
            "(%U), rank %d of version %u, and neither can read the other's; install the same polympi for "
            "all ranks",
            state.world_rank, wire_version, file, rank_of(other), version_of(other));
    Py_XDECREF(file);
    return NULL;
}

/* ---- thread levels ---- */

/* MPICH 5.0 uses other algorithms for its collectives at MPI_THREAD_MULTIPLE than at lower levels, so ranks
 * of one host with different levels hang, even two programs with mpi4py alone. MPI's code. */
static int compare_levels(MPI_Comm world) {
    int multiple = state.level == MPI_THREAD_MULTIPLE, mine[] = {multiple, !multiple}, any[] = {0, 0};
    int code = MPI_Allreduce(mine, any, 2, MPI_INT, MPI_MAX, world);
#ifndef OPEN_MPI
    state.levels_clash = any[0] && any[1];
#endif
    if (state.levels_clash && state.world_rank == 0)
        write_report(
            "warning: the ranks run MPI at different thread levels, 'multiple' and a lower one, with which "
            "collectives of this MPI library may hang: give all the same, by POLYMPI_THREADS, or by "
            "mpi4py.rc.thread_level where mpi4py starts MPI");
    return code;
}

/* ---- the start of MPI, by this rank alone ---- */

/* Given by polympi.spawn to the world that it starts. */
static uint32_t family_of_spawned(void) {
    const char *given = getenv("POLYMPI_SPAWNED");
    return given ? (uint32_t)strtoul(given, NULL, 10) : 0;
}

/* Where the ranks of the job are, as far as launchers report it (Open MPI's; Hydra). */
static void look_at_launcher(void) {
    const char *here = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    if (!here)
        here = getenv("MPI_LOCALNRANKS");
    long ranks = here ? atol(here) : state.job_size;
    state.oversubscribed = ranks > sysconf(_SC_NPROCESSORS_ONLN);
    state.library_yields = state.oversubscribed && does_library_yield();
    state.elsewhere = here ? ranks < state.job_size : state.job_size > 1;
}

/* `level` is 0 to 3 in MPI's order: single, funneled, serialized, multiple. */
PyObject *start_mpi(PyObject *Py_UNUSED(module), PyObject *args) {
    static const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED,
                                 MPI_THREAD_MULTIPLE};
    int level;
    double timeout;
    PyObject *settle_messages;
    if (!PyArg_ParseTuple(args, "idO", &level, &timeout, &settle_messages) || errors_prepare() < 0)
        return NULL;
    if (state.phase != NOT_STARTED)
        return running() ? PyErr_Format(PyExc_RuntimeError, "MPI was started before") : NULL;
    if (level < 0 || level > 3)
        return PyErr_Format(PyExc_ValueError, "start_mpi(level 0 to 3, timeout, settle)");
    if (pool_prepare() < 0)
        return NULL;
    start_watch_begin("start MPI", timeout);
    int failed = initialise(levels[level]);
    start_watch_end();
    if (failed)
        return NULL;
    if (state.initialised_by_us) { /* MPI_Testall reports errors to these (MPI 5.0, section 9.3) */
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    }
    state.timeout = timeout;
    state.locking = state.level != MPI_THREAD_MULTIPLE;
    MPI_Comm_rank(MPI_COMM_WORLD, &state.world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &state.world_size);
    state.job_size = state.world_size;
    state.highest_tag = find_highest_tag();
    state.family = family_of_spawned();
    look_at_launcher();
    int code = ending_prepare(settle_messages);
    if (code != MPI_SUCCESS)
        return raise_mpi(code, NULL), NULL;
    state.phase = RUNNING;
    return (PyObject *)raw_new(MPI_COMM_WORLD, false);
}

/* ---- the start of a world, by all its ranks ---- */

static MPI_Group ranks; /* of the world */
static bool world_made;

MPI_Group ranks_of_world(void) { return ranks; }

/* The collective part: MPI's code. */
static int make_world(MPI_Comm of, MPI_Comm *world, bool *differ, uint64_t *other) {
    int code = MPI_Comm_rank(of, &state.world_rank);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_size(of, &state.world_size);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_dup(of, world);
    if (code == MPI_SUCCESS)
        code = compare_versions(*world, differ, other);
    if (code != MPI_SUCCESS || *differ)
        return code;
    if ((code = compare_levels(*world)) != MPI_SUCCESS)
        return code;
    code = look_at_machine(*world);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_group(*world, &ranks);
    return code == MPI_SUCCESS ? ending_of_world(*world) : code;
}

PyObject *start_world(PyObject *module, PyObject *args) {
    PyTypeObject *type;
    Raw *raw;
    MPI_Comm world;
    bool differ = false;
    uint64_t other = 0;
    if (!PyArg_ParseTuple(args, "O!O!", &PyType_Type, &type, &Raw_Type, &raw) || !is_raw_usable(raw))
        return NULL;
    if (world_made)
        return PyErr_Format(PyExc_RuntimeError, "the world was made before");
    start_watch_begin("use polympi.world", state.timeout);
    int code = IN_TURN(make_world(raw->comm, &world, &differ, &other));
    start_watch_end();
    if (code == MPI_SUCCESS && differ)
        return refuse_other_version(module, other);
    if (code != MPI_SUCCESS)
        return raise_mpi(code, NULL), NULL;
    world_made = raw->lent = true;
    PyObject *made = communicator_new(type, world, raw->comm);
    if (made)
        ((Communicator *)made)->raw = Py_NewRef((PyObject *)raw);
    return made;
}
