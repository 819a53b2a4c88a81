/* The pool: slabs of whole huge pages, cut into slots for all but the largest arrays.
 *
 * A slab is in use, or has some slots in use, or is kept for a later use, of any size. Its
 * memory is never touched here: what is known of it lies in a descriptor, found by address, because NumPy's
 * idea of the size of an array's memory need not be that with which it was allocated.
 */
#include "memory/pool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/list.h"

#define NO_IMPORT_ARRAY /* the table of the API is in array.c */
#include <numpy/ndarraytypes.h>

#define HUGE_PAGE ((size_t)2 << 20)

/* Below one small page malloc is as good: its heap is warm, and there are few pages to look up. */
#define LEAST_POOLED ((size_t)4096)

/* How much unused memory is kept: several of the largest messages of common programs, and an eighth of the 2
 * GiB that a core has on a lean machine. POLYMPI_POOL_BYTES changes it; less than one slab: no pool at
 * all. */
#define KEPT_BYTES ((Py_ssize_t)256 << 20)

enum { ALIGNMENT = 64, MOST_SLOTS = HUGE_PAGE / LEAST_POOLED };

typedef struct slab {
    char *memory;               /* aligned to HUGE_PAGE */
    size_t capacity;            /* a multiple of HUGE_PAGE */
    size_t slot_bytes;          /* of the pieces it is cut into; its capacity for a single one */
    int slots, unused;          /* how many pieces, and how many of them wait in `free` */
    struct slab *newer, *older; /* in the list it is in, if any */
    uint16_t free[];            /* in slabs of one huge page: the unused slots; the last one is used next */
} Slab;

typedef struct {
    Slab *newest, *oldest;
} List;

/* Sizes of pieces: four steps a doubling, so that at most a fifth is unused; from 2^12 to 2^20 in slots. */
enum { FIRST_DOUBLING = 12, SLOT_DOUBLINGS = 8, STEPS = 4, SLOT_SIZES = SLOT_DOUBLINGS * STEPS + 1 };

static struct {
    Py_ssize_t limit;         /* of `kept_bytes`; -1: not read from the environment yet */
    List kept;                /* slabs without a piece in use */
    List partial[SLOT_SIZES]; /* slabs of each size of slot with some slots in use, some unused */
    Slab **table;             /* all slabs, by address: open addressing, linear probing */
    size_t table_size, slabs; /* a power of two; how many entries are taken */
    Py_ssize_t kept_bytes, kept_slabs, mapped_bytes, live;
} pool = {.limit = -1};

/* ---- lists ---- */

static void list_add(List *list, Slab *slab) { DEQUE_ADD(list->newest, list->oldest, slab, older, newer); }
static void list_remove(List *list, Slab *slab) {
    DEQUE_REMOVE(list->newest, list->oldest, slab, older, newer);
}

/* ---- the table of slabs ---- */

static size_t table_home(const char *memory) {
    return ((uintptr_t)memory / HUGE_PAGE * 0x9E3779B97F4A7C15u >> 32) & (pool.table_size - 1);
}

/* The slab that holds a piece of memory; NULL when that is malloc's. */
static Slab *table_find(const char *piece) {
    if (!pool.slabs)
        return NULL;
    const char *memory = piece - (uintptr_t)piece % HUGE_PAGE;
    for (size_t at = table_home(memory); pool.table[at]; at = (at + 1) & (pool.table_size - 1))
        if (pool.table[at]->memory == memory)
            return pool.table[at];
    return NULL;
}

static void table_place(Slab *slab) {
    size_t at = table_home(slab->memory);
    while (pool.table[at])
        at = (at + 1) & (pool.table_size - 1);
    pool.table[at] = slab;
}

