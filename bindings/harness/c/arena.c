#define _DEFAULT_SOURCE
#include "polympi_harness.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static const int64_t page = 4096;
static const int64_t huge_page = (int64_t)2 << 20;

static int64_t round_up(int64_t bytes, int64_t unit) { return (bytes + unit - 1) / unit * unit; }

int64_t polympi_arena_stride(int64_t bytes) { return bytes ? round_up(bytes, page) : page; }

int32_t polympi_arena_map(struct polympi_arena *arena, int64_t size, int32_t pages) {
    /* One huge page more than needed leaves room to align the beginning. */
    const int64_t whole = round_up(size, huge_page);
    void *map =
        mmap(NULL, (size_t)(whole + huge_page), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED)
        return 0;
    unsigned char *base = (unsigned char *)(intptr_t)round_up((intptr_t)map, huge_page);
    if (pages == POLYMPI_HUGE_PAGES)
        madvise(base, (size_t)whole,
                MADV_HUGEPAGE);     /* advice: a kernel without huge pages serves small ones */
    memset(base, 1, (size_t)whole); /* not zero: that could leave the one shared zero page in place */
    *arena = (struct polympi_arena){.base = base, .size = whole, .map = map, .map_size = whole + huge_page};
    return 1;
}

int64_t polympi_arena_huge_bytes(const struct polympi_arena *arena) {
    const uintptr_t from = (uintptr_t)arena->base, to = from + (uintptr_t)arena->size;
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
    return bytes < arena->size ? bytes : arena->size; /* a neighbour can share the mapping */
}

void polympi_arena_unmap(struct polympi_arena *arena) {
    munmap(arena->map, (size_t)arena->map_size);
    *arena = (struct polympi_arena){0};
}

void *polympi_arena_carve(struct polympi_arena *arena, int64_t count, int64_t bytes) {
    void *buffer = arena->base ? arena->base + arena->used : NULL;
    arena->used += count * polympi_arena_stride(bytes);
    assert(!arena->base || arena->used <= arena->size);
    return buffer;
}
