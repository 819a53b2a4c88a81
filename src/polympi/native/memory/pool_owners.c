/* The owners of pieces of the pool: an object with the buffer protocol, and NumPy's arrays by their
 * allocator. */
#include "memory/pool.h"

#define NO_IMPORT_ARRAY /* the table of the API is in array.c */
#include <numpy/ndarraytypes.h>
#include <stdlib.h>
#include <string.h>

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
