/* How many bytes a call sends and receives. */
#include <string.h>

#include "recorder.h"

static uint32_t generation = 1; /* of the sizes that threads remember */

void forget_types(void) { __atomic_add_fetch(&generation, 1, __ATOMIC_RELEASE); }

static RARE uint64_t ask_type(intptr_t type) {
    int size = 0;
    if (present(NUMBER_MPI_Type_size_x)) {
        int64_t wide = 0;
        return MPI2(Type_size_x, type, &wide) == 0 && wide > 0 ? (uint64_t)wide : 0;
    }
    return MPI2(Type_size, type, &size) == 0 && size > 0 ? (uint64_t)size : 0;
}

/* Of one element of a datatype. */
uint64_t type_bytes(struct thread *thread, intptr_t type) {
    struct cached_type *cached = &thread->types[((uint64_t)type * 0x9e3779b97f4a7c15u) >> 58];
    if (LIKELY(cached->handle == type && cached->generation == generation))
        return cached->bytes;
    *cached = (struct cached_type){type, ask_type(type), generation};
    return cached->bytes;
}

static int64_t count_at(const struct call *call, const struct block *block, int place) {
    intptr_t counts = call->arguments[block->counts];
    return block->wide ? ((const int64_t *)counts)[place] : ((const int *)counts)[place];
}

/* The sum over an array of counts, each of its datatype where there are several. */
static uint64_t sum(struct call *call, const struct block *block, int number) {
    uint64_t bytes = 0;
    if (block->types >= 0) {
        intptr_t types = call->arguments[block->types];
        for (int k = 0; k < number; k++)
            bytes += (uint64_t)count_at(call, block, k) *
                     type_bytes(call->thread, caller_handle(call, OF_TYPE, types, k));
        return bytes;
    }
    for (int k = 0; k < number; k++)
        bytes += (uint64_t)count_at(call, block, k);
    return bytes * type_bytes(call->thread, handle_of(call->arguments[block->type]));
}

/* Of a buffer with one count. */
uint64_t block_bytes(struct call *call, const struct block *block) {
    int64_t count = 1;
    if (block->type < 0)
        return 0;
    if (block->count >= 0)
        count = block->wide ? call->arguments[block->count] : (int)call->arguments[block->count];
    if (call->procedure->partitions >= 0)
        count *= (int)call->arguments[call->procedure->partitions];
    return count > 0 ? (uint64_t)count * type_bytes(call->thread, handle_of(call->arguments[block->type]))
                     : 0;
}

static uint64_t all_parts(struct call *call, const struct block *block, int number) {
    return block->counts >= 0 ? sum(call, block, number) : (uint64_t)number * block_bytes(call, block);
}

static uint64_t part(struct call *call, const struct block *block, int place) {
    if (block->counts < 0)
        return block_bytes(call, block);
    if (place < 0)
        return 0;
    uint64_t size = block->type < 0 ? 0 : type_bytes(call->thread, handle_of(call->arguments[block->type]));
    return (uint64_t)count_at(call, block, place) * size;
}

static void learn_neighbours(struct communicator_state *state) {
    enum { GRAPH = 0, CARTESIAN = 1, DISTRIBUTED = 2 };
    int kind = -1, weighted = 0, dimensions = 0;
    static const int kinds[][3] = {[MPICH] = {1, 2, 3}, [OPEN_MPI] = {2, 1, 3}, [STANDARD] = {212, 211, 213}};
    MPI2(Topo_test, state->handle, &kind);
    state->topology = true;
    if (kind == kinds[abi.family][DISTRIBUTED])
        MPI4(Dist_graph_neighbors_count, state->handle, &state->degree_in, &state->degree_out, &weighted);
    else if (kind == kinds[abi.family][CARTESIAN] && MPI2(Cartdim_get, state->handle, &dimensions) == 0)
        state->degree_in = state->degree_out = 2 * dimensions;
    else if (kind == kinds[abi.family][GRAPH] &&
             MPI3(Graph_neighbors_count, state->handle, state->local_rank, &state->degree_in) == 0)
        state->degree_out = state->degree_in;
}

