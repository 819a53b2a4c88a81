/* What the recorder keeps for each thread. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "recorder.h"

__thread struct thread *self __attribute__((tls_model("initial-exec")));
static __thread bool unrecorded; /* this thread found no room */
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct thread *left[MAX_THREADS]; /* of threads that have ended; others continue their segments */
static int left_number;
static bool room_told;

static void thread_ends(void *thread) {
    self = NULL;
    unrecorded = true;
    pthread_mutex_lock(&lock);
    left[left_number++] = thread;
    pthread_mutex_unlock(&lock);
}

static void make_key(void) { pthread_key_create(&key, thread_ends); }

static void *anonymous(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static void use_memory(struct thread *thread, void *memory, uint32_t events, int ranks) {
    thread->segment = memory;
    thread->entries = (struct entry *)(thread->segment + 1);
    thread->pending = (struct pending *)(thread->entries + MAX_ENTRIES);
    thread->peers = (struct peer *)(thread->pending + MAX_PENDING);
    thread->events = (struct event *)(thread->peers + ranks);
    thread->ring = events;
    thread->segment->ring = events;
}

static struct thread *taken_over(void) {
    struct thread *thread = NULL;
    pthread_mutex_lock(&lock);
    if (left_number)
        thread = left[--left_number];
    pthread_mutex_unlock(&lock);
    if (thread)
        thread->depth = 0;
    return thread;
}

static struct thread *new_thread(void) {
    uint64_t offset = add_segment();
    void *memory = offset ? map_segment(offset) : NULL;
    struct thread *thread = memory ? anonymous(sizeof *thread) : NULL;
    if (!thread)
        return NULL;
    use_memory(thread, memory, file_header->timeline, world_size);
    thread->events_offset = offset + (uint64_t)((char *)thread->events - (char *)memory);
    pthread_mutex_lock(&lock);
    file_header->segments[file_header->threads.used] = offset;
    __atomic_store_n(&file_header->threads.used, file_header->threads.used + 1, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
    return thread;
}

RARE struct thread *attach(void) {
    if (unrecorded)
        return NULL;
    pthread_once(&once, make_key);
    struct thread *thread = taken_over();
    if (!thread)
        thread = new_thread();
    if (!thread) {
        unrecorded = true;
        if (!__atomic_exchange_n(&room_told, true, __ATOMIC_RELAXED))
            say("a thread isn't recorded, as the disk is full or there are too many threads", "");
        return NULL;
    }
    thread->segment->thread = (int32_t)syscall(SYS_gettid);
    self = thread;
    pthread_setspecific(key, thread);
    return thread;
}

/* Room for copies of the handles and for the statuses of this many requests. */
bool have_room(struct thread *thread, long number) {
    if (LIKELY(number <= thread->room))
        return true;
    long room = number + number / 2 + 16;
    void *handles = anonymous((size_t)room * 8);
    char *statuses = anonymous((size_t)room * (size_t)abi.status_bytes);
    if (!handles || !statuses)
        return false;
    if (thread->room) {
        munmap(thread->handles, (size_t)thread->room * 8);
        munmap(thread->statuses, (size_t)thread->room * (size_t)abi.status_bytes);
    }
    thread->handles = handles, thread->statuses = statuses, thread->room = room;
    return true;
}

/* Records 1000 empty calls where nobody reads them. */
void measure_cost(void) {
    enum { CALLS = 1000, EVENTS = 1024 };
    size_t bytes = sizeof(struct segment) + MAX_ENTRIES * sizeof(struct entry) +
                   MAX_PENDING * sizeof(struct pending) + (size_t)world_size * sizeof(struct peer) +
                   EVENTS * sizeof(struct event);
    void *memory = anonymous(bytes);
    struct thread *thread = anonymous(sizeof *thread), *mine = self;
    if (memory && thread) {
        use_memory(thread, memory, file_header->timeline > 256 ? EVENTS : 0, world_size);
        thread->allocated = thread->ring;
        self = thread;
        uint64_t times[2] = {0, 0}, begin = 0;
        for (int pass = 0; pass < 2; pass++) { /* the first one is a rehearsal */
            begin = ticks();
            for (int k = 0; k < CALLS; k++) {
                struct call call;
                intptr_t arguments[] = {0, 1, abi.byte, abi.proc_null, 0, abi.world};
                if (enter(&call, NUMBER_MPI_Send, arguments, (const void *)measure_cost, false))
                    leave(&call, 0);
            }
            times[pass] = ticks() - begin;
        }
        file_header->cost_ticks = times[1];
    }
    self = mine;
    if (memory)
        munmap(memory, bytes);
    if (thread)
        munmap(thread, sizeof *thread);
}
