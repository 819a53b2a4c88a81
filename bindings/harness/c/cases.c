#define _DEFAULT_SOURCE
#include "cases.h"
#include "applications.h"
#include "catalogue.h"
#include "cube.h"
#include "ghosts.h"
#include "layout.h"
#include "pieces.h"
#include "samples.h"

#include <inttypes.h>
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Messages in one iteration, of a rank that participates. */
static int32_t count_messages(int32_t messages, const struct session *session) {
    switch (messages) {
    case ALL_MESSAGES:
        return session->ranks;
    case WINDOW_MESSAGES:
        return session->window;
    default:
        return messages;
    }
}

static int larger(int a, int b) { return a > b ? a : b; }

/* Size of the buffer that the mode buffered attaches; 0 for other modes. */
static int64_t attached_bytes(const struct polympi_case *c, const struct session *session) {
    /* The messages on their way, and those of the iteration before that the library may not have taken back
       yet; twice that, since a library may cut the buffer in pieces. */
    enum { ROOM_FOR_EACH = 4 };
    const struct benchmark_facts *facts = &benchmark_facts[c->benchmark];
    const int64_t messages =
        larger(count_messages(facts->sends_root, session), count_messages(facts->sends_other, session));
    return c->send_mode == POLYMPI_BUFFERED ? ROOM_FOR_EACH * messages * (c->bytes + MPI_BSEND_OVERHEAD) : 0;
}

/* Whether every program is expected to have loops for a case; others only run if they say that they have. */
static bool is_basic(const struct polympi_case *c) {
    return benchmark_facts[c->benchmark].basic_modes >> c->mode & 1;
}

/* A program that computes: its results are checked, not its messages. */
static bool is_application(const struct polympi_case *c) {
    return benchmark_facts[c->benchmark].dimensions > 0;
}

/* Why no program can run a case on these ranks, or NULL. */
static const char *refusal_of_all(const struct polympi_case *c, const struct session *session) {
    if ((c->kind == POLYMPI_PAIR || c->kind == POLYMPI_CYCLE) && session->ranks < 2)
        return "it takes two ranks to exchange messages";
    if (!(benchmark_facts[c->benchmark].payloads >> c->payload & 1))
        return "the benchmark does not have this payload";
    if (is_application(c) && polympi_problem_edge(c) < POLYMPI_SMALLEST_EDGE * (int64_t)session->ranks)
        return "the mesh is too small for so many ranks";
    if (polympi_payload_count(c) * (benchmark_facts[c->benchmark].uneven ? session->ranks : 1) > INT_MAX)
        return "the message has more elements than an int of MPI counts";
    if (attached_bytes(c, session) > INT_MAX)
        return "the buffer to attach has more bytes than an int of MPI counts";
    if (c->kind == POLYMPI_ROOTED && c->iterations > INT_MAX / larger(c->batches, 1))
        return "its batches have more iterations than an int of MPI counts";
    return NULL;
}

/* Why this launch does not run a case, or NULL. */
static const char *refusal(const struct polympi_case *c, const struct session *session) {
    const struct polympi_program *program = session->program;
    const char *reason = refusal_of_all(c, session);
    if (!reason && !is_basic(c) && !(session->opted_in & POLYMPI_OPT_IN(c->benchmark)))
        reason = "this program has no loops for the benchmark";
    return reason || !program->refuse ? reason : program->refuse(program->context, c);
}

static bool takes_part(const struct polympi_case *c, const struct session *session) {
    return c->kind != POLYMPI_PAIR || session->rank < 2;
}

/* Timed on rank 0 in stretches of many iterations; else a call of all ranks from a common start. */
static bool is_timed_on_root(const struct polympi_case *c) {
    return c->kind == POLYMPI_PAIR || c->kind == POLYMPI_CYCLE || c->kind == POLYMPI_APPLICATION;
}

/* Bytes from one message to the next: slots of a window have their own pages, pieces of a collective
 * touch. */
static int64_t spacing(const struct polympi_case *c) {
    return is_timed_on_root(c) ? polympi_arena_stride(c->bytes) : c->bytes;
}

/* Messages in a row, which take a place even when they are empty; no messages take none. */
static void *carve_messages(struct polympi_arena *arena, int messages, int64_t bytes) {
    return messages ? polympi_arena_carve(arena, 1, bytes) : NULL;
}

