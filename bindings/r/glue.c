/* The way from the harness, which calls functions of C, to those of R.

   A program in R gives one function for what cannot be run and one that prepares a case; the second returns
   the loops of the case in a list (cases.R). */
#define _DEFAULT_SOURCE
#include "values.h"

#include <R_ext/Rdynload.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The case that is running. */
static struct {
    SEXP refuse, prepare, loops;
    const struct polympi_case *c;
    const struct polympi_buffers *buffers;
    char reason[POLYMPI_COMPLAINT_BYTES];
} running;

/* A call of a function of R. An error in it ends this rank, since the others would wait for it forever. */
static SEXP call(SEXP function, SEXP argument) {
    SEXP expression = PROTECT(argument ? Rf_lang2(function, argument) : Rf_lang1(function));
    int failed = 0;
    SEXP result = R_tryEval(expression, R_GlobalEnv, &failed);
    UNPROTECT(1);
    if (failed)
        exit(1);
    return result;
}

static SEXP loop(const char *name) {
    const SEXP names = Rf_getAttrib(running.loops, R_NamesSymbol);
    for (R_xlen_t i = 0; i < Rf_xlength(running.loops); i++)
        if (strcmp(CHAR(STRING_ELT(names, i)), name) == 0)
            return VECTOR_ELT(running.loops, i);
    return R_NilValue;
}

static void call_if_there(const char *name) {
    const SEXP function = loop(name);
    if (function != R_NilValue)
        call(function, NULL);
}

static int is_alone(const struct polympi_case *c) {
    return c->kind == POLYMPI_PAIR || c->kind == POLYMPI_CYCLE || c->kind == POLYMPI_APPLICATION;
}

/* The case as R sees it: a list of words and numbers. `buffers` is NULL where nothing is known of them. */
static SEXP describe(const struct polympi_case *c, const struct polympi_buffers *b) {
    const char *names[] = {"benchmark", "mode",     "payload", "alone", "rank", "ranks",
                           "outgoing",  "incoming", "edge",    "count", ""};
    SEXP list = PROTECT(Rf_mkNamed(VECSXP, names));
    SET_VECTOR_ELT(list, 0, Rf_mkString(polympi_benchmark_name(c->benchmark)));
    SET_VECTOR_ELT(list, 1, Rf_mkString(polympi_mode_name(c->mode)));
    SET_VECTOR_ELT(list, 2, Rf_mkString(polympi_payload_name(c->payload)));
    SET_VECTOR_ELT(list, 3, Rf_ScalarLogical(is_alone(c)));
    SET_VECTOR_ELT(list, 4, Rf_ScalarInteger(b ? b->rank : 0));
    SET_VECTOR_ELT(list, 5, Rf_ScalarInteger(b ? b->ranks : 0));
    SET_VECTOR_ELT(list, 6, Rf_ScalarInteger(b ? b->outgoing_messages : 0));
    SET_VECTOR_ELT(list, 7, Rf_ScalarInteger(b ? b->incoming_messages : 0));
    SET_VECTOR_ELT(list, 8, Rf_ScalarReal(b ? (double)b->edge : 0));
    SET_VECTOR_ELT(list, 9, Rf_ScalarReal(b ? (double)b->count : 0));
    UNPROTECT(1);
    return list;
}

static const char *refuse(void *context, const struct polympi_case *c) {
    (void)context;
    SEXP described = PROTECT(describe(c, NULL));
    SEXP reason = call(running.refuse, described);
    UNPROTECT(1);
    if (reason == R_NilValue)
        return NULL;
    strncpy(running.reason, CHAR(STRING_ELT(reason, 0)), sizeof running.reason - 1);
    return running.reason;
}

static void begin(void *context) {
    (void)context;
    call_if_there("begin");
}

static void end(void *context) {
    (void)context;
    call_if_there("end");
}

static void batch(void *context, int32_t iterations) {
    (void)context;
    SEXP count = PROTECT(Rf_ScalarInteger(iterations));
    call(loop("batch"), count);
    UNPROTECT(1);
}

static void singly(void *context, int32_t iterations, int64_t *ns) {
    (void)context;
    SEXP count = PROTECT(Rf_ScalarInteger(iterations));
    SEXP times = PROTECT(call(loop("singly"), count));
    for (int32_t i = 0; i < iterations; i++)
        ns[i] = (int64_t)REAL(times)[i];
    UNPROTECT(2);
}

static void show(void *context) {
    (void)context;
    call_if_there("show");
}

static int64_t communication(void *context) {
    (void)context;
    const SEXP function = loop("communication");
    return function == R_NilValue ? 0 : (int64_t)Rf_asReal(call(function, NULL));
}

static void release(void *context) {
    (void)context;
    call_if_there("release");
    R_ReleaseObject(running.loops);
    running.loops = R_NilValue;
}