/* Enter a slab; false when memory for the table is lacking. */
static bool table_add(Slab *slab) {
    if (2 * (pool.slabs + 1) > pool.table_size) {
        size_t size = pool.table_size, new_size = size ? 2 * size : 64;
        Slab **old = pool.table, **new = calloc(new_size, sizeof *new);
        if (!new)
            return false;
        pool.table = new;
        pool.table_size = new_size;
        for (size_t at = 0; at < size; at++)
            if (old[at])
                table_place(old[at]);
        free(old);
    }
    table_place(slab);
    pool.slabs++;
    return true;
}

/* Remove a slab; displaced ones after it move up. */
static void table_remove(const Slab *slab) {
    size_t hole = table_home(slab->memory), last = pool.table_size - 1;
    while (pool.table[hole] != slab)
        hole = (hole + 1) & last;
    for (size_t at = (hole + 1) & last; pool.table[at]; at = (at + 1) & last)
        if (((at - table_home(pool.table[at]->memory)) & last) >= ((at - hole) & last)) {
            pool.table[hole] = pool.table[at];
            hole = at;
        }
    pool.table[hole] = NULL;
    pool.slabs--;
}

/* ---- slabs ---- */

/* Address space of whole huge pages; NULL when there is none. */
static char *map_pages(size_t capacity) {
    size_t room = capacity + HUGE_PAGE;
    if (room < capacity)
        return NULL;
    char *start = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED)
        return NULL;
    size_t before = -(uintptr_t)start % HUGE_PAGE;
    if (before)
        munmap(start, before);
    munmap(start + before + capacity, HUGE_PAGE - before);
#ifdef MADV_HUGEPAGE
    madvise(start + before, capacity, MADV_HUGEPAGE);
#endif
    return start + before;
}

static void slab_unmap(Slab *slab) {
    table_remove(slab);
    munmap(slab->memory, slab->capacity);
    pool.mapped_bytes -= slab->capacity;
    free(slab);
}

static void unkeep(Slab *slab) {
    list_remove(&pool.kept, slab);
    pool.kept_slabs--;
    pool.kept_bytes -= slab->capacity;
}

/* Give kept slabs back to the kernel, the longest unused ones first, until at most `bytes` are kept. */
static void trim(Py_ssize_t bytes) {
    while (pool.kept_bytes > bytes) {
        Slab *slab = pool.kept.oldest;
        unkeep(slab);
        slab_unmap(slab);
    }
}

static void keep_slab(Slab *slab) {
    list_add(&pool.kept, slab);
    pool.kept_slabs++;
    pool.kept_bytes += slab->capacity;
    trim(pool.limit);
}

static Slab *slab_map(size_t capacity) {
    Slab *slab = malloc(sizeof *slab + (capacity == HUGE_PAGE ? MOST_SLOTS * sizeof slab->free[0] : 0));
    if (!slab)
        return NULL;
    *slab = (Slab){.memory = map_pages(capacity), .capacity = capacity};
    if (!slab->memory && pool.kept.oldest) {
        trim(0);
        slab->memory = map_pages(capacity);
    }
    if (!slab->memory || !table_add(slab)) {
        if (slab->memory)
            munmap(slab->memory, capacity);
        free(slab);
        return NULL;
    }
    pool.mapped_bytes += capacity;
    return slab;
}

/* A slab of this capacity that is in no list, kept or new; NULL without memory. */
static Slab *slab_take(size_t capacity) {
    for (Slab *slab = pool.kept.newest; slab; slab = slab->older)
        if (slab->capacity == capacity) {
            unkeep(slab);
            return slab;
        }
    return slab_map(capacity);
}

/* ---- pieces ---- */

/* The size of pieces of at least nbytes, which is a number between LEAST_POOLED and PY_SSIZE_T_MAX. */
static size_t piece_bytes(size_t nbytes) {
    size_t doubling = (size_t)1 << (63 - __builtin_clzll(nbytes)), step = doubling / STEPS;
    return (nbytes + step - 1) / step * step;
}

