#include "collectives/mailbox.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/board.h"
#include "collectives/call_log.h"
#include "transport/sleepers.h"

/* All boxes of a communicator take at most MOST_BYTES, but each at least LEAST_BOX: 32 ranks of which each
 * sends to each have 32 * 32 of 4 KiB. All of /dev/shm is 64 MiB in a container. */
enum { MOST_BOX = 16 * 1024, LEAST_BOX = 4 * 1024, MOST_BYTES = 4 << 20 };

/* A box has 4 letters of a page: a rank may be a call ahead, and a call has at most two messages for a rank.
 * On an oversubscribed machine a rank should get far ahead before it has to wait for the others: then there
 * are more and smaller letters, of which a message takes several. */
enum { FEW_LETTERS = 4, SMALL_LETTER = 512, MANY_LETTERS = 16 };

/* ---- in shared memory ---- */

typedef struct {
    _Atomic uint64_t number; /* from 1; that of a message's first letter is written last */
    uint32_t collective;
    uint32_t nbytes; /* of the message */
    char data[];
} Letter;

/* Letters follow it. */
typedef struct {
    _Alignas(64) _Atomic uint64_t taken; /* letters the receiver has taken */
} Box;

/* A rank's memory of a communicator, which it allocates and frees itself. */
typedef struct {
    CallLog log;
    SharedPlace sleeper;                /* of the rank */
    _Alignas(64) _Atomic uint32_t left; /* how many of the neighbours no longer read it */
    _Atomic SharedPlace board;          /* NOWHERE: none yet */
    _Atomic SharedPlace boxes[];        /* for each neighbour, by its index; likewise */
} Desk;

enum { REFUSED = UINT32_MAX }; /* in Desk.boxes: there will never be one */

/* ---- in this process ---- */

typedef struct {
    uint64_t posted; /* letters to a rank */
    uint64_t seen;   /* how many of those were taken when this rank last looked */
    Box *out;
    uint64_t taken; /* letters from it */
    Box *in;
} Pair;

struct Mailboxes {
    int rank, size;
    int neighbours, own_place; /* the ranks of this machine including this one, and its index among them */
    size_t letter, box;        /* bytes of one, multiples of 64 */
    uint64_t letters, most;    /* letters of a box, a power of two; of a message at most */
    Desk **desks;              /* by rank; NULL: on another machine */
    size_t desk, board;        /* bytes of this rank's */
    SharedPlace own_desk;
    struct Mailboxes *next_left; /* in `left` */
    Pair pairs[];                /* by rank */
};

/* These stand for a box that isn't made yet, and for one that never will be: without letters, and without
 * room. So only a rank that would have to wait checks for them. */
#define NO_ROOM (UINT64_MAX / 2)
static struct {
    Box box;
    Letter letter;
} unmade = {.box = {.taken = NO_ROOM}}, refused = {.box = {.taken = NO_ROOM}};

static bool is_made(const Box *box) { return box != &unmade.box && box != &refused.box; }

bool mail_reaches(const Mailboxes *mailboxes, int rank) { return mailboxes && mailboxes->desks[rank]; }

static Letter *letter_of(const Mailboxes *mailboxes, Box *box, uint64_t count) {
    return (Letter *)((char *)(box + 1) + (count & (mailboxes->letters - 1)) * mailboxes->letter);
}

/* ---- memory ---- */

static Mailboxes *left; /* closed by this rank, while others may still read its memory */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* of `left` */

static void give_box(Box *box, size_t nbytes) {
    if (is_made(box))
        shared_give(shared_place(box), nbytes);
}

static void give_back(Mailboxes *mailboxes) {
    const Desk *desk = mailboxes->desks[mailboxes->rank];
    for (int rank = 0; rank < mailboxes->size; rank++)
        give_box(mailboxes->pairs[rank].out, mailboxes->box);
    if (desk->board != NOWHERE)
        shared_give(desk->board, mailboxes->board);
    shared_give(mailboxes->own_desk, mailboxes->desk);
    free(mailboxes);
}

static void free_left(void) {
    pthread_mutex_lock(&mutex);
    for (Mailboxes **link = &left; *link;) {
        Mailboxes *mailboxes = *link;
        const Desk *desk = mailboxes->desks[mailboxes->rank];
        if (atomic_load_explicit(&desk->left, memory_order_acquire) < (uint32_t)mailboxes->neighbours) {
            link = &mailboxes->next_left;
            continue;
        }
        *link = mailboxes->next_left;
        give_back(mailboxes);
    }
    pthread_mutex_unlock(&mutex);
}