static void prepare(void *context, const struct polympi_case *c, const struct polympi_buffers *buffers,
                    struct polympi_callbacks *callbacks) {
    (void)context;
    running.c = c;
    running.buffers = buffers;
    SEXP described = PROTECT(describe(c, buffers));
    running.loops = call(running.prepare, described);
    R_PreserveObject(running.loops);
    UNPROTECT(1);
    *callbacks = (struct polympi_callbacks){.begin = begin,
                                            .end = end,
                                            .batch = batch,
                                            .singly = singly,
                                            .show = show,
                                            .release = release,
                                            .communication = communication,
                                            .check = polympi_application_check};
}

/* Runs the plan. `texts` are the paths of plan and samples and the name; `init` is how long MPI took to
   start; `optional` are the names of benchmarks that not every program has loops for. */
static SEXP run(SEXP texts, SEXP init, SEXP ready, SEXP optional, SEXP refusing, SEXP preparing) {
    struct polympi_launch launch = {.complaint = "Usage: bench PLAN SAMPLES [--name NAME]."};
    running.refuse = refusing;
    running.prepare = preparing;
    if (Rf_length(texts) == 3)
        launch = (struct polympi_launch){.plan = CHAR(STRING_ELT(texts, 0)),
                                         .samples = CHAR(STRING_ELT(texts, 1)),
                                         .binding = CHAR(STRING_ELT(texts, 2))};
    for (R_xlen_t i = 0; i < Rf_xlength(optional); i++)
        launch.opted_in |= POLYMPI_OPT_IN(polympi_benchmark_number(CHAR(STRING_ELT(optional, i))));
    launch.init_ns = (int64_t)Rf_asReal(init);
    launch.ready_ns = (int64_t)Rf_asReal(ready);
    polympi_memory(&launch.pss_bytes, &launch.rss_bytes);
    const struct polympi_program program = {.refuse = refuse, .prepare = prepare};
    return Rf_ScalarInteger(polympi_run(&launch, &program));
}

/* Clocks, as doubles: exact until a machine has been up for 104 days, and to 2 ns for years after. */
static SEXP clock_now(void) { return Rf_ScalarReal((double)polympi_now()); }
static SEXP start_agree(void) { return Rf_ScalarInteger(common_start_agree()); }
static SEXP start_wait(void) { return Rf_ScalarReal((double)common_start_wait()); }

/* Message i of those to send, counted from 0, as a value of R. */
static SEXP take(SEXP i) {
    const char *message = (const char *)running.buffers->outgoing + Rf_asInteger(i) * running.buffers->stride;
    return value_of_message(running.c, message, running.buffers->count);
}

/* Writes a value of R where the harness checks message i of those received. */
static SEXP put(SEXP i, SEXP value) {
    char *message = (char *)running.buffers->incoming + Rf_asInteger(i) * running.buffers->stride;
    message_of_value(running.c, value, message, running.buffers->count);
    return R_NilValue;
}

/* The doubles of messages with gaps, as they lie in memory, and the way back. */
static double *memory_of(SEXP incoming) {
    return Rf_asLogical(incoming) ? running.buffers->incoming : running.buffers->outgoing;
}

static SEXP take_memory(SEXP incoming, SEXP count) {
    return doubles_at(memory_of(incoming), (int64_t)Rf_asReal(count));
}

static SEXP put_memory(SEXP incoming, SEXP vector) {
    memcpy(memory_of(incoming), REAL(vector), (size_t)Rf_xlength(vector) * sizeof(double));
    return R_NilValue;
}

/* Shows this rank's part of the result of an application, an array, with what is before it along each axis.
   The harness reads it where it is. */
static SEXP show_part(SEXP values, SEXP offset) {
    struct polympi_part *part = running.buffers->part;
    SEXP dim = PROTECT(Rf_getAttrib(values, R_DimSymbol));
    int64_t stride = 1;
    *part = (struct polympi_part){.values = REAL(values), .count = {1, 1, 1}};
    for (int axis = 0; axis < Rf_length(dim); axis++) {
        part->start[axis] = (int64_t)REAL(offset)[axis];
        part->count[axis] = INTEGER(dim)[axis];
        part->stride[axis] = stride;
        stride *= INTEGER(dim)[axis];
    }
    UNPROTECT(1);
    return R_NilValue;
}

/* Ends all ranks, which have found that a case does not fit the memory. */
static SEXP give_up(SEXP reason) {
    if (running.buffers->rank == 0)
        fprintf(stderr, "Case %d: %s\n", (int)running.c->id, CHAR(STRING_ELT(reason, 0)));
    polympi_abort(POLYMPI_NO_MEMORY);
    return R_NilValue;
}

#define ENTRY(function, arguments)                                                                           \
    { "polympi_" #function, (DL_FUNC)&function, arguments }

void R_init_glue(DllInfo *library) {
    static const R_CallMethodDef entries[] = {
        ENTRY(run, 6),       ENTRY(clock_now, 0), ENTRY(start_agree, 0), ENTRY(start_wait, 0),
        ENTRY(take, 1),      ENTRY(put, 2),       ENTRY(take_memory, 2), ENTRY(put_memory, 2),
        ENTRY(show_part, 2), ENTRY(give_up, 1),   {NULL, NULL, 0},
    };
    R_registerRoutines(library, NULL, entries, NULL, NULL);
    R_useDynamicSymbols(library, FALSE);
}
