#define _DEFAULT_SOURCE
#include "arena.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static const size_t page = 4096;
static const size_t huge_page = (size_t)2 << 20;

static size_t round_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

size_t arena_stride(size_t bytes) { return bytes ? round_up(bytes, page) : page; }

bool arena_map(struct arena *arena, size_t size, enum pages pages) {
    /* One huge page more than needed leaves room to align the beginning. */
    const size_t whole = round_up(size, huge_page);
    void *map = mmap(NULL, whole + huge_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED)
        return false;
    unsigned char *base = (unsigned char *)round_up((uintptr_t)map, huge_page);
    if (pages == HUGE_PAGES)
        madvise(base, whole, MADV_HUGEPAGE); /* advice: a kernel without huge pages serves small ones */
    memset(base, 1, whole); /* not zero: that could leave the one shared zero page in place */
    *arena = (struct arena){.base = base, .size = whole, .map = map, .map_size = whole + huge_page};
    return true;
}

int64_t arena_huge_bytes(const struct arena *arena) {
    const uintptr_t from = (uintptr_t)arena->base, to = from + arena->size;
    FILE *maps = fopen("/proc/self/smaps", "r");
    char line[512];
    bool ours = false;
    unsigned long long first, last;
    long long bytes = 0, kib;
    while (maps && fgets(line, sizeof line, maps))
        if (sscanf(line, "%llx-%llx ", &first, &last) == 2)
            ours = first < to && from < last;
        else if (ours && sscanf(line, "AnonHugePages: %lld kB", &kib) == 1)
            bytes += 1024 * kib;
    if (maps)
        fclose(maps);
    return bytes < (int64_t)arena->size ? bytes
                                        : (int64_t)arena->size; /* a neighbour can share the mapping */
}

void arena_unmap(struct arena *arena) {
    munmap(arena->map, arena->map_size);
    *arena = (struct arena){0};
}

void *arena_carve(struct arena *arena, size_t count, size_t bytes) {
    void *buffer = arena->base ? arena->base + arena->used : NULL;
    arena->used += count * arena_stride(bytes);
    assert(!arena->base || arena->used <= arena->size);
    return buffer;
}
