#include "transport/shared_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Address space: much more than mailboxes take (those of 32 ranks take up to 4 MiB per communicator), and
 * still little if a batch system limits it (ulimit -v). */
#define ADDRESSES ((size_t)1 << 30)

/* Address space a rank gets at a time: enough for the boxes of two ranks that use many communicators. */
enum { STRETCH = 256 * 1024 };

/* The beginning of the memory. */
typedef struct {
    _Atomic uint64_t end; /* of the stretches of all ranks */
} Beginning;

/* Free addresses of this rank; sorted, and not adjacent. */
typedef struct Gap {
    size_t first, end;
    struct Gap *next;
} Gap;

uint32_t shared_machine;
int shared_ranks;
char *shared_base;
bool shared_refused;

static Gap *gaps;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* of the gaps */
static int file = -1;
static size_t page;          /* bytes of one */
static struct stat identity; /* of the file */

static size_t round_down(size_t number, size_t unit) { return number / unit * unit; }
static size_t round_up(size_t number, size_t unit) { return round_down(number + unit - 1, unit); }

/* ---- pages ---- */

/* Whether the descriptor is still that file: programs close descriptors that are not theirs. */
static bool is_ours(void) {
    struct stat now;
    return fstat(file, &now) == 0 && now.st_dev == identity.st_dev && now.st_ino == identity.st_ino;
}

/* A quarter of the system's shared memory stays free for MPI libraries, which need some. */
static bool is_room(size_t nbytes) {
    struct statvfs all;
    if (fstatvfs(file, &all) != 0)
        return false;
    return !all.f_blocks || /* without a limit */
           all.f_bavail * all.f_frsize >= nbytes + all.f_blocks / 4 * all.f_frsize;
}

/* Allocate the pages of a range: failing now is better than SIGBUS later. */
static bool get_pages(size_t first, size_t end) {
    int error;
    first = round_down(first, page);
    end = round_up(end, page);
    if (shared_refused || !is_ours() || !is_room(end - first))
        return false;
    do
        error = posix_fallocate(file, (off_t)first, (off_t)(end - first));
    while (error == EINTR);
    return error == 0;
}

/* Free the pages of a range that has become part of a gap. */
static void drop_pages(const Gap *gap, size_t first, size_t end) {
    size_t least = round_up(gap->first, page), most = round_down(gap->end, page);
    first = round_down(first, page);
    end = round_up(end, page);
    first = first > least ? first : least;
    end = end < most ? end : most;
    if (first < end)
        madvise(shared_base + first, end - first, MADV_REMOVE);
}

/* ---- gaps ---- */

/* Add a range to the gaps: the gap that it is in; NULL without memory, and its addresses are lost. */
static Gap *add_gap(size_t first, size_t end) {
    Gap **link = &gaps, *before = NULL;
    while (*link && (*link)->first < first) {
        before = *link;
        link = &before->next;
    }
    Gap *after = *link;
    if (after && after->first == end) {
        after->first = first;
        if (!before || before->end != first)
            return after;
        before->end = after->end;
        before->next = after->next;
        free(after);
        return before;
    }
    if (before && before->end == first) {
        before->end = end;
        return before;
    }
    Gap *gap = malloc(sizeof *gap);
    if (!gap)
        return NULL;
    *gap = (Gap){.first = first, .end = end, .next = after};
    return *link = gap;
}

/* The link to the first gap with enough room. */
static Gap **find_gap(size_t nbytes, size_t alignment) {
    Gap **link = &gaps;
    while (*link && round_up((*link)->first, alignment) + nbytes > (*link)->end)
        link = &(*link)->next;
    return link;
}

/* More addresses. */
static bool add_stretch(size_t nbytes) {
    Beginning *beginning = (Beginning *)shared_base;
    uint64_t wanted = round_up(nbytes, STRETCH), first = atomic_load(&beginning->end);
    do
        if (first + wanted > ADDRESSES)
            return false;
    while (!atomic_compare_exchange_weak(&beginning->end, &first, first + wanted));
    return add_gap(first, first + wanted);
}

/* Cut a range out of a gap. False without memory. */
static bool cut(Gap **link, size_t first, size_t end) {
    Gap *gap = *link;
    if (first > gap->first && end < gap->end) {
        Gap *rest = malloc(sizeof *rest);
        if (!rest)
            return false;
        *rest = (Gap){.first = end, .end = gap->end, .next = gap->next};
        gap->next = rest;
        gap->end = first;
    } else if (first > gap->first)
        gap->end = first;
    else if (end < gap->end)
        gap->first = end;
    else {
        *link = gap->next;
        free(gap);
    }
    return true;
}

