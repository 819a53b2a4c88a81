/* A call's way into MPI and out of it. */
#include <string.h>

#include "recorder.h"

bool recording;

/* ---- the profile and the timeline ---- */

void count_size(struct entry *entry, uint64_t bytes) {
    int class = bytes ? 64 - __builtin_clzll(bytes) : 0;
    entry->sizes[class < SIZE_CLASSES ? class : SIZE_CLASSES - 1]++;
}

static uint64_t key_at(const struct entry *entry) {
    uint64_t key;
    memcpy(&key, entry, sizeof key);
    return key;
}

/* The entry of a key, or where it is to be made; NULL if there is none within reach. */
static struct entry *look(struct thread *thread, uint64_t key) {
    enum { TRIES = 64 };
    uint64_t place = key * 0x9e3779b97f4a7c15u >> 52;
    for (int k = 0; k < TRIES; k++, place++) {
        struct entry *entry = &thread->entries[place % (MAX_ENTRIES - 1)];
        if (LIKELY(key_at(entry) == key && entry->calls) || !entry->calls)
            return entry;
    }
    return NULL;
}

/* What has no room counts without its communicator, as programs may make many; the last entry stands for the
 * rest. */
static RARE struct entry *full(struct thread *thread, uint64_t key) {
    uint64_t general = key | (uint64_t)NO_COMMUNICATOR << 16;
    struct entry *entry = look(thread, general);
    thread->segment->dropped_entries++;
    if (!entry)
        entry = &thread->entries[MAX_ENTRIES - 1];
    if (!entry->calls)
        memcpy(entry, &general, sizeof general);
    return entry;
}

/* NULL if the entry isn't there and isn't to be made. */
struct entry *find_entry(struct thread *thread, uint64_t key, bool create) {
    enum { MOST = MAX_ENTRIES * 7 / 8 };
    struct entry *entry = look(thread, key);
    if (LIKELY(entry && entry->calls))
        return entry;
    if (!create)
        return NULL;
    if (!entry || thread->used_entries >= MOST)
        return full(thread, key);
    thread->used_entries++;
    memcpy(entry, &key, sizeof key);
    return entry;
}

/* The ring takes its place on the disk as it grows; where none is left, it starts over. */
static RARE bool more_events(struct thread *thread) {
    enum { STEP = 1 << 14, SMALLEST = 1 << 6 };
    uint64_t room = thread->ring - thread->allocated;
    for (uint64_t step = room < STEP ? room : STEP; step >= SMALLEST; step /= 2)
        if (allocate(thread->events_offset + thread->allocated * sizeof(struct event),
                     step * sizeof(struct event))) {
            thread->allocated += step;
            return true;
        }
    thread->ring = thread->allocated;
    thread->segment->ring = (uint32_t)thread->ring;
    thread->next_event = 0;
    return thread->ring > 0;
}

void write_event(struct thread *thread, const struct event *event) {
    if (UNLIKELY(thread->next_event >= thread->allocated)) {
        if (thread->allocated == thread->ring)
            thread->next_event = 0;
        if (!thread->ring || (thread->next_event >= thread->allocated && !more_events(thread)))
            return;
    }
    thread->events[thread->next_event++] = *event;
    thread->segment->events++;
}

/* ---- on entry ---- */

static int tag_of(intptr_t argument) { return (int)argument == abi.any_tag ? ANY_TAG : (int)argument; }

static void use_communicator(struct call *call) {
    const struct procedure *procedure = call->procedure;
    if (procedure->communicator >= 0)
        call->state = find_communicator(call->thread, handle_of(call->arguments[procedure->communicator]));
    else if (procedure->window >= 0)
        call->state = search_other(OF_WINDOW, handle_of(call->arguments[procedure->window]));
    else if (procedure->file >= 0)
        call->state = search_other(OF_FILE, call->arguments[procedure->file]);
}

static void use_pointer(struct call *call, enum handle_kind kind, int place) {
    intptr_t handle = caller_handle(call, kind, call->arguments[place], 0);
    call->state =
        kind == OF_COMMUNICATOR ? find_communicator(call->thread, handle) : search_other(kind, handle);
}

static void next_number(struct call *call) {
    if (!call->state)
        return;
    call->role |= ROLE_COLLECTIVE;
    call->number = __atomic_fetch_add(&call->state->collectives, 1, __ATOMIC_RELAXED);
    call->state->file->collectives = call->number + 1;
}

