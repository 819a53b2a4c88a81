/* Where the MPI library of this process is, and which ABI it has.

   Loaded objects are read without the dynamic loader's help: a Python module may load the library for itself
   alone (RTLD_LOCAL), and whether a procedure exists is asked while the loader binds symbols. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>

#include "recorder.h"

struct object {
    uintptr_t base;
    const char *path;
    const ElfW(Sym) * symbols;
    const char *strings;
    const uint32_t *gnu; /* the hash table of newer objects */
    const uint32_t *sysv;
};

struct search {
    const char *wanted;
    uintptr_t without; /* the address of an object that isn't searched */
    struct object object;
    void *found;
};

void *reals[PROCEDURES];
bool settled;
struct abi abi;
static struct object library;

static uintptr_t place(const struct object *object, uintptr_t value) {
    return value < object->base ? object->base + value : value; /* the loader may have added the base */
}

static bool read_object(const struct dl_phdr_info *info, struct object *object) {
    const ElfW(Dyn) *dynamic = NULL;
    for (int k = 0; k < info->dlpi_phnum; k++)
        if (info->dlpi_phdr[k].p_type == PT_DYNAMIC)
            dynamic = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[k].p_vaddr);
    if (!dynamic)
        return false;
    *object = (struct object){.base = info->dlpi_addr, .path = info->dlpi_name};
    for (; dynamic->d_tag != DT_NULL; dynamic++) {
        uintptr_t value = place(object, dynamic->d_un.d_ptr);
        if (dynamic->d_tag == DT_SYMTAB)
            object->symbols = (const ElfW(Sym) *)value;
        else if (dynamic->d_tag == DT_STRTAB)
            object->strings = (const char *)value;
        else if (dynamic->d_tag == DT_GNU_HASH)
            object->gnu = (const uint32_t *)value;
        else if (dynamic->d_tag == DT_HASH)
            object->sysv = (const uint32_t *)value;
    }
    return object->symbols && object->strings && (object->gnu || object->sysv);
}

static void *value_of(const struct object *object, uint32_t index, const char *name) {
    const ElfW(Sym) *symbol = &object->symbols[index];
    if (symbol->st_shndx == SHN_UNDEF || !symbol->st_value ||
        strcmp(object->strings + symbol->st_name, name) != 0)
        return NULL;
    return (void *)(object->base + symbol->st_value);
}

static void *by_gnu_hash(const struct object *object, const char *name) {
    uint32_t hash = 5381;
    for (const unsigned char *letter = (const unsigned char *)name; *letter; letter++)
        hash = hash * 33 + *letter;
    uint32_t buckets = object->gnu[0], first = object->gnu[1], words = object->gnu[2], shift = object->gnu[3];
    const ElfW(Addr) *bloom = (const ElfW(Addr) *)(object->gnu + 4);
    const unsigned bits = 8 * sizeof *bloom;
    ElfW(Addr) word = bloom[hash / bits % words];
    if (!(word >> hash % bits & word >> (hash >> shift) % bits & 1))
        return NULL;
    const uint32_t *bucket = (const uint32_t *)(bloom + words), *chain = bucket + buckets;
    uint32_t index = bucket[hash % buckets];
    if (index < first)
        return NULL;
    for (;; index++) {
        void *found = (chain[index - first] | 1) == (hash | 1) ? value_of(object, index, name) : NULL;
        if (found || chain[index - first] & 1)
            return found;
    }
}

static void *by_sysv_hash(const struct object *object, const char *name) {
    const uint32_t *chain = object->sysv + 2 + object->sysv[0];
    for (uint32_t bucket = 0; bucket < object->sysv[0]; bucket++)
        for (uint32_t index = object->sysv[2 + bucket]; index; index = chain[index]) {
            void *found = value_of(object, index, name);
            if (found)
                return found;
        }
    return NULL;
}

static void *symbol_in(const struct object *object, const char *name) {
    return object->gnu ? by_gnu_hash(object, name) : by_sysv_hash(object, name);
}

static int visit(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size;
    struct search *search = data;
    if (!read_object(info, &search->object) || (search->without && search->object.base == search->without))
        return 0;
    search->found = symbol_in(&search->object, search->wanted);
    return search->found != NULL;
}

/* The object that has MPI itself. It isn't remembered before MPI begins: a program may load a library, look
   at it and unload it. */