static SharedPlace take_memory(size_t nbytes, size_t alignment) {
    free_left();
    return shared_take(nbytes, alignment);
}

/* ---- messages ---- */

/* Bytes of one letter. */
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

/* Make the box for a rank. False where there will be none. */
static bool make_box(Mailboxes *mailboxes, int dest) {
    Pair *pair = &mailboxes->pairs[dest];
    if (pair->out == &refused.box)
        return false;
    int place = 0;
    for (int rank = 0; rank < dest; rank++)
        place += mailboxes->desks[rank] != NULL;
    SharedPlace at = take_memory(mailboxes->box, SHARED_UNIT);
    pair->out = &refused.box;
    if (at != NOWHERE) {
        pair->out = shared_at(at);
        pair->seen = 0;
        atomic_init(&pair->out->taken, 0);
        for (uint64_t i = 0; i < mailboxes->letters; i++)
            atomic_init(&letter_of(mailboxes, pair->out, i)->number, 0);
    }
    atomic_store_explicit(&mailboxes->desks[mailboxes->rank]->boxes[place], at == NOWHERE ? REFUSED : at,
                          memory_order_release);
    return at != NOWHERE;
}

/* Whether there is room for this many more letters. Mostly `seen` answers that: the current count is written
 * by another processor, so reading it takes some 30 ns. */
static inline bool is_room(const Mailboxes *mailboxes, Pair *pair, uint64_t letters) {
    uint64_t end = pair->posted + letters;
    if (likely(end - pair->seen <= mailboxes->letters))
        return true;
    pair->seen = atomic_load_explicit(&pair->out->taken, memory_order_acquire);
    return end - pair->seen <= mailboxes->letters;
}

void mail_wake(const Mailboxes *mailboxes, int rank) { wake_at(mailboxes->desks[rank]->sleeper); }

int mail_post(Mailboxes *mailboxes, uint32_t collective, const void *message, Py_ssize_t nbytes, int dest) {
    Pair *pair = &mailboxes->pairs[dest];
    size_t all = (size_t)nbytes, room = letter_room(mailboxes);
    uint64_t posted = pair->posted, letters = letters_of(mailboxes, all);
    if (unlikely(!is_room(mailboxes, pair, letters))) {
        if (likely(is_made(pair->out)))
            return 0;
        if (!make_box(mailboxes, dest))
            return NO_BOX;
    }
    Box *box = pair->out;
    for (uint64_t i = letters - 1; unlikely(i > 0); i--) {
        size_t part = all - i * room < room ? all - i * room : room;
        write_letter(letter_of(mailboxes, box, posted + i), posted + i + 1, collective,
                     (const char *)message + i * room, all, part);
    }
    write_letter(letter_of(mailboxes, box, posted), posted + 1, collective, message, all,
                 letters == 1 ? all : room);
    pair->posted = posted + letters;
    mail_wake(mailboxes, dest);
    return 1;
}

/* Find the box that the sender may have made by now: 1, 0 if it hasn't, or NO_BOX. */
static int find_box(Mailboxes *mailboxes, int source) {
    Pair *pair = &mailboxes->pairs[source];
    if (pair->in == &refused.box)
        return NO_BOX;
    SharedPlace at =
        atomic_load_explicit(&mailboxes->desks[source]->boxes[mailboxes->own_place], memory_order_acquire);
    if (at == NOWHERE)
        return 0;
    pair->in = at == REFUSED ? &refused.box : shared_at(at);
    return at == REFUSED ? NO_BOX : 1;
}

Py_ssize_t mail_look(Mailboxes *mailboxes, uint32_t collective, int source, const char **message) {
    const Pair *pair = &mailboxes->pairs[source];
    uint64_t taken = pair->taken;
    const Letter *letter = letter_of(mailboxes, pair->in, taken);
    if (atomic_load_explicit(&letter->number, memory_order_acquire) != taken + 1) {
        if (likely(is_made(pair->in)))
            return NO_MAIL;
        int found = find_box(mailboxes, source);
        return found > 0 ? mail_look(mailboxes, collective, source, message) : found < 0 ? NO_BOX : NO_MAIL;
    }
    if (unlikely(letter->collective != collective)) /* numbers of calls wrap around */
        return (int32_t)(letter->collective - collective) < 0 ? EARLIER_MAIL : LATER_MAIL;
    *message = letter->data;
    return letter->nbytes;
}