/* Carves the cube, in which both faces lie, and room to pack them. */
static void place_faces(const struct polympi_case *c, struct polympi_arena *arena,
                        struct polympi_buffers *buffers) {
    buffers->edge = cube_edge(c->bytes);
    char *cube = polympi_arena_carve(arena, 1, buffers->edge * c->bytes);
    buffers->outgoing = cube;
    buffers->incoming = cube ? cube + cube_face_distance(c, buffers->edge) : NULL;
    for (int i = 0; i < 2; i++)
        buffers->packed[i] = polympi_arena_carve(arena, 1, c->bytes);
}

/* Carves the cube, from and into which all faces go, and room to pack them, one after the other. */
static void place_halo(const struct polympi_case *c, struct polympi_arena *arena,
                       struct polympi_buffers *buffers) {
    buffers->edge = ghosts_edge(c->bytes);
    buffers->outgoing = polympi_arena_carve(
        arena, 1, buffers->edge * buffers->edge * buffers->edge * (int64_t)sizeof(double));
    buffers->incoming = buffers->outgoing;
    for (int i = 0; i < 2; i++)
        buffers->packed[i] = polympi_arena_carve(arena, 1, c->bytes);
}

/* Carves both messages, whose parts do not touch, and room to pack them. */
static void place_layouts(const struct polympi_case *c, struct polympi_arena *arena,
                          struct polympi_buffers *buffers) {
    buffers->outgoing = polympi_arena_carve(arena, 1, layout_span(c));
    buffers->incoming = polympi_arena_carve(arena, 1, layout_span(c));
    for (int i = 0; i < 2; i++)
        buffers->packed[i] = polympi_arena_carve(arena, 1, c->bytes);
}

/* Carves the buffers of a case out of an arena; with an arena without memory this counts what they take.
 * The layout is the same for every program: distances in memory change times, too. */
static struct polympi_buffers place(const struct polympi_case *c, const struct session *session,
                                    struct polympi_arena *arena) {
    const struct benchmark_facts *facts = &benchmark_facts[c->benchmark];
    const bool root = session->rank == 0, taking_part = takes_part(c, session);
    struct polympi_buffers buffers = {.stride = spacing(c),
                                      .count = polympi_payload_count(c),
                                      .window = session->window,
                                      .rank = session->rank,
                                      .ranks = session->ranks};
    if (is_application(c)) {
        buffers.edge = polympi_problem_edge(c);
    } else if (taking_part && facts->shape == FACE) {
        place_faces(c, arena, &buffers);
    } else if (taking_part && facts->shape == HALO) {
        place_halo(c, arena, &buffers);
    } else if (taking_part && facts->shape == LAYOUT) {
        place_layouts(c, arena, &buffers);
    } else if (taking_part) {
        buffers.outgoing_messages = count_messages(root ? facts->sends_root : facts->sends_other, session);
        buffers.incoming_messages = count_messages(root ? facts->gets_root : facts->gets_other, session);
        buffers.outgoing = carve_messages(arena, buffers.outgoing_messages,
                                          outgoing_place(c, &buffers, buffers.outgoing_messages));
        buffers.incoming = carve_messages(arena, buffers.incoming_messages,
                                          incoming_place(c, &buffers, buffers.incoming_messages));
    }
    buffers.acknowledgement = polympi_arena_carve(arena, 1, 1);
    buffers.empty = polympi_arena_carve(arena, 1, 0);
    buffers.attached_bytes = attached_bytes(c, session);
    buffers.attached = polympi_arena_carve(arena, 1, buffers.attached_bytes);
    if (facts->one_buffer && root)
        buffers.incoming = buffers.outgoing;
    return buffers;
}

/* Allocated and written to, so that no page is served first inside a loop. */
static void *allocate(int count, size_t bytes) {
    void *memory = malloc((size_t)count * bytes);
    if (memory)
        memset(memory, 1, (size_t)count * bytes);
    return memory;
}

/* Iterations of a case that are timed alone in one series. */
static int single_times(const struct polympi_case *c) {
    const int batches = c->batches * c->iterations;
    return c->kind == POLYMPI_ROOTED ? larger(larger(batches, c->warmup), c->events) : c->events;
}