static const struct object *find_library(void) {
    if (LIKELY(settled && library.symbols))
        return &library;
    struct search search = {.wanted = "PMPI_Init"};
    if (!dl_iterate_phdr(visit, &search))
        return NULL;
    library = search.object;
    return &library;
}

void *library_symbol(const char *name) {
    const struct object *object = find_library();
    return object ? symbol_in(object, name) : NULL;
}

/* Of a Fortran interface, or of a library that stands for MPI. */
void *other_symbol(const char *name) {
    Dl_info info;
    struct search search = {.wanted = name};
    if (dladdr((void *)other_symbol, &info))
        search.without = (uintptr_t)info.dli_fbase;
    dl_iterate_phdr(visit, &search);
    return search.found;
}

const char *library_path(void) {
    Dl_info info;
    void *symbol = library_symbol("PMPI_Init");
    return symbol && dladdr(symbol, &info) ? info.dli_fname : "";
}

static void *profiled(int number) {
    char name[96];
    snprintf(name, sizeof name, "P%s", procedures[number].name);
    return library_symbol(name);
}

bool present(int number) { return profiled(number) != NULL; }

/* Whether an address is that of the library's own procedure, by either of its names. */
bool of_library(void *address, int number) {
    return address && (address == profiled(number) || address == library_symbol(procedures[number].name));
}

static intptr_t missing(void) { return abi.family == MPICH ? 15 : 16; /* MPI_ERR_OTHER */ }

void *resolve(int number) {
    void *real = profiled(number);
    if (!real)
        real = other_symbol(procedures[number].name);
    if (!real)
        return (void *)missing;
    if (settled)
        reals[number] = real;
    return real;
}

static intptr_t object_of(const char *name) {
    void *seen = real_dlsym(RTLD_DEFAULT, name); /* a program may have its own copy, which MPI then uses */
    return (intptr_t)(seen ? seen : library_symbol(name));
}

static void choose_open_mpi(void) {
    abi =
        (struct abi){.family = OPEN_MPI, .handle_bytes = 8, .status_bytes = 24, .source_at = 0, .tag_at = 4};
    abi.any_source = -1, abi.any_tag = -1, abi.proc_null = -2, abi.root = -4, abi.in_place = 1;
    abi.world = object_of("ompi_mpi_comm_world");
    abi.self = object_of("ompi_mpi_comm_self");
    abi.comm_null = object_of("ompi_mpi_comm_null");
    abi.request_null = object_of("ompi_request_null");
    abi.group_null = object_of("ompi_mpi_group_null");
    abi.byte = object_of("ompi_mpi_byte");
    abi.window_null = object_of("ompi_mpi_win_null");
    abi.file_null = object_of("ompi_mpi_file_null");
    abi.no_proc = object_of("ompi_message_no_proc");
}

static void choose_mpich(void) {
    abi = (struct abi){.family = MPICH, .handle_bytes = 4, .status_bytes = 20, .source_at = 8, .tag_at = 12};
    abi.any_source = -2, abi.any_tag = -1, abi.proc_null = -1, abi.root = -3, abi.in_place = -1;
    abi.status_ignore = 1, abi.statuses_ignore = 1;
    abi.world = 0x44000000, abi.self = 0x44000001, abi.comm_null = 0x04000000, abi.request_null = 0x2c000000;
    abi.group_null = 0x08000000, abi.byte = 0x4c00010d, abi.window_null = 0x20000000,
    abi.no_proc = 0x6c000000;
}

static void choose_standard(void) {
    abi =
        (struct abi){.family = STANDARD, .handle_bytes = 8, .status_bytes = 32, .source_at = 0, .tag_at = 4};
    abi.any_source = -1, abi.any_tag = -2, abi.proc_null = -3, abi.root = -4, abi.in_place = 1;
    abi.world = 0x101, abi.self = 0x102, abi.comm_null = 0x100, abi.request_null = 0x180,
    abi.group_null = 0x108;
    abi.byte = 0x247, abi.window_null = 0x110, abi.file_null = 0x118, abi.no_proc = 0x129;
}

/* Source of the constants: mpi.h of MPICH 5.0 and Open MPI 5.0, which their ABIs fix, and mpi_abi.h of
 * MPI 5.0. */
void choose_abi(void) {
    const char *path = library_path(), *name = strrchr(path, '/');
    name = name ? name + 1 : path;
    if (strncmp(name, "libmpi_abi", strlen("libmpi_abi")) == 0)
        choose_standard();
    else if (library_symbol("ompi_mpi_comm_self"))
        choose_open_mpi();
    else
        choose_mpich();
}
