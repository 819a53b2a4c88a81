#define _GNU_SOURCE /* getrandom */
#include "collectives/mailbox.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "collectives/board.h"
#include "collectives/call_log.h"

/* All boxes of a communicator take so much at most: 16 ranks have 16 * 16 of 16 KiB, 32 ranks 32 * 32 of 4
 * KiB. All of /dev/shm is 64 MiB in a container. */
enum { MOST_BOX = 16 * 1024, MOST_BYTES = 16 * 16 * MOST_BOX };

/* A box has 4 letters of a page: a rank may be a call ahead, and a call has at most two messages for a rank.
 * Where ranks share processors one should get far ahead before it has to wait for the others: then there are
 * more, and small ones, of which a message takes several. */
enum { FEW_LETTERS = 4, SMALL_LETTER = 512, MANY_LETTERS = 16 };

typedef struct {
    _Atomic uint64_t number; /* of the letter, from 1; that of the first one of a message is written last */
    uint32_t collective;
    uint32_t nbytes; /* of the message */
    char data[];
} Letter;

/* Letters follow it. */
typedef struct {
    _Alignas(64) _Atomic uint64_t taken; /* letters the receiver has taken */
} Box;

struct Mailboxes {
    int rank, size;
    size_t letter, box, board; /* bytes of one, multiples of 64 */
    uint64_t letters, most;    /* in a box, a power of two; of a message */
    char *boxes;               /* shared: [sender * size + receiver] */
    char *boards;              /* in the same memory: [rank]; NULL: there are none */
    size_t nbytes;             /* of that memory */
    struct {
        uint64_t posted, taken; /* letters to that rank, and from it */
        uint64_t seen;          /* so many of those to that rank were taken when this one last looked */
    } counts[];
};

static Box *box_of(const Mailboxes *mailboxes, int sender, int receiver) {
    size_t before = (size_t)sender * (size_t)mailboxes->size + (size_t)receiver;
    return (Box *)(mailboxes->boxes + before * mailboxes->box);
}

static Letter *letter_of(const Mailboxes *mailboxes, Box *box, uint64_t count) {
    return (Letter *)((char *)(box + 1) + (count & (mailboxes->letters - 1)) * mailboxes->letter);
}

/* What one letter holds. */
static size_t letter_room(const Mailboxes *mailboxes) { return mailboxes->letter - offsetof(Letter, data); }

Py_ssize_t mail_room(const Mailboxes *mailboxes) {
    return (Py_ssize_t)(mailboxes->most * letter_room(mailboxes));
}

/* The letters that a message takes. */
static uint64_t letters_of(const Mailboxes *mailboxes, size_t nbytes) {
    size_t room = letter_room(mailboxes);
    return likely(nbytes <= room) ? 1 : (nbytes + room - 1) / room;
}

static void write_letter(Letter *letter, uint64_t number, uint32_t collective, const char *message,
                         size_t nbytes, size_t part) {
    letter->collective = collective;
    letter->nbytes = (uint32_t)nbytes;
    memcpy(letter->data, message, part);
    atomic_store_explicit(&letter->number, number, memory_order_release);
}

/* Whether there is room for so many letters after those that were posted. What was seen before mostly tells:
 * the count itself is written by another processor, so that each look at it takes some 30 ns. */
static inline bool is_room(Mailboxes *mailboxes, const Box *box, int dest, uint64_t letters) {
    uint64_t end = mailboxes->counts[dest].posted + letters;
    if (likely(end - mailboxes->counts[dest].seen <= mailboxes->letters))
        return true;
    mailboxes->counts[dest].seen = atomic_load_explicit(&box->taken, memory_order_acquire);
    return end - mailboxes->counts[dest].seen <= mailboxes->letters;
}

bool mail_post(Mailboxes *mailboxes, uint32_t collective, const void *message, Py_ssize_t nbytes, int dest) {
    Box *box = box_of(mailboxes, mailboxes->rank, dest);
    size_t all = (size_t)nbytes, room = letter_room(mailboxes);
    uint64_t posted = mailboxes->counts[dest].posted, letters = letters_of(mailboxes, all);
    if (unlikely(!is_room(mailboxes, box, dest, letters)))
        return false;
    for (uint64_t i = letters - 1; unlikely(i > 0); i--) {
        size_t part = all - i * room < room ? all - i * room : room;
        write_letter(letter_of(mailboxes, box, posted + i), posted + i + 1, collective,
                     (const char *)message + i * room, all, part);
    }
    write_letter(letter_of(mailboxes, box, posted), posted + 1, collective, message, all,
                 letters == 1 ? all : room);
    mailboxes->counts[dest].posted = posted + letters;
    return true;
}

static const Letter *next_letter(const Mailboxes *mailboxes, int source) {
    return letter_of(mailboxes, box_of(mailboxes, source, mailboxes->rank), mailboxes->counts[source].taken);
}

Py_ssize_t mail_look(const Mailboxes *mailboxes, uint32_t collective, int source, const char **message) {
    const Letter *letter = next_letter(mailboxes, source);
    uint64_t taken = mailboxes->counts[source].taken;
    if (atomic_load_explicit(&letter->number, memory_order_acquire) != taken + 1)
        return NO_MAIL;
    if (unlikely(letter->collective != collective)) /* numbers of calls wrap around */
        return (int32_t)(letter->collective - collective) < 0 ? EARLIER_MAIL : LATER_MAIL;
    *message = letter->data;
    return letter->nbytes;
}