/* A caller that ignores the status is given none, but MPI gets one. */
static void use_status(struct call *call) {
    int place = call->procedure->status;
    intptr_t ignored = abi.status_ignore;
    call->count = 1;
    if (call->procedure->statuses >= 0)
        place = call->procedure->statuses, ignored = abi.statuses_ignore;
    if (place < 0)
        return;
    call->status = call->arguments[place];
    if (call->status == ignored)
        call->status =
            have_room(call->thread, 1) ? (call->arguments[place] = (intptr_t)call->thread->statuses) : 0;
}

static void describe_send(struct call *call) {
    const struct procedure *procedure = call->procedure;
    call->peer = peer_of(call->state, (int)call->arguments[procedure->dest]);
    call->tag = (int)call->arguments[procedure->tag];
    call->sent = block_bytes(call, &procedure->first);
    call->messages_sent = call->peer != NOBODY;
    call->role |= ROLE_SENDS;
}

static void describe_receive(struct call *call, const struct block *block) {
    const struct procedure *procedure = call->procedure;
    if (procedure->source >= 0) {
        int tag = procedure->second_tag >= 0 ? procedure->second_tag : procedure->tag;
        call->source = peer_of(call->state, (int)call->arguments[procedure->source]);
        if (call->peer == NO_PEER)
            call->peer = call->source, call->tag = tag_of(call->arguments[tag]);
    } else if (procedure->message >= 0) {
        take_message(call, caller_handle(call, OF_MESSAGE, call->arguments[procedure->message], 0));
    }
    call->received = block_bytes(call, block);
}

static void describe_rma(struct call *call) {
    const struct procedure *procedure = call->procedure;
    call->peer = peer_of(call->state, (int)call->arguments[procedure->dest]);
    const struct block *first = &procedure->first, *second = &procedure->second;
    if (call->peer == NOBODY)
        return;
    if (!first->output)
        call->sent = block_bytes(call, first), call->messages_sent = 1;
    if (first->output || second->buffer >= 0)
        call->received = block_bytes(call, first->output ? first : second), call->messages_received = 1;
    call->role |= first->output ? ROLE_RECEIVES : ROLE_SENDS;
}

static void describe_file(struct call *call) {
    const struct block *block = &call->procedure->first;
    if (block->buffer >= 0)
        *(block->output ? &call->received : &call->sent) = block_bytes(call, block);
}

static void describe_collective(struct call *call) {
    const struct procedure *procedure = call->procedure;
    next_number(call);
    if (procedure->root >= 0)
        call->root = peer_of(call->state, (int)call->arguments[procedure->root]);
    if (procedure->shape != NOTHING)
        collective_bytes(call);
}

/* The one operation that a call waits for says where it waits. */
static void describe_wait(struct call *call, intptr_t handle) {
    struct request *request = handle && handle != abi.request_null ? find_request(handle) : NULL;
    if (!request || !(request->active || request->persistent))
        return;
    call->state = request->state;
    call->peer = request->peer, call->tag = request->tag;
}

static void describe_one(struct call *call) {
    const struct procedure *procedure = call->procedure;
    intptr_t pointer = procedure->request >= 0 ? call->arguments[procedure->request] : 0;
    call->count = 0;
    if (!pointer && procedure->value < 0)
        return;
    intptr_t handle =
        pointer ? caller_handle(call, OF_REQUEST, pointer, 0) : handle_of(call->arguments[procedure->value]);
    if (have_room(call->thread, 1))
        *(intptr_t *)call->thread->handles = handle, call->count = 1;
    describe_wait(call, handle);
}

static intptr_t copied(const struct call *call, long place) {
    return handle_at((intptr_t)call->thread->handles, place);
}

static void describe_many(struct call *call) {
    const struct procedure *procedure = call->procedure;
    int number = (int)call->arguments[procedure->number];
    if (number < 0 || !have_room(call->thread, number ? number : 1)) {
        call->count = 0;
        return;
    }
    intptr_t requests = call->arguments[procedure->requests];
    if (!call->fortran || abi.handle_bytes == 4)
        memcpy(call->thread->handles, (const void *)requests, (size_t)number * (size_t)abi.handle_bytes);
    else /* of Open MPI, whose handles are pointers */
        for (int k = 0; k < number; k++)
            ((intptr_t *)call->thread->handles)[k] = caller_handle(call, OF_REQUEST, requests, k);
    call->count = number;
    if (number == 1)
        describe_wait(call, copied(call, 0));
}