bool session_allocate(struct session *session, const struct polympi_plan *plan) {
    int64_t most_bytes = 0;
    int most_times = 1, most_batches = 1;
    for (int64_t i = 0; i < plan->count; i++) {
        const struct polympi_case *c = &plan->cases[i];
        struct polympi_arena counting = {0};
        if (refusal(c, session))
            continue;
        place(c, session, &counting);
        if (counting.used > most_bytes)
            most_bytes = counting.used;
        most_times = larger(most_times, single_times(c));
        most_batches = larger(most_batches, c->batches);
    }
    session->ns = allocate(most_times, sizeof *session->ns);
    session->batches = allocate(most_batches, sizeof *session->batches);
    session->communication = allocate(most_batches, sizeof *session->communication);
    return session->ns && session->batches && session->communication &&
           polympi_arena_map(&session->arena, most_bytes, plan->pages);
}

void session_free(struct session *session) {
    polympi_arena_unmap(&session->arena);
    free(session->ns);
    free(session->batches);
    free(session->communication);
}

/* What a program may leave out. */
static void nothing(void *context) { (void)context; }
static int64_t no_time(void *context) {
    (void)context;
    return 0;
}

static struct polympi_callbacks prepare(const struct polympi_case *c, const struct session *session,
                                        const struct polympi_buffers *buffers) {
    const struct polympi_program *program = session->program;
    struct polympi_callbacks callbacks = {0};
    program->prepare(program->context, c, buffers, &callbacks);
    void (**const optional[])(void *) = {&callbacks.begin, &callbacks.end, &callbacks.show,
                                         &callbacks.release};
    for (size_t i = 0; i < sizeof optional / sizeof *optional; i++)
        if (!*optional[i])
            *optional[i] = nothing;
    if (!callbacks.communication)
        callbacks.communication = no_time;
    return callbacks;
}

/* Whether the messages of a case have gaps; they are filled and checked all at once. */
static bool has_gaps(const struct polympi_case *c) {
    return benchmark_facts[c->benchmark].shape != CONTIGUOUS;
}

static void fill_with_gaps(const struct polympi_case *c, const struct polympi_buffers *buffers) {
    const enum shape shape = benchmark_facts[c->benchmark].shape;
    if (shape == FACE)
        cube_fill(c, buffers, buffers->rank);
    else if (shape == HALO)
        ghosts_fill(c, buffers, buffers->rank);
    else
        layout_fill(c, buffers, buffers->rank);
}

static void fill(const struct polympi_case *c, const struct polympi_buffers *buffers) {
    for (int i = 0; i < buffers->outgoing_messages; i++) {
        const struct polympi_case piece = outgoing_piece(c, buffers, i);
        polympi_payload_fill((char *)buffers->outgoing + outgoing_place(c, buffers, i), &piece, buffers->rank,
                             i);
    }
    if (has_gaps(c))
        fill_with_gaps(c, buffers);
}

/* Checks message number `i` of those that a rank received. */
static void check_message(const struct polympi_case *c, const struct polympi_buffers *buffers, int i,
                          char *complaint) {
    const char *message = (const char *)buffers->incoming + incoming_place(c, buffers, i);
    const struct benchmark_facts *facts = &benchmark_facts[c->benchmark];
    const struct polympi_case piece = incoming_piece(c, buffers, i);
    const int origin = piece_origin(c, buffers, i), slot = piece_slot(c, buffers, i);
    char fault[POLYMPI_COMPLAINT_BYTES] = "";
    if (facts->shape == FACE)
        cube_check(c, buffers, origin, fault);
    else if (facts->shape == HALO)
        ghosts_check(c, buffers, origin, fault);
    else if (facts->shape == LAYOUT)
        layout_check(c, buffers, origin, fault);
    else if (facts->origin == FROM_SUM)
        polympi_payload_check_sum(message, c, c->kind == POLYMPI_PAIR ? 2 : buffers->ranks, slot, fault);
    else
        polympi_payload_check(message, &piece, origin, slot, fault);
    if (fault[0])
        snprintf(complaint, POLYMPI_COMPLAINT_BYTES, "message %d that rank %d received: %.200s", i,
                 buffers->rank, fault);
}