uint32_t mail_number(const Mailboxes *mailboxes, int source) {
    return next_letter(mailboxes, source)->collective;
}

/* So many letters are taken now. */
static inline void leave_letters(Mailboxes *mailboxes, Box *box, int source, uint64_t taken) {
    mailboxes->counts[source].taken = taken;
    atomic_store_explicit(&box->taken, taken, memory_order_release);
}

void mail_drop(Mailboxes *mailboxes, int source) {
    uint64_t letters = letters_of(mailboxes, next_letter(mailboxes, source)->nbytes);
    leave_letters(mailboxes, box_of(mailboxes, source, mailboxes->rank), source,
                  mailboxes->counts[source].taken + letters);
}

Py_ssize_t mail_take(Mailboxes *mailboxes, int source, void *memory, Py_ssize_t most) {
    Box *box = box_of(mailboxes, source, mailboxes->rank);
    uint64_t taken = mailboxes->counts[source].taken;
    const Letter *letter = letter_of(mailboxes, box, taken);
    size_t all = letter->nbytes, nbytes = all < (size_t)most ? all : (size_t)most;
    size_t room = letter_room(mailboxes), done = nbytes < room ? nbytes : room;
    memcpy(memory, letter->data, done);
    for (uint64_t next = taken + 1; unlikely(done < nbytes); done += room)
        memcpy((char *)memory + done, letter_of(mailboxes, box, next++)->data,
               nbytes - done < room ? nbytes - done : room);
    leave_letters(mailboxes, box, source, taken + letters_of(mailboxes, all));
    return (Py_ssize_t)nbytes;
}

CallLog *mail_log(const Mailboxes *mailboxes, int rank) {
    _Static_assert(sizeof(CallLog) <= MOST_BYTES / (MOST_NEIGHBOURS * MOST_NEIGHBOURS),
                   "a log fits into a box");
    return (CallLog *)box_of(mailboxes, rank, rank);
}

Board *mail_board(const Mailboxes *mailboxes, int rank) {
    return mailboxes->boards ? (Board *)(mailboxes->boards + (size_t)rank * mailboxes->board) : NULL;
}

/* ---- setting up ---- */

/* Where the boards begin. */
static size_t boxes_bytes(const Mailboxes *mailboxes) {
    size_t ranks = (size_t)mailboxes->size, alignment = BOARD_ALIGNMENT;
    return (ranks * ranks * mailboxes->box + alignment - 1) / alignment * alignment;
}

static void lay_out_boxes(Mailboxes *mailboxes) {
    size_t ranks = (size_t)mailboxes->size, box = MOST_BOX;
    while (ranks * ranks * box > MOST_BYTES)
        box /= 2;
    mailboxes->letters = state.crowded ? MANY_LETTERS : FEW_LETTERS;
    mailboxes->letter = box / mailboxes->letters;
    if (state.crowded && mailboxes->letter > SMALL_LETTER) {
        mailboxes->letter = SMALL_LETTER;
        mailboxes->letters = box / SMALL_LETTER;
    }
    mailboxes->most = state.crowded ? mailboxes->letters / 2 : 1;
    mailboxes->box = sizeof(Box) + box;
}

/* What a rank knows of them, without the memory; NULL where there is none for that. Boards are for ranks that
 * share processors. */
static Mailboxes *lay_out(int rank, int size) {
    size_t ranks = (size_t)size;
    Mailboxes *mailboxes = calloc(1, sizeof *mailboxes + ranks * sizeof *mailboxes->counts);
    if (!mailboxes)
        return NULL;
    mailboxes->rank = rank;
    mailboxes->size = size;
    lay_out_boxes(mailboxes);
    mailboxes->board = board_bytes(size);
    mailboxes->nbytes = boxes_bytes(mailboxes) + (state.crowded ? ranks * mailboxes->board : 0);
    return mailboxes;
}

/* A new piece of shared memory under a new name; its descriptor, or -1. */
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

static bool map_memory(Mailboxes *mailboxes, int file) {
    void *memory = mmap(NULL, mailboxes->nbytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED)
        return false;
    mailboxes->boxes = memory;
    if (state.crowded)
        mailboxes->boards = mailboxes->boxes + boxes_bytes(mailboxes);
    return true;
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
    if (code != MPI_SUCCESS || size == 1 || size > MOST_NEIGHBOURS)
        return code;
    if ((code = are_neighbours(comm, size, &neighbours)) != MPI_SUCCESS)
        return code;
    Mailboxes *mine = lay_out(rank, size);
    const char *wanted = getenv("POLYMPI_MAILBOXES"); /* "0": none, as where ranks are on several machines */
    if (rank == 0 && mine && neighbours && !(wanted && strcmp(wanted, "0") == 0))
        file = create_memory(name, sizeof name, mine->nbytes);
    if (rank == 0 && file < 0)
        name[0] = '\0';
    if ((code = MPI_Bcast(name, sizeof name, MPI_BYTE, 0, comm)) != MPI_SUCCESS) {
        mailboxes_close(mine);
        return code;
    }
    if (rank != 0 && name[0] && neighbours)
        file = shm_open(name, O_RDWR, 0600);
    int own = mine && file >= 0 && map_memory(mine, file);
    if (file >= 0)
        close(file);
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
    if (mailboxes->boxes)
        munmap(mailboxes->boxes, mailboxes->nbytes);
    free(mailboxes);
}
