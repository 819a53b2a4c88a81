#define _GNU_SOURCE /* getrandom */
#include "mailbox.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

/* 16 ranks have 16 * 16 boxes, 4 MiB; all of /dev/shm is 64 MiB in a container. */
enum { MOST_RANKS = 16 };

/* Messages in a box: a rank may be a call ahead, and a call has at most two messages for a rank. */
enum { LETTERS = 4 };

typedef struct {
    _Alignas(64) _Atomic uint64_t number; /* of the message, from 1; written last */
    uint32_t collective;
    uint32_t nbytes;
    char data[MAIL_BYTES];
} Letter;
_Static_assert(sizeof(Letter) == 4096, "a letter is a page");

typedef struct {
    _Alignas(64) _Atomic uint64_t taken; /* messages the receiver has taken */
    Letter letters[LETTERS];
} Box;

struct Mailboxes {
    int rank, size;
    Box *boxes; /* shared: [sender * size + receiver] */
    size_t nbytes;
    struct {
        uint64_t posted, taken; /* messages to that rank, and from it */
    } counts[];
};

static Box *box_of(const Mailboxes *mailboxes, int sender, int receiver) {
    return &mailboxes->boxes[(size_t)sender * (size_t)mailboxes->size + (size_t)receiver];
}

bool mail_post(Mailboxes *mailboxes, uint32_t collective, const void *message, Py_ssize_t nbytes, int dest) {
    Box *box = box_of(mailboxes, mailboxes->rank, dest);
    uint64_t posted = mailboxes->counts[dest].posted;
    if (posted - atomic_load_explicit(&box->taken, memory_order_acquire) >= LETTERS)
        return false;
    Letter *letter = &box->letters[posted % LETTERS];
    letter->collective = collective;
    letter->nbytes = (uint32_t)nbytes;
    memcpy(letter->data, message, (size_t)nbytes);
    atomic_store_explicit(&letter->number, posted + 1, memory_order_release);
    mailboxes->counts[dest].posted = posted + 1;
    return true;
}

Py_ssize_t mail_look(Mailboxes *mailboxes, uint32_t collective, int source, const char **message) {
    Box *box = box_of(mailboxes, source, mailboxes->rank);
    for (;;) {
        uint64_t taken = mailboxes->counts[source].taken;
        const Letter *letter = &box->letters[taken % LETTERS];
        if (atomic_load_explicit(&letter->number, memory_order_acquire) != taken + 1)
            return -1;
        if (likely(letter->collective == collective)) {
            *message = letter->data;
            return letter->nbytes;
        }
        mail_taken(mailboxes, source);
    }
}

void mail_taken(Mailboxes *mailboxes, int source) {
    uint64_t taken = ++mailboxes->counts[source].taken;
    atomic_store_explicit(&box_of(mailboxes, source, mailboxes->rank)->taken, taken, memory_order_release);
}

/* ---- setting up ---- */

/* A new piece of shared memory under a name nobody else has; its descriptor, or -1. */
static int create_memory(char *name, size_t room, size_t nbytes) {
    uint64_t random;
    if (getrandom(&random, sizeof random, 0) != sizeof random)
        return -1;
    snprintf(name, room, "/polympi-%016llx", (unsigned long long)random);
    int file = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (file >= 0 &&
        posix_fallocate(file, 0, (off_t)nbytes) != 0) { /* no room now is better than SIGBUS later */
        close(file);
        shm_unlink(name);
        file = -1;
    }
    return file;
}

static Mailboxes *map_memory(int file, int rank, int size, size_t nbytes) {
    Mailboxes *mailboxes = calloc(1, sizeof *mailboxes + (size_t)size * sizeof *mailboxes->counts);
    if (!mailboxes)
        return NULL;
    void *memory = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) {
        free(mailboxes);
        return NULL;
    }
    mailboxes->rank = rank;
    mailboxes->size = size;
    mailboxes->boxes = memory;
    mailboxes->nbytes = nbytes;
    return mailboxes;
}

/* Whether all ranks are on this machine, and few enough. */
static int are_neighbours(MPI_Comm comm, int size, bool *neighbours) {
    MPI_Comm machine;
    int here = 0, code = MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_size(machine, &here);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_free(&machine);
    *neighbours = here == size;
    return code;
}

int mailboxes_open(MPI_Comm comm, Mailboxes **mailboxes) {
    char name[32] = "";
    int rank, size, file = -1, all = 0;
    bool neighbours = false;
    *mailboxes = NULL;
    int code = MPI_Comm_rank(comm, &rank);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_size(comm, &size);
    if (code != MPI_SUCCESS || size == 1 || size > MOST_RANKS)
        return code;
    if ((code = are_neighbours(comm, size, &neighbours)) != MPI_SUCCESS)
        return code;
    size_t nbytes = (size_t)size * (size_t)size * sizeof(Box);
    const char *wanted = getenv("POLYMPI_MAILBOXES"); /* "0": none, as where ranks are on several machines */
    if (rank == 0 && neighbours && !(wanted && strcmp(wanted, "0") == 0))
        file = create_memory(name, sizeof name, nbytes);
    if (rank == 0 && file < 0)
        name[0] = '\0';
    if ((code = MPI_Bcast(name, sizeof name, MPI_BYTE, 0, comm)) != MPI_SUCCESS)
        return code;
    if (rank != 0 && name[0] && neighbours)
        file = shm_open(name, O_RDWR, 0600);
    Mailboxes *mine = file >= 0 ? map_memory(file, rank, size, nbytes) : NULL;
    if (file >= 0)
        close(file);
    int own = mine != NULL;
    code = MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MIN, comm);
    if (rank == 0 && name[0])
        shm_unlink(name); /* it stays as long as it is mapped */
    if (code == MPI_SUCCESS && all)
        *mailboxes = mine;
    else
        mailboxes_close(mine);
    return code;
}

void mailboxes_close(Mailboxes *mailboxes) {
    if (!mailboxes)
        return;
    munmap(mailboxes->boxes, mailboxes->nbytes);
    free(mailboxes);
}