static void describe(struct call *call) {
    const struct procedure *procedure = call->procedure;
    switch (procedure->kind) {
    case SEND:
    case ISEND:
    case SEND_INIT:
        describe_send(call);
        break;
    case RECV:
        use_status(call);
        describe_receive(call, &procedure->first);
        break;
    case IRECV:
    case RECV_INIT:
        describe_receive(call, &procedure->first);
        break;
    case SENDRECV:
        use_status(call);
        describe_send(call);
        describe_receive(call, procedure->second.buffer >= 0 ? &procedure->second : &procedure->first);
        break;
    case ISENDRECV:
        describe_send(call);
        describe_receive(call, procedure->second.buffer >= 0 ? &procedure->second : &procedure->first);
        break;
    case PROBE:
    case IPROBE:
        use_status(call);
        describe_receive(call, &procedure->first);
        break;
    case WAIT:
    case TEST:
    case START:
    case REQUEST_FREE:
        use_status(call);
        describe_one(call);
        break;
    case WAITALL:
    case WAITANY:
    case WAITSOME:
    case TESTALL:
    case TESTANY:
    case TESTSOME:
        describe_many(call);
        long number = call->count;
        use_status(call);
        call->count = number;
        break;
    case RMA:
        describe_rma(call);
        break;
    case WINDOW_PEER:
        call->peer = peer_of(call->state, (int)call->arguments[procedure->dest]);
        break;
    case FILE_ACCESS:
        describe_file(call);
        break;
    case FILE_SYNC:
        if (procedure->new_file >= 0)
            use_pointer(call, OF_FILE, procedure->new_file);
        next_number(call);
        describe_file(call);
        break;
    case WINDOW_SYNC:
        if (procedure->new_window >= 0)
            use_pointer(call, OF_WINDOW, procedure->new_window);
        next_number(call);
        break;
    case COMM_FREE:
        use_pointer(call, OF_COMMUNICATOR, procedure->new_communicator);
        next_number(call);
        break;
    case FINALIZE:
        call->state = world_state;
        next_number(call);
        break;
    case WINDOW:
    case FILE_OPEN:
    case COMM_DUP:
    case COMM_IDUP:
    case COMM_NEW:
    case COLLECTIVE:
    case ICOLLECTIVE:
    case COLLECTIVE_INIT:
        describe_collective(call);
        break;
    default:
        break;
    }
}

static uint64_t key_of(const struct call *call) {
    uint64_t communicator = call->state ? call->state->index : NO_COMMUNICATOR;
    return (uint64_t)(call->procedure - procedures) | communicator << 16 | (uint64_t)call->site << 32;
}

/* False where the call isn't recorded: MPI calls itself, or this thread has no place. */
bool enter(struct call *call, int number, intptr_t *arguments, const void *caller, bool fortran) {
    struct thread *thread = self;
    if (UNLIKELY(!recording))
        return false;
    if (UNLIKELY(!thread) && !(thread = attach()))
        return false;
    if (thread->depth)
        return false;
    thread->depth = 1;
    *call = (struct call){.thread = thread, .procedure = &procedures[number], .arguments = arguments};
    call->fortran = fortran;
    call->peer = call->source = call->root = NO_PEER, call->tag = NO_TAG;
    call->role = ROLE_CALL;
    use_communicator(call);
    describe(call);
    call->site = site_of(thread, caller);
    call->key = key_of(call);
    struct current *now = &thread->segment->current;
    if (UNLIKELY(now->polls && call->procedure->kind == OTHER))
        thread->poll = *now;
    memcpy(&now->procedure, &call->key, 4);
    now->peer = call->peer, now->tag = call->tag, now->site = call->site, now->root = call->root;
    now->bytes = call->sent ? call->sent : call->received;
    now->number = call->number;
    if (UNLIKELY(call->procedure->kind == ABORT))
        aborted();
    now->since = call->begin = ticks();
    __atomic_store_n(&now->inside, 1, __ATOMIC_RELEASE);
    if (UNLIKELY(now->polls) && may_poll(call->procedure))
        polls_again(call);
    if (UNLIKELY(call->procedure->kind == FINALIZE))
        before_finalize();
    return true;
}

