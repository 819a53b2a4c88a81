#include "memory/heap.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "memory/pool.h"

/* Smaller objects fit what malloc keeps anyway (128 KiB), a few at a time. */
#define LEAST ((Py_ssize_t)16 << 10)
/* The most that malloc takes from the heap at once, on machines of 64 bits. */
#define MOST (32 << 20)

#ifdef M_TRIM_THRESHOLD
static bool user_has_chosen(void) {
    const char *tunables = getenv("GLIBC_TUNABLES");
    return getenv("MALLOC_TRIM_THRESHOLD_") || getenv("MALLOC_MMAP_THRESHOLD_") ||
           (tunables && strstr(tunables, "glibc.malloc"));
}

static void keep_freed_memory(Py_ssize_t limit) {
    mallopt(M_MMAP_THRESHOLD, MOST);
    mallopt(M_TRIM_THRESHOLD, limit < INT_MAX ? (int)limit : INT_MAX);
}
#endif

void heap_expect(Py_ssize_t nbytes) {
#ifdef M_TRIM_THRESHOLD
    static bool done;
    if (likely(nbytes < LEAST || done))
        return;
    done = true;
    Py_ssize_t limit = pool_limit();
    if (limit >= LEAST && !user_has_chosen())
        keep_freed_memory(limit);
#else
    (void)nbytes;
#endif
}
