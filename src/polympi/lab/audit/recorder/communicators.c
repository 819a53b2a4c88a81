/* Communicators, windows and files: an identity that all their ranks compute alike, and where their ranks are
   in MPI_COMM_WORLD. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "recorder.h"

enum {
    PLACES = 16384, /* of the table of handles; a power of two */
    MOST_HANDLES = 12000,
    RESTING =
        256, /* states that are kept for a while after their handle is freed, as requests may refer to them */
    GONE = 1, /* a place whose handle was removed; no handle has this value */
};

/* The places of a group's ranks in MPI_COMM_WORLD. Groups that are alike share them, and they are never
 * freed. */
struct map {
    struct map *next;
    uint64_t hash;
    int size;
    int world[];
};

/* What is found out about a new communicator. */
struct members {
    int size, remote_size, local_rank, first;
    bool foreign;
    uint64_t hash; /* of all ranks, in any order */
    int *world;    /* of those that messages go to; NULL if they are those of MPI_COMM_WORLD */
};

static struct {
    uint64_t key;
    struct communicator_state *state;
} places[PLACES];

uint32_t communicator_generation = 1;
int world_rank = -1, world_size;
struct communicator_state *world_state;
static intptr_t world_group;
static int handles;
static struct communicator_state *resting[RESTING];
static unsigned rested;
static struct map *maps;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Source: the finalizer of SplitMix64, by Sebastiano Vigna. */
uint64_t mix(uint64_t left, uint64_t right) {
    uint64_t value = left + 0x9e3779b97f4a7c15u * (right + 1);
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
    value = (value ^ value >> 27) * 0x94d049bb133111ebu;
    return value ^ value >> 31;
}

static uint64_t key_of(enum handle_kind kind, intptr_t handle) {
    return (uint64_t)handle ^ (uint64_t)kind << 62 ^ (uint64_t)1 << 61; /* never 0 or GONE */
}

static struct communicator_state *lookup(uint64_t key) {
    for (uint64_t place = mix(key, 0), k = 0; k < PLACES; place++, k++) {
        uint64_t there = __atomic_load_n(&places[place % PLACES].key, __ATOMIC_ACQUIRE);
        if (there == key)
            return places[place % PLACES].state;
        if (!there)
            return NULL;
    }
    return NULL;
}

static void insert(uint64_t key, struct communicator_state *state) {
    if (handles >= MOST_HANDLES)
        return;
    uint64_t place = mix(key, 0);
    while (places[place % PLACES].key > GONE)
        place++;
    places[place % PLACES].state = state;
    __atomic_store_n(&places[place % PLACES].key, key, __ATOMIC_RELEASE);
    handles++;
}

void forget_handle(enum handle_kind kind, intptr_t handle) {
    uint64_t key = key_of(kind, handle);
    pthread_mutex_lock(&lock);
    for (uint64_t place = mix(key, 0), k = 0; k < PLACES && places[place % PLACES].key; place++, k++)
        if (places[place % PLACES].key == key) {
            struct communicator_state *state = places[place % PLACES].state;
            __atomic_store_n(&places[place % PLACES].key, GONE, __ATOMIC_RELEASE);
            handles--;
            state->file->freed = 1;
            resting[rested++ % RESTING] = state;
            break;
        }
    pthread_mutex_unlock(&lock);
    __atomic_add_fetch(&communicator_generation, 1, __ATOMIC_RELEASE);
}

/* ---- members ---- */

static int *shared_map(const int *world, int size) {
    uint64_t hash = 0;
    bool same = size == world_size;
    for (int k = 0; k < size; k++)
        hash = mix(hash, (uint64_t)world[k]), same = same && world[k] == k;
    if (same)
        return NULL;
    for (struct map *map = maps; map; map = map->next)
        if (map->hash == hash && map->size == size &&
            memcmp(map->world, world, (size_t)size * sizeof(int)) == 0)
            return map->world;
    struct map *map = malloc(sizeof *map + (size_t)size * sizeof(int));
    if (!map)
        return NULL;
    *map = (struct map){maps, hash, size};
    memcpy(map->world, world, (size_t)size * sizeof(int));
    maps = map;
    return map->world;
}