/* ---- on return ---- */

/* Where a receive really came from. */
static int finish_receive(struct call *call, uint64_t *bytes, int *tag) {
    int source = abi.proc_null;
    if (!call->status)
        return call->peer;
    *bytes = status_bytes(call->status, &source, tag);
    int peer = peer_of(call->state, source);
    call->received = peer == NOBODY ? 0 : *bytes;
    call->messages_received = peer != NOBODY;
    return peer;
}

static void finish_probe(struct call *call) {
    int source = abi.proc_null;
    if (call->status) {
        status_bytes(call->status, &source, &call->tag);
        call->peer = peer_of(call->state, source);
    }
    if (call->procedure->message >= 0)
        remember_message(call, caller_handle(call, OF_MESSAGE, call->arguments[call->procedure->message], 0));
}

static void count_peer(struct call *call, int peer, bool received, uint64_t bytes) {
    if (peer < 0 || peer >= world_size || (call->state && call->state->foreign))
        return;
    struct peer *counts = &call->thread->peers[peer];
    if (received)
        counts->messages_received++, counts->bytes_received += bytes;
    else
        counts->messages_sent++, counts->bytes_sent += bytes;
}

static void second_event(struct call *call, int peer, int tag, uint64_t bytes) {
    struct event event = {call->begin, call->end,  bytes,         0,      0, 0, peer,
                          tag,         call->site, ROLE_RECEIVES, NO_PEER};
    memcpy(&event.procedure, &call->key, 4);
    write_event(call->thread, &event);
}

static intptr_t status_at(const struct call *call, long place) {
    return call->status ? call->status + place * abi.status_bytes : 0;
}

/* Of a call that has moved nothing: it has failed, or prepares an operation. */
static void forget_bytes(struct call *call) {
    call->sent = call->received = 0;
    call->messages_sent = call->messages_received = 0;
    call->role &= ~(uint32_t)(ROLE_SENDS | ROLE_RECEIVES);
}

/* Handles that are null now were completed, also where one of several operations has failed. */
static void complete_failed(struct call *call) {
    intptr_t requests = call->arguments[call->procedure->requests];
    for (long k = 0; k < call->count; k++)
        if (caller_handle(call, OF_REQUEST, requests, k) == abi.request_null)
            complete_request(call, copied(call, k), 0);
}

static void complete_all(struct call *call) {
    for (long k = 0; k < call->count; k++)
        complete_request(call, copied(call, k), status_at(call, k));
}

static void complete_some(struct call *call) {
    int number = *(const int *)call->arguments[call->procedure->outcount];
    const int *indices = (const int *)call->arguments[call->procedure->indices];
    call->polled = call->procedure->kind == TESTSOME && number == 0;
    for (int k = 0; k < number; k++)
        if (indices[k] - call->fortran >= 0 && indices[k] - call->fortran < call->count)
            complete_request(call, copied(call, indices[k] - call->fortran), status_at(call, k));
}

static void complete_any(struct call *call) {
    int index = *(const int *)call->arguments[call->procedure->index] - call->fortran;
    if (index >= 0 && index < call->count)
        complete_request(call, copied(call, index), status_at(call, 0));
}

static bool flag_of(const struct call *call) {
    int place = call->procedure->flag;
    return place < 0 || *(const int *)call->arguments[place];
}

static void finish_sync(struct call *call) {
    const struct procedure *procedure = call->procedure;
    bool window = procedure->kind == WINDOW_SYNC;
    int place = window ? procedure->new_window : procedure->new_file;
    if (place >= 0 && call->state)
        forget_handle(window ? OF_WINDOW : OF_FILE, call->state->handle);
}

