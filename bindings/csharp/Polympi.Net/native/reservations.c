/* Address space for messages whose size the receiver does not know: the system gives it memory where a
   message is written only. A receive can thus be posted for the largest message there may be. */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "handles.h"

enum { RESIDENT = 1 << 20, LEAST = 1 << 16, TIGHT = 64 << 20 };

/* Whether address space is limited, or counted as memory: then others need it, too. */
static int space_is_short(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        return 1;
    char mode = '0';
    FILE *file = fopen("/proc/sys/vm/overcommit_memory", "r");
    if (file) {
        if (fread(&mode, 1, 1, file) != 1)
            mode = '0';
        fclose(file);
    }
    return mode == '2';
}

/* Reserves at most `bytes`, and no more than this machine has memory for; sets `bytes` to what it has got. */
void *polympi_net_reserve(int64_t *bytes) {
    const int64_t memory = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    const int64_t most = space_is_short() ? TIGHT : memory;
    if (*bytes > most)
        *bytes = most;
    for (;; *bytes /= 2) {
        void *made = mmap(NULL, (size_t)*bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (made != MAP_FAILED) {
            madvise(made, (size_t)*bytes, MADV_DONTDUMP);
            return made;
        }
        if (*bytes <= LEAST)
            return NULL;
    }
}

/* Gives back the memory of a large message, and keeps that of a small one for the next. */
void polympi_net_trim(void *reserved, int64_t used, int64_t bytes) {
    if (used > RESIDENT && bytes > RESIDENT)
        madvise((char *)reserved + RESIDENT, (size_t)(bytes - RESIDENT), MADV_DONTNEED);
}

void polympi_net_unreserve(void *reserved, int64_t bytes) { munmap(reserved, (size_t)bytes); }