static void neighbours(struct call *call, const struct block *from, const struct block *into) {
    struct communicator_state *state = call->state;
    if (!state->topology)
        learn_neighbours(state);
    bool same = !strstr(call->procedure->name, "alltoall");
    call->sent =
        same ? block_bytes(call, from) * (state->degree_out > 0) : all_parts(call, from, state->degree_out);
    call->received = all_parts(call, into, state->degree_in);
}

/* What this rank contributes to a collective and gets from it. */
void collective_bytes(struct call *call) {
    const struct procedure *procedure = call->procedure;
    const struct block *from = &procedure->first, *into = &procedure->second;
    struct communicator_state *state = call->state;
    if (!state || procedure->shape == NOTHING)
        return;
    bool in_place = from->buffer >= 0 && call->arguments[from->buffer] == abi.in_place;
    int argument = procedure->root >= 0 ? (int)call->arguments[procedure->root] : 0;
    bool between = state->file->remote_size > 0; /* an intercommunicator */
    bool root = between ? argument == abi.root : argument == state->local_rank;
    bool idle = between && argument == abi.proc_null;
    if (procedure->root >= 0 && idle)
        return;
    bool gathers = procedure->shape == TO_ROOT || procedure->shape == PARTS_OF_ROOT;
    int number = state->size, rank = state->local_rank;
    switch (procedure->shape) {
    case FROM_ROOT:
        *(root ? &call->sent : &call->received) = block_bytes(call, from);
        break;
    case TO_ROOT:
        if (!(between && root))
            call->sent = in_place ? part(call, into, rank) : block_bytes(call, from);
        call->received = root ? all_parts(call, into, number) : 0;
        break;
    case PARTS_OF_ROOT: /* MPI_IN_PLACE is the root's receive buffer */
        call->sent = root ? all_parts(call, from, number) : 0;
        if (!(between && root))
            call->received = gathers && call->arguments[into->buffer] == abi.in_place ? part(call, from, rank)
                                                                                      : part(call, into, 0);
        break;
    case TO_ALL:
        call->sent = in_place ? part(call, into, rank) : block_bytes(call, from);
        call->received = all_parts(call, into, number);
        break;
    case ALL_TO_ALL:
        call->received = all_parts(call, into, number);
        call->sent = in_place ? call->received : all_parts(call, from, number);
        break;
    case REDUCED:
        call->sent = between && root ? 0 : block_bytes(call, from);
        call->received = root ? block_bytes(call, from) : 0;
        break;
    case REDUCED_TO_ALL:
        call->sent = call->received = block_bytes(call, from);
        break;
    case REDUCED_PARTS:
        call->sent = all_parts(call, into, state->local_size);
        call->received = part(call, into, rank);
        break;
    case REDUCED_BLOCKS:
        call->received = block_bytes(call, into);
        call->sent = (uint64_t)state->local_size * call->received;
        break;
    case NEIGHBOURS:
        neighbours(call, from, into);
        break;
    default:
        break;
    }
}

/* What a status says. Its bytes lie where the ABIs of MPICH and Open MPI have fixed them. */
uint64_t status_bytes(intptr_t status, int *source, int *tag) {
    const char *fields = (const char *)status;
    memcpy(source, fields + abi.source_at, sizeof *source);
    memcpy(tag, fields + abi.tag_at, sizeof *tag);
    if (*source == abi.proc_null)
        return 0;
    if (abi.family == OPEN_MPI) {
        size_t bytes;
        memcpy(&bytes, fields + 16, sizeof bytes);
        return bytes;
    }
    if (abi.family == MPICH) { /* the lowest bit of the second half says whether it was cancelled */
        uint32_t halves[2];
        memcpy(halves, fields, sizeof halves);
        return halves[0] | (uint64_t)(halves[1] >> 1) << 32;
    }
    int64_t bytes = 0;
    MPI3(Get_elements_c, status, abi.byte, &bytes);
    return bytes > 0 ? (uint64_t)bytes : 0;
}