/* Before an exchange: nothing has arrived yet; in a window that messages are added to is one of this rank. */
static void clear(const struct polympi_case *c, const struct polympi_buffers *buffers) {
    const bool added_to = c->kind == POLYMPI_PAIR && benchmark_facts[c->benchmark].origin == FROM_SUM;
    if (buffers->incoming_messages)
        polympi_payload_poison(buffers->incoming, incoming_place(c, buffers, buffers->incoming_messages));
    for (int i = 0; added_to && i < buffers->incoming_messages; i++)
        polympi_payload_fill((char *)buffers->incoming + i * buffers->stride, c, buffers->rank, i);
}

/* One iteration as a batch makes it, or as an event makes it, whose messages are checked. */
static void validate_loop(const struct polympi_case *c, const struct polympi_callbacks *callbacks,
                          bool singly, const struct polympi_buffers *buffers, char *complaint) {
    const int messages = has_gaps(c) ? 1 : buffers->incoming_messages;
    int64_t ns;
    clear(c, buffers);
    if (has_gaps(c))
        fill_with_gaps(c, buffers);
    callbacks->begin(callbacks->context);
    if (singly)
        callbacks->singly(callbacks->context, 1, &ns);
    else
        callbacks->batch(callbacks->context, 1);
    callbacks->end(callbacks->context);
    callbacks->show(callbacks->context);
    for (int i = 0; i < messages && !complaint[0]; i++)
        check_message(c, buffers, i, complaint);
}

/* Several iterations of an application, by the very loops that will be timed, whose result is checked. */
static void validate_application(const struct polympi_case *c, const struct polympi_callbacks *callbacks,
                                 const struct polympi_buffers *buffers, char *complaint) {
    void *const context = callbacks->context;
    int64_t ns[VALIDATED_ITERATIONS];
    int in_a_row = c->kind == POLYMPI_ROOTED ? 0 : VALIDATED_IN_A_ROW;
    callbacks->begin(context);
    if (c->kind == POLYMPI_APPLICATION && buffers->rank > 0)
        in_a_row = VALIDATED_ITERATIONS;
    if (in_a_row)
        callbacks->batch(context, in_a_row);
    if (in_a_row < VALIDATED_ITERATIONS)
        callbacks->singly(context, VALIDATED_ITERATIONS - in_a_row, ns);
    callbacks->end(context);
    callbacks->show(context);
    if (callbacks->check)
        callbacks->check(c, buffers, VALIDATED_ITERATIONS, complaint);
    else
        snprintf(complaint, POLYMPI_COMPLAINT_BYTES, "the program does not say how its result is checked");
}

/* One iteration of each of the very loops that will be timed: rooted collectives have no other than the one
 * that times each iteration alone, and point to point other ranks answer both of rank 0 in the same way. */
static void validate(const struct polympi_case *c, const struct polympi_callbacks *callbacks,
                     const struct polympi_buffers *buffers, char *complaint) {
    if (is_application(c)) {
        validate_application(c, callbacks, buffers, complaint);
        return;
    }
    if (c->kind != POLYMPI_ROOTED)
        validate_loop(c, callbacks, false, buffers, complaint);
    validate_loop(c, callbacks, !is_timed_on_root(c) || buffers->rank == 0, buffers, complaint);
}

/* Only ranks that participate; the figures of rank 0 count. */
static void time_on_root(const struct polympi_case *c, const struct polympi_callbacks *callbacks,
                         struct session *session) {
    void *const context = callbacks->context;
    callbacks->begin(context);
    common_start_mark();
    callbacks->batch(context, c->warmup);
    for (int i = 0; i < c->batches; i++) {
        const int64_t before = callbacks->communication(context), start = polympi_now();
        callbacks->batch(context, c->iterations);
        session->batches[i] = polympi_now() - start;
        session->communication[i] = callbacks->communication(context) - before;
    }
    if (session->rank == 0)
        callbacks->singly(context, c->events, session->ns);
    else
        callbacks->batch(context, c->events);
    common_start_mark();
    callbacks->end(context);
}

/* Calls that hold the ranks together: a batch is one stretch of time from a common start, and one that a rank
 * began too late is made again. */
static void time_joint_batches(const struct polympi_case *c, const struct polympi_callbacks *callbacks,
                               int64_t *batches) {
    void *const context = callbacks->context;
    common_start_mark();
    callbacks->batch(context, c->warmup);
    common_start_agree();
    for (int i = 0; i < c->batches;) {
        const int64_t start = common_start_wait();
        callbacks->batch(context, c->iterations);
        batches[i] = polympi_now() - start;
        i += common_start_agree();
    }
    common_start_mark();
}

