/* Requests, from their start to their completion. */
#include <string.h>

#include "recorder.h"

enum {
    BUCKET = 8, /* handles of a cache line */
    BUCKETS = 8192,
    TRIES = 16, /* buckets that are searched */
};

#define BUSY (~(uint64_t)0) /* a place that one thread uses */

/* A library may hand out one handle several times, for operations that were complete at once. */
static uint64_t handles[BUCKETS][BUCKET] __attribute__((aligned(64)));
static struct request requests[BUCKETS][BUCKET];

static uint32_t bucket_of(intptr_t handle) {
    return (uint32_t)(((uint64_t)handle >> 3) * 0x9e3779b97f4a7c15u >> 40) + (uint32_t)(handle & 7);
}

static struct request *place_for(intptr_t handle) {
    uint32_t bucket = bucket_of(handle);
    for (int t = 0; t < TRIES; t++, bucket++)
        for (int k = 0; k < BUCKET; k++) {
            uint64_t *place = &handles[bucket % BUCKETS][k], nothing = 0;
            if (!__atomic_load_n(place, __ATOMIC_RELAXED) &&
                __atomic_compare_exchange_n(place, &nothing, BUSY, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
                return &requests[bucket % BUCKETS][k];
        }
    return NULL;
}

static uint64_t *handle_place(struct request *request) {
    return &handles[0][0] + (request - &requests[0][0]);
}

struct request *find_request(intptr_t handle) {
    uint32_t bucket = bucket_of(handle);
    for (int t = 0; t < TRIES; t++, bucket++)
        for (int k = 0; k < BUCKET; k++)
            if (__atomic_load_n(&handles[bucket % BUCKETS][k], __ATOMIC_ACQUIRE) == (uint64_t)handle)
                return &requests[bucket % BUCKETS][k];
    return NULL;
}

static struct pending *pending_place(struct thread *thread) {
    if (__atomic_load_n(&thread->live_pending, __ATOMIC_RELAXED) >= MAX_PENDING)
        return NULL;
    for (int k = 0; k < MAX_PENDING; k++) {
        struct pending *place = &thread->pending[thread->next_pending++ % MAX_PENDING];
        if (!__atomic_load_n(&place->request, __ATOMIC_ACQUIRE))
            return place;
    }
    return NULL;
}

static void begin_pending(struct thread *thread, struct request *request, intptr_t handle) {
    struct pending *place = pending_place(thread);
    request->owner = thread, request->pending = place;
    if (!place) {
        thread->segment->dropped_pending++;
        return;
    }
    __atomic_add_fetch(&thread->live_pending, 1, __ATOMIC_RELAXED);
    memcpy(&place->procedure, &request->key, 2);
    place->communicator = request->state ? request->state->index : NO_COMMUNICATOR;
    place->peer = request->peer, place->tag = request->tag, place->site = (uint32_t)(request->key >> 32);
    place->bytes = request->bytes, place->since = request->since;
    __atomic_store_n(&place->request, (uint64_t)handle, __ATOMIC_RELEASE);
}

static void end_pending(struct request *request) {
    if (request->pending) {
        __atomic_store_n(&request->pending->request, 0, __ATOMIC_RELEASE);
        __atomic_sub_fetch(&request->owner->live_pending, 1, __ATOMIC_RELAXED);
    }
    request->pending = NULL;
}

void add_request(struct call *call, intptr_t handle, uint32_t role, bool persistent) {
    if (!handle || handle == abi.request_null)
        return;
    struct request *request = place_for(handle);
    if (!request) {
        call->thread->segment->dropped_pending++;
        return;
    }
    *request = (struct request){.key = call->key, .state = call->state, .since = call->begin, .role = role};
    request->bytes = role & ROLE_RECEIVES ? call->received : call->sent;
    request->peer = role & ROLE_RECEIVES ? call->source : call->peer;
    request->tag = call->tag, request->source = call->source, request->number = call->number;
    request->persistent = persistent, request->active = !persistent;
    if (call->procedure->kind == COMM_IDUP)
        request->new_communicator = call->arguments[call->procedure->new_communicator];
    if (!persistent)
        begin_pending(call->thread, request, handle);
    __atomic_store_n(handle_place(request), (uint64_t)handle, __ATOMIC_RELEASE);
}

static void account_send(struct call *call, struct request *request) {
    if (request->peer == NOBODY)
        return;
    struct thread *thread = call->thread;
    struct entry *entry = find_entry(thread, call->key, true);
    entry->messages_sent++, entry->bytes_sent += request->bytes;
    count_size(entry, request->bytes);
    if (request->peer >= 0 && request->peer < world_size && !(request->state && request->state->foreign))
        thread->peers[request->peer].messages_sent++,
            thread->peers[request->peer].bytes_sent += request->bytes;
    struct event event = {call->begin,  call->end, request->bytes, 0,      0, 0, request->peer,
                          request->tag, 0,         ROLE_SENDS,     NO_PEER};
    memcpy(&event.procedure, &call->key, 2);
    event.communicator = request->state ? request->state->index : NO_COMMUNICATOR;
    event.site = call->site;
    write_event(thread, &event);
}

/* Starts a persistent operation. */
void start_request(struct call *call, intptr_t handle) {
    struct request *request = find_request(handle);
    if (!request || !request->persistent || request->active)
        return;
    request->active = true, request->since = call->begin;
    begin_pending(call->thread, request, handle);
    if (request->role & ROLE_SENDS)
        account_send(call, request);
    else if (request->role & ROLE_COLLECTIVE)
        find_entry(call->thread, call->key, true)->bytes_sent += request->bytes;
}

static void account_receive(struct call *call, struct request *request, intptr_t status) {
    int source = abi.proc_null, tag = 0;
    uint64_t bytes = status_bytes(status, &source, &tag);
    int peer = peer_of(request->state, source);
    if (peer == NOBODY || request->source == NOBODY)
        return;
    struct thread *thread = call->thread;
    struct entry *entry = find_entry(thread, request->key, false);
    if (entry) {
        entry->messages_received++, entry->bytes_received += bytes;
        count_size(entry, bytes);
    } else {
        call->messages_received++, call->received += bytes;
    }
    if (peer >= 0 && peer < world_size && !(request->state && request->state->foreign))
        thread->peers[peer].messages_received++, thread->peers[peer].bytes_received += bytes;
    struct event event = {request->since, call->end, bytes, 0, 0, 0, peer, tag, 0, ROLE_RECEIVES, NO_PEER};
    memcpy(&event.procedure, &request->key, 4);
    event.site = (uint32_t)(request->key >> 32);
    write_event(thread, &event);
}

/* Threads may have the same handle at once, of operations that were complete at their start: each takes one.
 */
static struct request *take_request(intptr_t handle) {
    struct request *request = find_request(handle);
    uint64_t expected = (uint64_t)handle;
    while (request && !__atomic_compare_exchange_n(handle_place(request), &expected, BUSY, false,
                                                   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
        request = find_request(handle);
        expected = (uint64_t)handle;
    }
    return request;
}

/* An operation is complete; its status is 0 if it isn't known. */
void complete_request(struct call *call, intptr_t handle, intptr_t status) {
    struct request *request = handle && handle != abi.request_null ? take_request(handle) : NULL;
    if (!request)
        return;
    if (request->active) {
        if (request->role & ROLE_RECEIVES && status)
            account_receive(call, request, status);
        if (request->new_communicator && request->state)
            add_communicator(caller_handle(call, OF_COMMUNICATOR, request->new_communicator, 0),
                             request->state->id, request->number);
        end_pending(request);
        request->active = false;
    }
    uint64_t kept = request->persistent ? (uint64_t)handle : 0;
    __atomic_store_n(handle_place(request), kept, __ATOMIC_RELEASE);
}

void free_request(intptr_t handle) {
    struct request *request = handle && handle != abi.request_null ? find_request(handle) : NULL;
    if (!request)
        return;
    end_pending(request);
    __atomic_store_n(handle_place(request), 0, __ATOMIC_RELEASE);
}

/* A matched message is kept like a request, until it is received; its handle has a mark. */
static intptr_t marked(intptr_t message) { return (intptr_t)((uint64_t)message | (uint64_t)1 << 62); }

void remember_message(struct call *call, intptr_t message) {
    struct request *request = message && message != abi.no_proc ? place_for(marked(message)) : NULL;
    if (!request)
        return;
    *request = (struct request){.state = call->state, .peer = call->peer, .tag = call->tag};
    __atomic_store_n(handle_place(request), (uint64_t)marked(message), __ATOMIC_RELEASE);
}

void take_message(struct call *call, intptr_t message) {
    struct request *request = message == abi.no_proc ? NULL : find_request(marked(message));
    if (!request)
        return;
    call->state = request->state;
    call->source = call->peer = request->peer, call->tag = request->tag;
    __atomic_store_n(handle_place(request), 0, __ATOMIC_RELEASE);
}