static size_t take(size_t nbytes, size_t alignment) {
    Gap **link = find_gap(nbytes, alignment);
    if (!*link) {
        if (!add_stretch(nbytes + alignment))
            return 0;
        link = find_gap(nbytes, alignment);
    }
    Gap whole = **link;
    size_t first = round_up(whole.first, alignment), end = first + nbytes;
    if (!get_pages(first, end))
        return 0;
    if (cut(link, first, end))
        return first;
    drop_pages(&whole, first, end);
    return 0;
}

SharedPlace shared_take(size_t nbytes, size_t alignment) {
    if (!shared_base)
        return NOWHERE;
    pthread_mutex_lock(&mutex);
    size_t first = take(round_up(nbytes, SHARED_UNIT), alignment > SHARED_UNIT ? alignment : SHARED_UNIT);
    pthread_mutex_unlock(&mutex);
    return (SharedPlace)(first / SHARED_UNIT);
}

void shared_give(SharedPlace place, size_t nbytes) {
    size_t first = (size_t)place * SHARED_UNIT, end = first + round_up(nbytes, SHARED_UNIT);
    pthread_mutex_lock(&mutex);
    const Gap *gap = add_gap(first, end);
    if (gap)
        drop_pages(gap, first, end);
    pthread_mutex_unlock(&mutex);
}

size_t shared_bytes(void) {
    struct stat now;
    return shared_base && is_ours() && fstat(file, &now) == 0 ? (size_t)now.st_blocks * 512 : 0;
}

/* ---- setting up ---- */

/* A new file under a new name; its descriptor, or -1. */
static int create_file(char *name, size_t room) {
    uint64_t random;
    if (syscall(SYS_getrandom, &random, sizeof random, 0) != sizeof random) /* glibc has it since 2.25 */
        return -1;
    snprintf(name, room, "/polympi-%016llx", (unsigned long long)random);
    int made = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (made >= 0 && ftruncate(made, (off_t)ADDRESSES) != 0) {
        close(made);
        shm_unlink(name);
        made = -1;
    }
    if (made < 0)
        name[0] = '\0';
    return made;
}

static bool map_file(void) {
    if (file < 0 || fstat(file, &identity) != 0 || !get_pages(0, sizeof(Beginning)))
        return false;
    void *memory = mmap(NULL, ADDRESSES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    if (memory == MAP_FAILED)
        return false;
    madvise(memory, ADDRESSES, MADV_DONTDUMP);
    shared_base = memory;
    return true;
}

static void undo(void) {
    if (shared_base)
        munmap(shared_base, ADDRESSES);
    if (file >= 0)
        close(file);
    shared_base = NULL;
    file = -1;
}

/* POLYMPI_MAILBOXES=0: small collectives use messages of the library. */
static bool is_wanted(void) {
    const char *mailboxes = getenv("POLYMPI_MAILBOXES");
    return !(mailboxes && strcmp(mailboxes, "0") == 0);
}

int shared_open(MPI_Comm machine) {
    struct {
        char name[32];
        uint32_t machine;
    } answer = {.machine = (uint32_t)state.world_rank + 1};
    int rank, size, all = 0;
    int code = MPI_Comm_rank(machine, &rank);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_size(machine, &size);
    if (code != MPI_SUCCESS || size == 1)
        return code;
    page = (size_t)sysconf(_SC_PAGESIZE);
    if (rank == 0 && is_wanted())
        file = create_file(answer.name, sizeof answer.name);
    if ((code = MPI_Bcast(&answer, sizeof answer, MPI_BYTE, 0, machine)) != MPI_SUCCESS) {
        if (file >= 0)
            shm_unlink(answer.name);
        undo();
        return code;
    }
    if (rank != 0 && answer.name[0] && is_wanted())
        file = shm_open(answer.name, O_RDWR, 0600);
    int own = map_file();
    if (own && rank == 0)
        atomic_store(&((Beginning *)shared_base)->end,
                     STRETCH); /* the others read it only after the next call */
    code = MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MIN, machine);
    if (rank == 0 && answer.name[0])
        shm_unlink(answer.name); /* it exists as long as it is mapped */
    if (code == MPI_SUCCESS && all)
        shared_machine = answer.machine, shared_ranks = size;
    else
        undo();
    return code;
}