/* Which of the sizes of slots this is, counted from 0. */
static int slot_size(size_t slot_bytes) {
    int doubling = 63 - __builtin_clzll(slot_bytes);
    return (doubling - FIRST_DOUBLING) * STEPS + (int)(slot_bytes >> (doubling - 2)) - STEPS;
}

static void cut(Slab *slab, size_t slot_bytes) {
    slab->slot_bytes = slot_bytes;
    slab->slots = slab->unused = (int)(HUGE_PAGE / slot_bytes);
    for (int slot = 0; slot < slab->slots; slot++)
        slab->free[slot] = (uint16_t)(slab->slots - 1 - slot);
}

static char *slot_take(size_t slot_bytes) {
    List *partial = &pool.partial[slot_size(slot_bytes)];
    Slab *slab = partial->newest;
    if (!slab) {
        slab = slab_take(HUGE_PAGE);
        if (!slab)
            return NULL;
        if (slab->slot_bytes != slot_bytes)
            cut(slab, slot_bytes);
        list_add(partial, slab);
    }
    char *piece = slab->memory + slab->free[--slab->unused] * slot_bytes;
    if (!slab->unused)
        list_remove(partial, slab);
    return piece;
}

static void slot_release(Slab *slab, char *piece) {
    List *partial = &pool.partial[slot_size(slab->slot_bytes)];
    if (!slab->unused)
        list_add(partial, slab);
    slab->free[slab->unused++] = (uint16_t)((size_t)(piece - slab->memory) / slab->slot_bytes);
    if (slab->unused == slab->slots) {
        list_remove(partial, slab);
        keep_slab(slab);
    }
}

static char *piece_take(size_t nbytes) {
    size_t bytes = piece_bytes(nbytes);
    char *piece = NULL;
    if (bytes <= HUGE_PAGE / 2)
        piece = slot_take(bytes);
    else {
        Slab *slab = slab_take((bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE);
        if (slab) {
            slab->slots = 1;
            slab->slot_bytes = slab->capacity;
            piece = slab->memory;
        }
    }
    pool.live += piece != NULL;
    return piece;
}

static void piece_release(Slab *slab, char *piece) {
    pool.live--;
    if (slab->slots > 1)
        slot_release(slab, piece);
    else
        keep_slab(slab);
}

/* ---- memory of any size ---- */

int pool_prepare(void) {
    if (pool.limit >= 0)
        return 0;
    const char *text = getenv("POLYMPI_POOL_BYTES");
    pool.limit = KEPT_BYTES;
    if (text && *text) {
        char *end;
        errno = 0;
        long long bytes = strtoll(text, &end, 10);
        if (errno || *end || bytes < 0) {
            pool.limit = -1;
            PyErr_Format(PyExc_ValueError,
                         "POLYMPI_POOL_BYTES is '%s'; it must be a number of bytes, such as 268435456, or 0 "
                         "for no pool",
                         text);
            return -1;
        }
        pool.limit = (Py_ssize_t)bytes;
    }
    return 0;
}

Py_ssize_t pool_limit(void) { return pool.limit; }

/* Whether memory of this size is the pool's: 1, 0, or -1 with ValueError. */
static int pooled(Py_ssize_t nbytes) {
    if (nbytes < (Py_ssize_t)LEAST_POOLED)
        return 0;
    if (pool.limit < 0 && pool_prepare() < 0)
        return -1;
    return pool.limit >= (Py_ssize_t)HUGE_PAGE;
}

char *pool_allocate(Py_ssize_t nbytes) {
    void *memory = NULL;
    int from_pool = pooled(nbytes);
    if (from_pool < 0)
        return NULL;
    if (from_pool)
        memory = piece_take((size_t)nbytes);
    else if (posix_memalign(&memory, ALIGNMENT, nbytes ? (size_t)nbytes : 1) != 0)
        memory = NULL;
    if (!memory)
        PyErr_NoMemory();
    return memory;
}

void pool_free(char *memory) {
    Slab *slab = table_find(memory);
    if (slab)
        piece_release(slab, memory);
    else
        free(memory);
}

void pool_release(char *memory, Py_ssize_t nbytes) {
    if (nbytes < (Py_ssize_t)LEAST_POOLED)
        free(memory);
    else
        pool_free(memory);
}

size_t pool_room(const char *memory) {
    const Slab *slab = table_find(memory);
    return slab ? slab->slot_bytes : 0;
}

PyObject *pool_statistics(void) {
    return Py_BuildValue("{snsnsnsn}", "live", pool.live, "kept", pool.kept_slabs, "kept_bytes",
                         pool.kept_bytes, "mapped_bytes", pool.mapped_bytes);
}

/* ---- owners of pieces: an object with the buffer protocol, and NumPy's arrays by their allocator ---- */

typedef struct {
    PyObject_HEAD char *memory;
    Py_ssize_t nbytes;
} Memory;

static void memory_dealloc(PyObject *self) {
    Memory *owner = (Memory *)self;
    pool_release(owner->memory, owner->nbytes);
    PyObject_Free(self);
}

static int memory_buffer(PyObject *self, Py_buffer *view, int flags) {
    Memory *owner = (Memory *)self;
    return PyBuffer_FillInfo(view, self, owner->memory, owner->nbytes, 0, flags);
}

static PyBufferProcs memory_buffer_procs = {.bf_getbuffer = memory_buffer};

/* Exports hold a reference each, so that the memory cannot be given back before the last of them. */
static PyTypeObject Memory_Type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "polympi.native.core.Memory",
    .tp_doc = "Memory of the pool, by the buffer protocol.",
    .tp_basicsize = sizeof(Memory),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_dealloc = memory_dealloc,
    .tp_as_buffer = &memory_buffer_procs,
};