static void finish_new(struct call *call) {
    const struct procedure *procedure = call->procedure;
    intptr_t *arguments = call->arguments;
    bool made = procedure->kind == COMM_DUP || procedure->kind == COMM_NEW || procedure->kind == COMM_GROUP;
    if (made) /* its handle may be one that was freed unseen */
        forget_handle(OF_COMMUNICATOR,
                      caller_handle(call, OF_COMMUNICATOR, arguments[procedure->new_communicator], 0));
    switch (procedure->kind) {
    case COMM_DUP:
    case COMM_NEW:
        if (call->state)
            add_communicator(caller_handle(call, OF_COMMUNICATOR, arguments[procedure->new_communicator], 0),
                             call->state->id, call->number);
        break;
    case COMM_GROUP:
        add_by_members(caller_handle(call, OF_COMMUNICATOR, arguments[procedure->new_communicator], 0),
                       procedure->tag >= 0 ? (uint64_t)(uint32_t)arguments[procedure->tag] : 1);
        break;
    case WINDOW: {
        intptr_t handle = caller_handle(call, OF_WINDOW, arguments[procedure->new_window], 0);
        if (call->state && handle != abi.window_null)
            add_derived(OF_WINDOW, handle, call->state, call->number, "window");
        break;
    }
    case FILE_OPEN: {
        intptr_t handle = caller_handle(call, OF_FILE, arguments[procedure->new_file], 0);
        if (call->state && handle != abi.file_null)
            add_derived(OF_FILE, handle, call->state, call->number,
                        call->fortran ? "file" : (const char *)arguments[1]);
        break;
    }
    case COMM_NAME:
        if (call->state && !call->fortran)
            name_communicator(call->state, (const char *)arguments[1]);
        break;
    default:
        break;
    }
}

static void finish_many(struct call *call) {
    switch (call->procedure->kind) {
    case WAITALL:
        complete_all(call);
        break;
    case TESTALL:
        call->polled = !flag_of(call);
        if (!call->polled)
            complete_all(call);
        break;
    case WAITANY:
    case TESTANY:
        call->polled = !flag_of(call);
        if (!call->polled)
            complete_any(call);
        break;
    default:
        complete_some(call);
    }
}

static intptr_t new_request(const struct call *call) {
    return caller_handle(call, OF_REQUEST, call->arguments[call->procedure->request], 0);
}

/* Of a call that has succeeded. */
static void finish(struct call *call) {
    const struct procedure *procedure = call->procedure;
    intptr_t *arguments = call->arguments;
    int tag = NO_TAG;
    uint64_t bytes = 0;
    switch (procedure->kind) {
    case RECV:
        call->peer = finish_receive(call, &bytes, &call->tag);
        if (call->messages_received)
            call->role |= ROLE_RECEIVES;
        count_peer(call, call->peer, true, bytes);
        break;
    case SEND:
        count_peer(call, call->peer, false, call->sent);
        break;
    case SENDRECV: {
        int peer = finish_receive(call, &bytes, &tag);
        count_peer(call, call->peer, false, call->sent);
        count_peer(call, peer, true, bytes);
        if (call->messages_received)
            second_event(call, peer, tag, bytes);
        break;
    }
    case ISEND:
        count_peer(call, call->peer, false, call->sent);
        add_request(call, new_request(call), ROLE_SENDS, false);
        break;
    case IRECV:
        add_request(call, new_request(call), ROLE_RECEIVES, false);
        call->received = 0;
        break;
    case ISENDRECV:
        count_peer(call, call->peer, false, call->sent);
        add_request(call, new_request(call), ROLE_RECEIVES, false);
        call->received = 0;
        break;
    case SEND_INIT:
        add_request(call, new_request(call), ROLE_SENDS, true);
        forget_bytes(call);
        break;
    case RECV_INIT:
        add_request(call, new_request(call), ROLE_RECEIVES, true);
        forget_bytes(call);
        break;
    case COLLECTIVE_INIT:
        add_request(call, new_request(call), ROLE_COLLECTIVE, true);
        forget_bytes(call);
        break;
    case ICOLLECTIVE:
    case COMM_IDUP:
        add_request(call, new_request(call), ROLE_COLLECTIVE, false);
        break;
    case FILE_ACCESS:
    case FILE_SYNC:
        if (procedure->request >= 0)
            add_request(call, new_request(call), 0, false);
        else if (procedure->kind == FILE_SYNC)
            finish_sync(call);
        break;
    case RMA:
        count_peer(call, call->peer, procedure->first.output,
                   procedure->first.output ? call->received : call->sent);
        if (procedure->request >= 0)
            add_request(call, new_request(call), 0, false);
        break;
    case WINDOW_SYNC:
        finish_sync(call);
        break;
    case START:
        if (call->count)
            start_request(call, copied(call, 0));
        break;
    case STARTALL:
        for (int k = 0; k < (int)arguments[procedure->number]; k++)
            start_request(call, caller_handle(call, OF_REQUEST, arguments[procedure->requests], k));
        break;
    case WAIT:
        if (call->count)
            complete_request(call, copied(call, 0), call->status);
        break;
    case TEST:
        call->polled = !flag_of(call);
        if (!call->polled && call->count)
            complete_request(call, copied(call, 0), call->status);
        break;
    case WAITALL:
    case WAITANY:
    case WAITSOME:
    case TESTALL:
    case TESTANY:
    case TESTSOME:
        finish_many(call);
        break;
    case GET_STATUS:
        call->polled = !flag_of(call);
        break;
    case PROBE:
    case IPROBE:
        call->polled = !flag_of(call);
        if (!call->polled)
            finish_probe(call);
        break;
    case REQUEST_FREE:
        if (call->count)
            free_request(copied(call, 0));
        break;
    case TYPE_FREE:
        forget_types();
        break;
    case COMM_FREE:
        if (call->state)
            forget_handle(OF_COMMUNICATOR, call->state->handle);
        break;
    default:
        finish_new(call);
    }
}

