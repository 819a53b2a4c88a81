/* How a program finds MPI's procedures: by the dynamic loader, or by dlsym.

   A program asks whether its MPI library has a procedure, by a weak reference or by dlsym, so this library
   must seem to have those that the MPI library has and no others. Its own table of symbols is changed for
   that when it is loaded: each procedure becomes an indirect function, whose address the loader asks for when
   it binds a reference. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "recorder.h"

/* A library that only stands for MPI, without the profiling interface, isn't recorded. */
static void *choose(int number) {
    return present(number) ? wrapper_of(number) : other_symbol(procedures[number].name);
}

#define P(NAME, KIND, COUNT, SIGNATURE)                                                                      \
    static void *choose_##NAME(void) { return choose(NUMBER_##NAME); }
#include "procedures.h"

static void *(*const choosers[PROCEDURES])(void) = {
#define P(NAME, KIND, COUNT, SIGNATURE) choose_##NAME,
#include "procedures.h"
};

typedef void *(*lookup)(void *, const char *);
static lookup loader;

#if defined(__aarch64__)
#define FIRST_GLIBC "GLIBC_2.17"
#else
#define FIRST_GLIBC "GLIBC_2.2.5"
#endif

static RARE void find_loader(void) { loader = (lookup)dlvsym(RTLD_NEXT, "dlsym", FIRST_GLIBC); }

void *real_dlsym(void *handle, const char *name) {
    if (!loader)
        find_loader();
    return loader ? loader(handle, name) : NULL;
}

/* A procedure that the MPI library lacks is found here, with the address 0, which isn't an error for the
   loader: a name that nobody has makes it one. */
static void *fail(void *handle, const char *name) {
    char unknown[128];
    snprintf(unknown, sizeof unknown, "%s ", name);
    return loader(handle, unknown);
}

static RARE void *of_mpi(void *handle, const char *name) {
    void *found = loader(handle, name);
    int number = procedure_number(name);
    if (number < 0)
        return found;
    if (!found)
        return fail(handle, name);
    return of_library(found, number) ? wrapper_of(number) : found;
}

/* The loader's own function sees from its caller's address what RTLD_NEXT means, so it is the last thing
 * called. */
EXPORT void *dlsym(void *restrict handle, const char *restrict name);
EXPORT void *dlsym(void *restrict handle, const char *restrict name) {
    if (UNLIKELY(!loader))
        find_loader();
    if (UNLIKELY(handle != RTLD_NEXT && strncmp(name, "MPI_", 4) == 0))
        return of_mpi(handle, name);
    return loader(handle, name);
}

/* ---- this library's table of symbols ---- */

static const char *value(const struct link_map *map, const ElfW(Dyn) * entry) {
    return (const char *)(entry->d_un.d_ptr < map->l_addr ? map->l_addr + entry->d_un.d_ptr
                                                          : entry->d_un.d_ptr);
}

static size_t symbols_of(const uint32_t *gnu) {
    const uint32_t *bucket = gnu + 4 + gnu[2] * (sizeof(ElfW(Addr)) / 4), *chain = bucket + gnu[0];
    uint32_t last = 0;
    for (uint32_t k = 0; k < gnu[0]; k++)
        last = bucket[k] > last ? bucket[k] : last;
    if (last < gnu[1])
        return gnu[1];
    while (!(chain[last - gnu[1]] & 1))
        last++;
    return last + 1;
}

static void make_indirect(ElfW(Sym) * symbols, size_t number, const char *strings, uintptr_t base) {
    for (size_t k = 0; k < number; k++) {
        const char *name = strings + symbols[k].st_name;
        int procedure = strncmp(name, "MPI_", 4) == 0 && symbols[k].st_value ? procedure_number(name) : -1;
        if (procedure < 0)
            continue;
        symbols[k].st_info = ELF64_ST_INFO(ELF64_ST_BIND(symbols[k].st_info), STT_GNU_IFUNC);
        symbols[k].st_value = (uintptr_t)choosers[procedure] - base;
    }
}

/* Without permission to change memory, weak references find procedures that the MPI library may not have. */
static void change_symbols(void) {
    Dl_info info;
    struct link_map *map = NULL;
    const uint32_t *gnu = NULL;
    ElfW(Sym) *symbols = NULL;
    const char *strings = NULL;
    if (!dladdr1((void *)change_symbols, &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
        return;
    for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_GNU_HASH)
            gnu = (const uint32_t *)value(map, entry);
        else if (entry->d_tag == DT_SYMTAB)
            symbols = (ElfW(Sym) *)value(map, entry);
        else if (entry->d_tag == DT_STRTAB)
            strings = value(map, entry);
    }
    if (!gnu || !symbols || !strings)
        return;
    size_t number = symbols_of(gnu), page = (size_t)sysconf(_SC_PAGESIZE);
    uintptr_t begin = (uintptr_t)symbols / page * page, end = (uintptr_t)(symbols + number);
    if (mprotect((void *)begin, end - begin, PROT_READ | PROT_WRITE) != 0)
        return;
    make_indirect(symbols, number, strings, map->l_addr);
    mprotect((void *)begin, end - begin, PROT_READ);
}

__attribute__((constructor)) static void prepare(void) {
    find_loader();
    change_symbols();
}
