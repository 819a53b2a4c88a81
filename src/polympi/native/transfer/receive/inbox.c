#include "transfer/receive/inbox.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "base/list.h"

/* As many inboxes as are mapped at once. The first page is that of its descriptor; where inboxes lie is never
 * touched here. */
#define SHELF_BYTES ((size_t)1 << 20)
enum { SHELF_HEAD = 512, SHELF_INBOXES = (int)((SHELF_BYTES - SHELF_HEAD) / sizeof(Inbox)) };

/* Shelves that are kept unused: fresh pages cost a message more than all else, and programs have their many
 * receives again and again. */
enum { MOST_EMPTY = 64 };

typedef struct shelf {
    struct shelf *next, *previous; /* of those with unused inboxes */
    int unused;
    uint8_t free[SHELF_INBOXES]; /* the unused ones; the last one is used next */
} Shelf;
_Static_assert(sizeof(Shelf) <= SHELF_HEAD && SHELF_INBOXES <= UINT8_MAX,
               "a shelf does not fit its descriptor");

static Shelf *shelves; /* with unused inboxes */
static int empty;      /* of those, the ones with no inbox in use */

static Inbox *inboxes_of(Shelf *shelf) { return (Inbox *)((char *)shelf + SHELF_HEAD); }

/* A shelf lies at a multiple of its size, so that inboxes find it. */
static Shelf *shelf_map(void) {
    char *start = mmap(NULL, 2 * SHELF_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED)
        return NULL;
    size_t before = -(uintptr_t)start % SHELF_BYTES;
    if (before)
        munmap(start, before);
    munmap(start + before + SHELF_BYTES, SHELF_BYTES - before);
#ifdef MADV_NOHUGEPAGE
    madvise(start + before, SHELF_BYTES, MADV_NOHUGEPAGE); /* a inbox that is touched would fill one */
#endif
    Shelf *shelf = (Shelf *)(start + before);
    shelf->unused = SHELF_INBOXES;
    for (int i = 0; i < SHELF_INBOXES; i++)
        shelf->free[i] = (uint8_t)(SHELF_INBOXES - 1 - i);
    return shelf;
}

Inbox *inbox_take(void) {
    Shelf *shelf = shelves;
    if (!shelf) {
        shelf = shelf_map();
        if (!shelf)
            return NULL;
        CHAIN_PUSH(shelves, shelf);
        empty++;
    }
    empty -= shelf->unused == SHELF_INBOXES;
    Inbox *inbox = &inboxes_of(shelf)[shelf->free[--shelf->unused]];
    if (!shelf->unused)
        CHAIN_REMOVE(shelves, shelf);
    return inbox;
}

void inbox_give(Inbox *inbox) {
    Shelf *shelf = (Shelf *)((uintptr_t)inbox & -SHELF_BYTES);
    if (!shelf->unused)
        CHAIN_PUSH(shelves, shelf);
    shelf->free[shelf->unused++] = (uint8_t)(inbox - inboxes_of(shelf));
    if (shelf->unused < SHELF_INBOXES)
        return;
    if (empty == MOST_EMPTY) {
        CHAIN_REMOVE(shelves, shelf);
        munmap(shelf, SHELF_BYTES);
    } else
        empty++;
}

/* ---- targets ---- */

enum { MOST_UNUSED = 64 };
static Target *free_targets[MOST_UNUSED];
static int free_target_count;

Target *target_new(PyObject *object, const Call *call) {
    Target *target = free_target_count ? free_targets[--free_target_count] : malloc(sizeof *target);
    if (unlikely(!target))
        PyErr_NoMemory();
    else if (unlikely(object && target_open(target, object, call) < 0)) {
        free(target);
        target = NULL;
    }
    return target;
}

void target_give(Target *target) {
    target_close(target);
    if (free_target_count < MOST_UNUSED)
        free_targets[free_target_count++] = target;
    else
        free(target);
}