static void forget_result(struct call *call) {
    forget_bytes(call);
    if (call->procedure->kind >= WAITALL && call->procedure->kind <= TESTSOME &&
        call->procedure->requests >= 0)
        complete_failed(call);
}

static void account(struct call *call) {
    uint64_t duration = call->end - call->begin;
    struct entry *entry = find_entry(call->thread, call->key, true);
    entry->calls++;
    entry->ticks += duration;
    if (duration > entry->longest)
        entry->longest = duration;
    bool sends = call->messages_sent || call->sent, receives = call->messages_received || call->received;
    if (sends || receives) {
        entry->messages_sent += (uint64_t)call->messages_sent, entry->bytes_sent += call->sent;
        entry->messages_received += (uint64_t)call->messages_received,
            entry->bytes_received += call->received;
        count_size(entry, sends ? call->sent : call->received);
    }
    call->thread->segment->in_mpi += duration;
}

static void write_call(struct call *call) {
    struct event event = {call->begin,  call->end, call->sent ? call->sent : call->received,
                          call->number, 0,         0,
                          call->peer,   call->tag, call->site,
                          call->role,   call->root};
    memcpy(&event.procedure, &call->key, 4);
    write_event(call->thread, &event);
}

static void renew_moment(uint64_t now) {
    static uint64_t next;
    static int busy;
    if (LIKELY(now < __atomic_load_n(&next, __ATOMIC_RELAXED)) ||
        __atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE))
        return;
    take_moment(&file_header->last);
    uint64_t passed = file_header->last.ns - file_header->first.ns;
    if (passed > 1000000) /* a millisecond says the rate well enough */
        ticks_per_second =
            (uint64_t)((double)(file_header->last.ticks - file_header->first.ticks) * 1e9 / (double)passed);
    __atomic_store_n(&next, now + (ticks_per_second ? ticks_per_second : 1000000), __ATOMIC_RELAXED);
    __atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
}

/* Updates what others see of this call, and passes on the error code. */
intptr_t leave(struct call *call, intptr_t code) {
    struct thread *thread = call->thread;
    struct current *now = &thread->segment->current;
    call->end = ticks();
    now->inside = 0;
    if (LIKELY((int)code == 0))
        finish(call);
    else
        forget_result(call);
    account(call);
    now->peer = call->peer, now->tag = call->tag;
    now->since = call->end;
    if (call->polled) {
        found_nothing(call, now->polls == 0);
        if (!now->polls++)
            now->first_poll = call->begin;
    } else {
        if (UNLIKELY(now->polls) &&
            may_poll(call->procedure)) /* the timeline has the whole wait as one call */
            call->begin = thread->waits_since;
        if (call->procedure->kind != OTHER)
            now->progress++, now->polls = 0;
        else if (UNLIKELY(now->polls)) /* what a rank asks of MPI between two polls leaves it polling */
            *now = thread->poll, thread->polled = call->end;
        write_call(call);
    }
    renew_moment(call->end);
    thread->depth = 0;
    if (UNLIKELY(call->procedure->kind == FINALIZE))
        finalized((int)code);
    if (UNLIKELY(call->procedure->kind == SESSION_END) && (int)code == 0)
        session_ended();
    return code;
}
