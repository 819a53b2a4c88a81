/* The memory of all message buffers, under the buffer policy of docs/protocol.md. */
#ifndef POLYMPI_ARENA_H
#define POLYMPI_ARENA_H

#include "plan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One memory map, from which buffers are carved in a row. Without memory (base NULL) carving only counts. */
struct arena {
    unsigned char *base; /* where buffers begin, aligned */
    size_t size;
    void *map; /* the whole map, with the rest before the base */
    size_t map_size;
    size_t used;
};

/* Bytes from one buffer to the next when each holds `bytes`: the next multiple of 4096, at least one. */
size_t arena_stride(size_t bytes);

/* Maps `size` bytes aligned to 2 MiB, asks for huge pages or for nothing, and writes every page; false
 * without memory. */
bool arena_map(struct arena *arena, size_t size, enum pages pages);

/* Bytes of the arena that lie on huge pages, as the kernel says; 0 where it does not. */
int64_t arena_huge_bytes(const struct arena *arena);

void arena_unmap(struct arena *arena);

/* Carves `count` buffers of `bytes` each, arena_stride(bytes) apart. */
void *arena_carve(struct arena *arena, size_t count, size_t bytes);

#endif
