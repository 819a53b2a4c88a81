#include "memory/blocks.h"

#include <stdlib.h>

/* Sizes are rounded up to a multiple of a line of the cache; what is larger than the last class is malloc's:
 * a message of 1 KiB with what is known of it. Of each class as many blocks are kept as are in windows of
 * usual programs. */
enum { LINE = 64, CLASSES = 24, MOST_KEPT = 128 };

typedef struct block {
    struct block *next;
} Block;

static struct {
    Block *first;
    int kept;
} classes[CLASSES];

/* The class of a size; CLASSES and more: none. */
static size_t class_of(size_t nbytes) { return nbytes ? (nbytes - 1) / LINE : 0; }

void *block_take(size_t nbytes) {
    size_t class = class_of(nbytes);
    if (class >= CLASSES)
        return malloc(nbytes);
    Block *block = classes[class].first;
    if (!block)
        return malloc((class + 1) * LINE);
    classes[class].first = block->next;
    classes[class].kept--;
    return block;
}

void block_give(void *block, size_t nbytes) {
    size_t class = class_of(nbytes);
#ifdef __SANITIZE_ADDRESS__
    class = CLASSES; /* which tells of memory that is used after it was given back */
#endif
    if (class >= CLASSES || !block || classes[class].kept == MOST_KEPT) {
        free(block);
        return;
    }
    *(Block *)block = (Block){.next = classes[class].first};
    classes[class].first = block;
    classes[class].kept++;
}
