#define _DEFAULT_SOURCE
#include "delay.h"
#include "exchange.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OUTGOING, INCOMING, GROUP = POLYMPI_LAYOUT_GROUP };

/* Elements of a group, as docs/protocol.md has them: how many, and the blocks that are sent. */
enum { VECTOR_PERIOD = 2 * GROUP, INDEXED_PERIOD = 6, FIRST_BLOCK = 0, SECOND_BLOCK = 2, SECOND_LENGTH = 3 };

/* The record of the layout `struct`. */
struct particle {
    int64_t number;
    double mass;
    double own; /* stays */
    double place[2];
};

static MPI_Datatype indexed_type(int groups) {
    const size_t blocks = 2 * (size_t)groups;
    int *lengths = malloc(2 * blocks * sizeof *lengths), *places = lengths + blocks;
    MPI_Datatype type;
    if (!lengths) {
        fprintf(stderr, "There is no memory for the description of %zu blocks.\n", blocks);
        polympi_abort(POLYMPI_NO_MEMORY);
    }
    for (int i = 0; i < groups; i++) {
        lengths[2 * i] = 1;
        lengths[2 * i + 1] = SECOND_LENGTH;
        places[2 * i] = i * INDEXED_PERIOD + FIRST_BLOCK;
        places[2 * i + 1] = i * INDEXED_PERIOD + SECOND_BLOCK;
    }
    MPI_Type_indexed((int)blocks, lengths, places, MPI_DOUBLE, &type);
    free(lengths);
    return type;
}

static MPI_Datatype struct_type(void) {
    MPI_Datatype fields, type, types[3] = {MPI_INT64_T, MPI_DOUBLE, MPI_DOUBLE};
    const int lengths[3] = {1, 1, 2};
    const MPI_Aint places[3] = {offsetof(struct particle, number), offsetof(struct particle, mass),
                                offsetof(struct particle, place)};
    MPI_Type_create_struct(3, lengths, places, types, &fields);
    MPI_Type_create_resized(fields, 0, sizeof(struct particle), &type);
    MPI_Type_free(&fields);
    return type;
}

void layouts_begin(const struct polympi_case *c, struct exchange *x) {
    const int elements = x->count, groups = x->count / GROUP;
    x->count = 1;
    switch (c->layout) {
    case POLYMPI_LAYOUT_VECTOR:
        MPI_Type_vector(elements, 1, VECTOR_PERIOD / GROUP, MPI_DOUBLE, &x->type);
        break;
    case POLYMPI_LAYOUT_INDEXED:
        x->type = indexed_type(groups);
        break;
    case POLYMPI_LAYOUT_STRUCT:
        x->type = struct_type();
        x->count = groups;
        break;
    default:
        MPI_Type_contiguous(elements, MPI_DOUBLE, &x->type);
    }
    MPI_Type_commit(&x->type);
}

void layouts_end(struct exchange *x) { MPI_Type_free(&x->type); }

/* By hand. */

INLINED void pack_vector(const struct exchange *x) {
    const double *message = (const double *)x->outgoing;
    for (size_t i = 0; i < x->elements; i++)
        x->packed[OUTGOING][i] = message[2 * i];
}

INLINED void unpack_vector(const struct exchange *x) {
    double *message = (double *)x->incoming;
    for (size_t i = 0; i < x->elements; i++)
        message[2 * i] = x->packed[INCOMING][i];
}

INLINED void pack_indexed(const struct exchange *x) {
    const double *message = (const double *)x->outgoing;
    double *packed = x->packed[OUTGOING];
    for (size_t i = 0; i < x->elements; i += GROUP, message += INDEXED_PERIOD, packed += GROUP) {
        packed[0] = message[FIRST_BLOCK];
        memcpy(packed + 1, message + SECOND_BLOCK, SECOND_LENGTH * sizeof *packed);
    }
}

INLINED void unpack_indexed(const struct exchange *x) {
    double *message = (double *)x->incoming;
    const double *packed = x->packed[INCOMING];
    for (size_t i = 0; i < x->elements; i += GROUP, message += INDEXED_PERIOD, packed += GROUP) {
        message[FIRST_BLOCK] = packed[0];
        memcpy(message + SECOND_BLOCK, packed + 1, SECOND_LENGTH * sizeof *packed);
    }
}

/* What of a particle travels, as it lies in the packed message. */
struct travelling {
    int64_t number;
    double mass;
    double place[2];
};

INLINED void pack_struct(const struct exchange *x) {
    const struct particle *particles = (const struct particle *)x->outgoing;
    struct travelling *packed = (struct travelling *)(void *)x->packed[OUTGOING];
    for (size_t i = 0; i < x->elements / GROUP; i++) {
        packed[i].number = particles[i].number;
        packed[i].mass = particles[i].mass;
        memcpy(packed[i].place, particles[i].place, sizeof packed[i].place);
    }
}

INLINED void unpack_struct(const struct exchange *x) {
    struct particle *particles = (struct particle *)x->incoming;
    const struct travelling *packed = (const struct travelling *)(const void *)x->packed[INCOMING];
    for (size_t i = 0; i < x->elements / GROUP; i++) {
        particles[i].number = packed[i].number;
        particles[i].mass = packed[i].mass;
        memcpy(particles[i].place, packed[i].place, sizeof packed[i].place);
    }
}

INLINED void send_packed(const struct exchange *x) {
    planted_delay();
    x->send(x->packed[OUTGOING], (int)x->elements, MPI_DOUBLE, x->peer, POLYMPI_PAYLOAD_TAG, MPI_COMM_WORLD);
}

INLINED void receive_packed(const struct exchange *x) {
    x->receive(x->packed[INCOMING], (int)x->elements, MPI_DOUBLE, x->peer, POLYMPI_PAYLOAD_TAG,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

#define DEFINE_PACKED_PING_PONG(layout)                                                                      \
    INLINED void ping_##layout(const struct exchange *x) {                                                   \
        pack_##layout(x);                                                                                    \
        send_packed(x);                                                                                      \
        receive_packed(x);                                                                                   \
        unpack_##layout(x);                                                                                  \
    }                                                                                                        \
    INLINED void pong_##layout(const struct exchange *x) {                                                   \
        receive_packed(x);                                                                                   \
        unpack_##layout(x);                                                                                  \
        pack_##layout(x);                                                                                    \
        send_packed(x);                                                                                      \
    }                                                                                                        \
    DEFINE_LOOPS(ping_##layout);                                                                             \
    DEFINE_LOOPS(pong_##layout)

DEFINE_PACKED_PING_PONG(vector);
DEFINE_PACKED_PING_PONG(indexed);
DEFINE_PACKED_PING_PONG(struct);

const struct loops *layout_packing_loops(const struct polympi_case *c, int rank) {
    static const struct loops *const loops[POLYMPI_LAYOUTS][2] = {
        [POLYMPI_LAYOUT_VECTOR] = {&ping_vector_loops, &pong_vector_loops},
        [POLYMPI_LAYOUT_INDEXED] = {&ping_indexed_loops, &pong_indexed_loops},
        [POLYMPI_LAYOUT_STRUCT] = {&ping_struct_loops, &pong_struct_loops}};
    return loops[c->layout][rank];
}
