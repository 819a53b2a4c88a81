/* Where recording begins and ends. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "recorder.h"

enum { DEFAULT_EVENTS = 1 << 18, FEWEST_EVENTS = 256, MOST_EVENTS = 1 << 26 };

static bool tried, began; /* this process has begun MPI; it has, or had, a file */
static bool world_model;
static int sessions;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint32_t wanted_events(void) {
    const char *text = getenv("POLYMPI_AUDIT_EVENTS");
    long events = text && *text ? strtol(text, NULL, 10) : DEFAULT_EVENTS;
    return (uint32_t)(events < FEWEST_EVENTS ? FEWEST_EVENTS : events > MOST_EVENTS ? MOST_EVENTS : events);
}

static uint64_t real_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t new_identity(void) {
    uint64_t id = mix(mix(real_nanoseconds(), (uint64_t)getpid()), nanoseconds());
    for (const char *letter = file_header->host; *letter; letter++)
        id = mix(id, (uint64_t)*letter);
    return id | 1;
}

/* Without communication, as a session may never make a communicator of all ranks: from what the launcher
 * says. */
static uint64_t identity_of_job(void) {
    static const char *const variables[] = {"PMIX_NAMESPACE", "SLURM_JOB_ID", "SLURM_STEP_ID", "PMI_JOBID"};
    uint64_t id = 0;
    for (size_t k = 0; k < sizeof variables / sizeof *variables; k++)
        for (const char *letter = getenv(variables[k]); letter && *letter; letter++)
            id = mix(id, (uint64_t)*letter);
    return (id ? id : mix(0, (uint64_t)getppid())) | 1;
}

static void in_child(void) {
    recording = false;
    leave_file();
    began = false;
}

static bool begin_file(const char *folder) {
    if (!open_file(folder, wanted_events(), world_size))
        return false;
    take_moment(&file_header->first);
    file_header->last = file_header->first;
    file_header->started_ns = real_nanoseconds();
    file_header->rank = world_rank, file_header->ranks = world_size;
    file_header->error_ns[0] = file_header->error_ns[1] = -1;
    pthread_atfork(NULL, NULL, in_child);
    return true;
}

static void publish(void) {
    find_python();
    recording = true;
    measure_cost();
    take_moment(&file_header->first);
    file_header->last = file_header->first;
    file_header->started_ns = real_nanoseconds();
    __atomic_thread_fence(__ATOMIC_RELEASE);
    memcpy(file_header->magic, LAYOUT_MAGIC, sizeof file_header->magic);
    began = true;
}

/* All ranks are here, so they can agree on an identity. */
static void begin_world(const char *folder) {
    intptr_t group = 0;
    MPI2(Comm_rank, abi.world, &world_rank);
    MPI2(Comm_size, abi.world, &world_size);
    bool recorded = begin_file(folder);
    uint64_t id = greet(recorded, recorded ? new_identity() : 0);
    if (!recorded)
        return;
    file_header->world = id;
    MPI2(Comm_group, abi.world, &group);
    begin_communicators(handle_of(group), file_header->world, true);
    compare_clocks(0);
    publish();
}

static void begin_session(const char *folder, intptr_t session) {
    intptr_t group = 0;
    if (MPI3(Group_from_session_pset, session, "mpi://WORLD", &group) != 0)
        return;
    group = handle_of(group);
    MPI2(Group_rank, group, &world_rank);
    MPI2(Group_size, group, &world_size);
    if (!begin_file(folder))
        return;
    file_header->world = identity_of_job();
    begin_communicators(group, file_header->world, false);
    publish();
}

static void prepare(void) {
    choose_abi();
    choose_clock();
    explain_procedures();
    begin_fortran();
}

/* After MPI_Init, MPI_Init_thread or MPI_Session_init. */
RARE void begun(int kind, intptr_t *arguments, intptr_t code) {
    const char *folder = getenv("POLYMPI_AUDIT");
    if ((int)code != 0)
        return;
    settled = true;
    if (!folder || !*folder)
        return;
    pthread_mutex_lock(&lock);
    if (kind == INIT)
        world_model = true;
    else
        sessions++;
    if (began) {
        file_header->state = RUNNING;
    } else if (!tried) {
        tried = true;
        prepare();
        if (kind == INIT)
            begin_world(folder);
        else
            begin_session(folder, handle_at(arguments[2], 0));
    }
    pthread_mutex_unlock(&lock);
}

static void end(enum state state) {
    take_moment(&file_header->last);
    __atomic_store_n(&file_header->state, state, __ATOMIC_RELEASE);
}

void before_finalize(void) {
    if (world_model)
        compare_clocks(1);
}

void finalized(int code) {
    if (code != 0) {
        end(FAILED);
        return;
    }
    world_model = false;
    end(FINALIZED);
    recording = sessions > 0;
}

void session_ended(void) {
    if (--sessions == 0 && !world_model)
        end(FINALIZED);
}

void aborted(void) { end(ABORTED); }

/* A process that ends in any other way leaves the state as it is. */
__attribute__((destructor)) static void ends(void) {
    if (began && file_header->state == RUNNING && file_header->pid == getpid())
        end(EXITED);
}