/* Adds a group; `kept` where messages go to its ranks. Ranks of another job aren't in MPI_COMM_WORLD.
 */
static void add_group(struct members *members, intptr_t group, int size, bool kept) {
    int *ranks = malloc(2 * (size_t)size * sizeof(int)), *world = ranks + size;
    if (!ranks)
        return;
    for (int k = 0; k < size; k++)
        ranks[k] = k, world[k] = -1;
    if (size && world_group && MPI5(Group_translate_ranks, group, size, ranks, world_group, world) != 0)
        memset(world, -1, (size_t)size * sizeof(int));
    bool foreign = false;
    for (int k = 0; k < size; k++) {
        if (world[k] < 0) {
            foreign = true;
            continue;
        }
        members->hash += mix(7, (uint64_t)world[k]);
        if (members->first < 0 || world[k] < members->first)
            members->first = world[k];
    }
    for (int k = 0; foreign && k < size; k++)
        world[k] = k;
    if (kept)
        members->foreign = foreign, members->world = shared_map(world, size);
    free(ranks);
}

static void read_group(struct members *members, intptr_t communicator, bool remote, bool kept) {
    intptr_t group = 0;
    int size = 0;
    if ((remote ? MPI2(Comm_remote_group, communicator, &group) : MPI2(Comm_group, communicator, &group)) !=
        0)
        return;
    group = handle_of(group);
    MPI2(Group_size, group, &size);
    *(remote ? &members->remote_size : &members->size) = size;
    add_group(members, group, size, kept);
    MPI1(Group_free, &group);
}

static void read_members(struct members *members, intptr_t communicator) {
    int intercommunicator = 0;
    *members = (struct members){.first = -1, .local_rank = -1};
    MPI2(Comm_test_inter, communicator, &intercommunicator);
    MPI2(Comm_rank, communicator, &members->local_rank);
    read_group(members, communicator, false, !intercommunicator);
    if (intercommunicator)
        read_group(members, communicator, true, true);
}

/* ---- the table ---- */

/* Two that would have the same identity were made one after the other, by all their ranks in the same order.
 */
static uint64_t unused_id(uint64_t id) {
    for (uint32_t k = 0; k < file_header->communicators.used; k++)
        if (file_communicators[k].id == id)
            id = mix(id, 1), k = (uint32_t)-1;
    return id;
}

static struct communicator *next_place(uint16_t *index) {
    struct table *table = &file_header->communicators;
    *index = (uint16_t)(table->used < MAX_COMMUNICATORS ? table->used : MAX_COMMUNICATORS - 1);
    return &file_communicators[*index];
}

/* Memory that has rested, if there is any: what may still refer to it finds a communicator, if another one.
 */
static struct communicator_state *new_state(void) {
    struct communicator_state **rest = &resting[rested % RESTING], *state = *rest;
    *rest = NULL;
    if (!state)
        return calloc(1, sizeof *state);
    memset(state, 0, sizeof *state);
    return state;
}

/* Under the lock. */
static struct communicator_state *add(uint64_t key, const struct members *members, uint64_t id,
                                      uint64_t parent) {
    struct communicator_state *state = new_state();
    if (!state)
        return NULL;
    state->file = next_place(&state->index);
    state->foreign = members->foreign;
    state->size = members->remote_size ? members->remote_size : members->size;
    state->world = members->world;
    state->local_size = members->size, state->local_rank = members->local_rank;
    state->id = unused_id(id);
    *state->file = (struct communicator){.id = state->id, .parent = parent, .size = members->size};
    state->file->remote_size = members->remote_size;
    state->file->rank = members->local_rank, state->file->first_rank = members->first;
    if (state->index == MAX_COMMUNICATORS - 1) /* it stands for all that have no room */
        state->file->id = state->file->parent = 0;
    __atomic_store_n(&file_header->communicators.used, state->index + 1u, __ATOMIC_RELEASE);
    insert(key, state);
    return state;
}