static const Letter *next_letter(const Mailboxes *mailboxes, int source) {
    const Pair *pair = &mailboxes->pairs[source];
    return letter_of(mailboxes, pair->in, pair->taken);
}

uint32_t mail_number(const Mailboxes *mailboxes, int source) {
    return next_letter(mailboxes, source)->collective;
}

/* Report how many letters are taken: their sender may wait for room. */
static inline void leave_letters(Mailboxes *mailboxes, int source, uint64_t taken) {
    Pair *pair = &mailboxes->pairs[source];
    pair->taken = taken;
    atomic_store_explicit(&pair->in->taken, taken, memory_order_release);
    mail_wake(mailboxes, source);
}

void mail_drop(Mailboxes *mailboxes, int source) {
    uint64_t letters = letters_of(mailboxes, next_letter(mailboxes, source)->nbytes);
    leave_letters(mailboxes, source, mailboxes->pairs[source].taken + letters);
}

Py_ssize_t mail_take(Mailboxes *mailboxes, int source, void *memory, Py_ssize_t most) {
    const Pair *pair = &mailboxes->pairs[source];
    uint64_t taken = pair->taken;
    const Letter *letter = letter_of(mailboxes, pair->in, taken);
    size_t all = letter->nbytes, nbytes = all < (size_t)most ? all : (size_t)most;
    size_t room = letter_room(mailboxes), done = nbytes < room ? nbytes : room;
    memcpy(memory, letter->data, done);
    for (uint64_t next = taken + 1; unlikely(done < nbytes); done += room)
        memcpy((char *)memory + done, letter_of(mailboxes, pair->in, next++)->data,
               nbytes - done < room ? nbytes - done : room);
    leave_letters(mailboxes, source, taken + letters_of(mailboxes, all));
    return (Py_ssize_t)nbytes;
}

/* ---- logs and boards ---- */

CallLog *mail_log(const Mailboxes *mailboxes, int rank) { return &mailboxes->desks[rank]->log; }

Board *mail_board(const Mailboxes *mailboxes, int rank) {
    SharedPlace at = atomic_load_explicit(&mailboxes->desks[rank]->board, memory_order_acquire);
    return at == NOWHERE ? NULL : shared_at(at);
}

Board *mail_make_board(Mailboxes *mailboxes, size_t nbytes, size_t zeros) {
    SharedPlace at = take_memory(nbytes, BOARD_ALIGNMENT);
    if (at == NOWHERE)
        return NULL;
    mailboxes->board = nbytes;
    memset(shared_at(at), 0, zeros);
    atomic_store_explicit(&mailboxes->desks[mailboxes->rank]->board, at, memory_order_release);
    return shared_at(at);
}

/* ---- setting up ---- */

static size_t desk_bytes(int neighbours) { return sizeof(Desk) + (size_t)neighbours * sizeof(SharedPlace); }

/* About how many others a rank sends to. */
static size_t partners(int neighbours) {
    if (state.oversubscribed && neighbours <= MOST_OVERSUBSCRIBED)
        return (size_t)neighbours;
    size_t rounds = 0;
    while ((size_t)1 << rounds < (size_t)neighbours)
        rounds++;
    return 2 * rounds; /* up and down a tree, or in each round one in each direction */
}

static void lay_out_boxes(Mailboxes *mailboxes) {
    size_t box = MOST_BOX, boxes = (size_t)mailboxes->neighbours * partners(mailboxes->neighbours);
    while (box > LEAST_BOX && boxes * box > MOST_BYTES)
        box /= 2;
    mailboxes->letters = state.oversubscribed ? MANY_LETTERS : FEW_LETTERS;
    mailboxes->letter = box / mailboxes->letters;
    if (state.oversubscribed && mailboxes->letter > SMALL_LETTER) {
        mailboxes->letter = SMALL_LETTER;
        mailboxes->letters = box / SMALL_LETTER;
    }
    mailboxes->most = state.oversubscribed ? mailboxes->letters / 2 : 1;
    mailboxes->box = sizeof(Box) + box;
}

/* What a rank sends to the others: its machine, and the place of its desk. */
static uint64_t answer(SharedPlace desk) { return (uint64_t)shared_machine << 32 | desk; }
static uint32_t machine_of(uint64_t answer) { return (uint32_t)(answer >> 32); }
static SharedPlace desk_of(uint64_t answer) { return (SharedPlace)answer; }

