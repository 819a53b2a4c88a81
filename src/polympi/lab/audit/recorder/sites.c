/* Where calls come from. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "recorder.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Under the lock. The last place stands for all that have no room. */
static uint32_t add(const struct site *site) {
    struct table *table = &file_header->sites;
    for (uint32_t k = 0; k < table->used; k++) /* another thread may have added it */
        if (memcmp(&file_sites[k], site, sizeof *site) == 0)
            return k;
    if (table->used < MAX_SITES - 1) {
        file_sites[table->used] = *site;
        __atomic_store_n(&table->used, table->used + 1, __ATOMIC_RELEASE);
        return table->used - 1;
    }
    file_sites[MAX_SITES - 1] = (struct site){.line = -1};
    __atomic_store_n(&table->used, MAX_SITES, __ATOMIC_RELEASE);
    return MAX_SITES - 1;
}

uint32_t add_site(const struct site *site) {
    pthread_mutex_lock(&lock);
    uint32_t number = add(site);
    pthread_mutex_unlock(&lock);
    return number;
}

/* The address is that of the call's last byte, by which debugging information finds its line. */
static RARE uint32_t new_native_site(const void *caller) {
    const char *address = (const char *)caller - 1;
    struct site site = {.line = -1, .address = (uint64_t)address};
    Dl_info info;
    struct link_map *map = NULL;
    if (dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP)) {
        char program[4096] = "";
        if (readlink("/proc/self/exe", program, sizeof program - 1) < 0)
            program[0] = 0;
        const char *file = map && map->l_name[0] ? map->l_name : program;
        site.file = put_string(file, strlen(file));
        site.address -= map ? map->l_addr : 0;
        if (info.dli_sname) {
            site.function = put_string(info.dli_sname, strlen(info.dli_sname));
            site.past_symbol = (uint64_t)(address - (const char *)info.dli_saddr);
        }
    }
    return add_site(&site);
}

uint32_t native_site(struct thread *thread, const void *caller) {
    struct cached_site *cached = &thread->sites[((uint64_t)caller * 0x9e3779b97f4a7c15u) >> 54];
    if (UNLIKELY(cached->place != (uint64_t)caller || cached->code))
        *cached = (struct cached_site){(uint64_t)caller, 0, new_native_site(caller)};
    return cached->site;
}