static struct communicator_state *add_locked(intptr_t handle, const struct members *members, uint64_t id,
                                             uint64_t parent) {
    pthread_mutex_lock(&lock);
    struct communicator_state *state = lookup(key_of(OF_COMMUNICATOR, handle));
    if (!state && (state = add(key_of(OF_COMMUNICATOR, handle), members, id, parent)))
        state->handle = handle;
    pthread_mutex_unlock(&lock);
    __atomic_add_fetch(&communicator_generation, 1, __ATOMIC_RELEASE);
    return state;
}

/* A communicator that all ranks of its parent have made together; the seed is the same for them. */
struct communicator_state *add_communicator(intptr_t handle, uint64_t parent, uint64_t seed) {
    struct members members;
    if (handle == abi.comm_null)
        return NULL;
    read_members(&members, handle);
    uint64_t size = (uint64_t)(members.size + members.remote_size);
    return add_locked(handle, &members, mix(mix(mix(parent, seed), (uint64_t)members.first), size), parent);
}

/* One that has no parent known to all its ranks. */
void add_by_members(intptr_t handle, uint64_t tag) {
    struct members members;
    if (handle == abi.comm_null)
        return;
    read_members(&members, handle);
    add_locked(handle, &members, mix(mix(world_state ? world_state->id : 0, members.hash), tag), 0);
}

RARE struct communicator_state *search_communicator(struct thread *thread, intptr_t handle) {
    struct communicator_state *state = lookup(key_of(OF_COMMUNICATOR, handle));
    uint32_t generation = communicator_generation;
    if (!state && handle != abi.comm_null && world_state) {
        add_by_members(handle, 0);
        generation = communicator_generation;
        state = lookup(key_of(OF_COMMUNICATOR, handle));
    }
    thread->last_handle = handle, thread->last_communicator = state, thread->last_generation = generation;
    return state;
}

struct communicator_state *search_other(enum handle_kind kind, intptr_t handle) {
    return lookup(key_of(kind, handle));
}

/* A window or a file, whose ranks are those of a communicator. */
void add_derived(enum handle_kind kind, intptr_t handle, struct communicator_state *parent, uint64_t number,
                 const char *name) {
    struct members members = {.size = parent->local_size, .local_rank = parent->local_rank};
    members.first = parent->file->first_rank, members.world = parent->world,
    members.foreign = parent->foreign;
    uint64_t id = mix(mix(mix(parent->id, number), (uint64_t)members.first), (uint64_t)kind << 32);
    pthread_mutex_lock(&lock);
    struct communicator_state *state = add(key_of(kind, handle), &members, id, parent->id);
    pthread_mutex_unlock(&lock);
    if (!state)
        return;
    state->handle = handle;
    name_communicator(state, name);
}

void name_communicator(struct communicator_state *state, const char *name) {
    if (state->index != MAX_COMMUNICATORS - 1)
        state->file->name = put_string(name, strnlen(name, 256));
}

/* The identity of MPI_COMM_WORLD is already agreed on. */
void begin_communicators(intptr_t group, uint64_t id, bool with_self) {
    struct members members = {.size = world_size, .local_rank = world_rank};
    world_group = group;
    pthread_mutex_lock(&lock);
    world_state = add(key_of(OF_COMMUNICATOR, abi.world), &members, id, 0);
    if (world_state)
        world_state->handle = abi.world;
    pthread_mutex_unlock(&lock);
    if (!with_self) /* a session has no such communicator */
        return;
    read_members(&members, abi.self);
    add_locked(abi.self, &members, mix(mix(id, (uint64_t)world_rank), 1), id);
}