/* Before the others have answered; NULL if there is no memory. */
static Mailboxes *new_mailboxes(int rank, int size) {
    size_t ranks = (size_t)size, pairs = sizeof(Mailboxes) + ranks * sizeof(Pair),
           desks = ranks * sizeof(Desk *);
    Mailboxes *mailboxes = calloc(1, pairs + desks);
    if (!mailboxes)
        return NULL;
    mailboxes->rank = rank;
    mailboxes->size = size;
    mailboxes->desks = (Desk **)((char *)mailboxes + pairs);
    for (int other = 0; other < size; other++)
        mailboxes->pairs[other] = (Pair){.seen = NO_ROOM, .out = &refused.box, .in = &refused.box};
    return mailboxes;
}

/* Make the desk of this rank, with room for all possible neighbours; the answer for the others. */
static uint64_t take_desk(Mailboxes *mailboxes) {
    if (!mailboxes)
        return answer(NOWHERE);
    mailboxes->desk = desk_bytes(mailboxes->size < shared_ranks ? mailboxes->size : shared_ranks);
    mailboxes->own_desk = take_memory(mailboxes->desk, SHARED_UNIT);
    if (mailboxes->own_desk != NOWHERE) {
        Desk *desk = shared_at(mailboxes->own_desk);
        memset(desk, 0, mailboxes->desk);
        desk->sleeper = sleeper_place();
    }
    return answer(mailboxes->own_desk);
}

/* Whether all ranks are on one machine and have desks. */
static bool are_together(const uint64_t *answers, int size) {
    for (int rank = 0; rank < size; rank++)
        if (!machine_of(answers[rank]) || machine_of(answers[rank]) != machine_of(answers[0]) ||
            desk_of(answers[rank]) == NOWHERE)
            return false;
    return true;
}

/* Find the desks of this machine. Whether all its ranks have one, and there are several. */
static bool find_desks(Mailboxes *mailboxes, const uint64_t *answers) {
    for (int rank = 0; rank < mailboxes->size; rank++) {
        if (machine_of(answers[rank]) != shared_machine)
            continue;
        if (desk_of(answers[rank]) == NOWHERE)
            return false;
        mailboxes->desks[rank] = shared_at(desk_of(answers[rank]));
        if (rank == mailboxes->rank)
            mailboxes->own_place = mailboxes->neighbours;
        else
            mailboxes->pairs[rank] = (Pair){.seen = NO_ROOM, .out = &unmade.box, .in = &unmade.box};
        mailboxes->neighbours++;
    }
    return mailboxes->neighbours > 1;
}

int mailboxes_open(MPI_Comm comm, Mailboxes **mailboxes, bool *together) {
    int rank, size;
    *mailboxes = NULL;
    *together = false;
    int code = MPI_Comm_rank(comm, &rank);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_size(comm, &size);
    if (code != MPI_SUCCESS || size == 1)
        return code;
    Mailboxes *mine = shared_machine ? new_mailboxes(rank, size) : NULL;
    uint64_t own = take_desk(mine),
             *answers = malloc((size_t)size * sizeof *answers); /* not static: several threads may be here */
    code = answers ? MPI_Allgather(&own, 1, MPI_UINT64_T, answers, 1, MPI_UINT64_T, comm) : MPI_ERR_OTHER;
    if (code != MPI_SUCCESS) {
        free(answers);
        free(mine); /* not the desk: others may have found it */
        return code;
    }
    *together = are_together(answers, size);
    if (mine && find_desks(mine, answers)) {
        lay_out_boxes(mine);
        *mailboxes = mine;
    } else if (mine) {
        if (mine->own_desk != NOWHERE)
            shared_give(mine->own_desk, mine->desk);
        free(mine);
    }
    free(answers);
    return code;
}

void mailboxes_close(Mailboxes *mailboxes) {
    if (!mailboxes || state.phase == FORKED)
        return;
    for (int rank = 0; rank < mailboxes->size; rank++)
        if (mailboxes->desks[rank])
            atomic_fetch_add_explicit(&mailboxes->desks[rank]->left, 1, memory_order_acq_rel);
    pthread_mutex_lock(&mutex);
    mailboxes->next_left = left;
    left = mailboxes;
    pthread_mutex_unlock(&mutex);
    free_left();
}