PyObject *pool_memory(char *memory, Py_ssize_t nbytes) {
    Memory *owner = PyType_Ready(&Memory_Type) == 0 ? PyObject_New(Memory, &Memory_Type) : NULL;
    if (!owner) {
        pool_release(memory, nbytes);
        return NULL;
    }
    owner->memory = memory;
    owner->nbytes = nbytes;
    return (PyObject *)owner;
}

/* NumPy's allocator. The size that it passes to `free` is that of the array, which may have been
 * reinterpreted; the pool knows better. */

static void *handler_malloc(void *context, size_t nbytes) {
    (void)context;
    return nbytes <= PY_SSIZE_T_MAX ? pool_allocate((Py_ssize_t)nbytes) : NULL;
}

static void *handler_calloc(void *context, size_t count, size_t size) {
    size_t nbytes;
    if (__builtin_mul_overflow(count, size, &nbytes))
        return NULL;
    char *memory = handler_malloc(context, nbytes);
    return memory ? memset(memory, 0, nbytes) : NULL;
}

static void *handler_realloc(void *context, void *memory, size_t nbytes) {
    size_t room = memory ? pool_room(memory) : 0;
    if (!room)
        return realloc(memory, nbytes ? nbytes : 1); /* what malloc provided it provides at any size */
    if (nbytes <= room && nbytes > room / 2)
        return memory;
    char *other = handler_malloc(context, nbytes);
    if (other) {
        memcpy(other, memory, nbytes < room ? nbytes : room);
        pool_free(memory);
    }
    return other;
}

static void handler_free(void *context, void *memory, size_t nbytes) {
    (void)context, (void)nbytes;
    pool_free(memory);
}

PyObject *pool_handler(void) {
    static PyDataMem_Handler handler = {
        .name = "polympi_pool",
        .version = 1,
        .allocator = {.malloc = handler_malloc,
                      .calloc = handler_calloc,
                      .realloc = handler_realloc,
                      .free = handler_free},
    };
    static PyObject *capsule;
    if (!capsule)
        capsule = PyCapsule_New(&handler, "mem_handler", NULL);
    return capsule;
}