/* Whether a case is of an application that reports what it spends in calls of communication. */
static bool counts_communication(const struct polympi_case *c, const struct polympi_callbacks *callbacks) {
    return is_application(c) && c->kind != POLYMPI_JOINT && callbacks->communication != no_time;
}

/* Calls in which ranks would run ahead: every iteration has its own start, and a batch is the sum over
 * its iterations of the time of the last rank. */
static void time_rooted_batches(const struct polympi_case *c, const struct polympi_callbacks *callbacks,
                                struct session *session) {
    const int iterations = c->batches * c->iterations;
    common_start_mark();
    callbacks->singly(callbacks->context, c->warmup, session->ns);
    if (counts_communication(c, callbacks))
        common_start_watch(callbacks->communication, callbacks->context, session->communication,
                           c->iterations);
    callbacks->singly(callbacks->context, iterations, session->ns);
    common_start_watch(NULL, NULL, NULL, 0);
    common_start_mark();
    polympi_largest_over_ranks(session->ns, iterations);
    for (int i = 0; i < c->batches; i++) {
        session->batches[i] = 0;
        for (int k = 0; k < c->iterations; k++)
            session->batches[i] += session->ns[i * c->iterations + k];
    }
}

static void time_collective(const struct polympi_case *c, const struct polympi_callbacks *callbacks,
                            struct session *session) {
    if (c->kind == POLYMPI_ROOTED) {
        time_rooted_batches(c, callbacks, session);
    } else {
        time_joint_batches(c, callbacks, session->batches);
        polympi_largest_over_ranks(session->batches, c->batches);
    }
    callbacks->singly(callbacks->context, c->events, session->ns);
    polympi_largest_over_ranks(session->ns, c->events);
}

/* A rank without a part in a case has marks for it, too, so that all ranks have as many. */
static void mark_nothing(void) {
    common_start_mark();
    common_start_mark();
}

/* Times a valid case and writes what it took. */
static void measure(const struct polympi_case *c, const struct polympi_callbacks *callbacks,
                    struct session *session) {
    const int64_t repeated = common_start_repeated();
    if (!is_timed_on_root(c))
        time_collective(c, callbacks, session);
    else if (takes_part(c, session))
        time_on_root(c, callbacks, session);
    else
        mark_nothing();
    if (common_start_repeated() > repeated)
        samples_format(session->samples, "repeated %" PRId32 " %" PRId64, c->id,
                       common_start_repeated() - repeated);
    polympi_samples_times(session->samples, "batch", c->id, session->batches, c->batches);
    if (counts_communication(c, callbacks))
        polympi_samples_times(session->samples, "communication", c->id, session->communication, c->batches);
    polympi_samples_times(session->samples, "event", c->id, session->ns, c->events);
}

void case_run(const struct polympi_case *c, struct session *session) {
    const char *reason = refusal(c, session);
    samples_format(session->samples, "case %" PRId32, c->id);
    polympi_samples_flush(session->samples); /* before anything can crash */
    if (reason) {
        samples_format(session->samples, "skip %" PRId32 " %s", c->id, reason);
        return;
    }
    struct polympi_arena arena = session->arena; /* a copy: every case begins at the beginning */
    struct polympi_part part = {0};
    struct polympi_buffers buffers = place(c, session, &arena);
    buffers.part = &part;
    const bool taking_part = takes_part(c, session);
    struct polympi_callbacks callbacks = {.release = nothing};
    char complaint[POLYMPI_COMPLAINT_BYTES] = "";
    if (taking_part) {
        fill(c, &buffers);
        callbacks = prepare(c, session, &buffers);
    }
    if (!is_timed_on_root(c))
        common_start_next_case();
    if (taking_part)
        validate(c, &callbacks, &buffers, complaint);
    if (polympi_share_complaint(complaint)) {
        samples_format(session->samples, "valid %" PRId32 " failed %s", c->id, complaint);
    } else {
        samples_format(session->samples, "valid %" PRId32 " ok", c->id);
        measure(c, &callbacks, session);
    }
    callbacks.release(callbacks.context);
    polympi_samples_flush(session->samples);
    common_start_agree(); /* ranks without a part in the case wait here for those that have one */
}
