#include "collectives/async_collective.h"

#include <stdlib.h>
#include <string.h>

#include "base/errors.h"
#include "collectives/call_log.h"
#include "collectives/letters.h"
#include "transfer/transfer.h"

/* The memory of the last call, for the next one of its size: malloc doesn't cache more than 1 KiB, and takes
 * some 450 instructions to allocate and free it (glibc 2.36). */
static AsyncCollective *spare;

AsyncCollective *async_new(size_t nbytes, size_t cleared) {
    AsyncCollective *async = spare && spare->nbytes == nbytes ? spare : malloc(nbytes);
    if (!async)
        return PyErr_NoMemory(), NULL;
    if (async == spare)
        spare = NULL;
    memset(async, 0, cleared);
    async->nbytes = nbytes;
    return async;
}

void async_free(AsyncCollective *async) {
    if (async->close)
        async->close(async);
    Py_XDECREF(async->value);
    Py_XDECREF(async->error);
    Py_XDECREF(async->item.comm);
    free(spare);
    spare = async;
}

/* ---- on the list ---- */

/* Let the others see which call is the first that is pending here. */
static void log_async_collectives(const Communicator *comm) {
    const ProgressItem *item = oldest_item;
    while (item && item->comm != comm)
        item = item->next;
    log_pending(comm, item != NULL, item ? ((const AsyncCollective *)item)->collective.number : 0);
}

static void list(AsyncCollective *async) {
    progress_list_add(&async->item);
    log_async_collectives(async->item.comm);
}

static void unlist(AsyncCollective *async) {
    progress_list_remove(&async->item);
    log_async_collectives(async->item.comm);
}

/* ---- from phase to phase ---- */

/* Begin the next phase if one is over (`done` is 1): 1 if all are, 0, or -1. */
static int after_phase(AsyncCollective *async, int done) {
    if (done <= 0 || !async->next)
        return done;
    int more = async->next(async);
    async->look_at = async->step_at = 0;
    if (more <= 0)
        async->phase.kind = NULL; /* nothing is left to give up */
    return more > 0 ? 0 : more < 0 ? -1 : 1;
}

/* Continue without waiting: 1 when it is complete, 0, or -1 with an exception. */
static int step(AsyncCollective *async) {
    if (!async->phase.kind) {
        int done = after_phase(async, 1);
        if (done)
            return done;
    }
    for (;;) {
        int over = async->phase.kind->step(async->phase.state), done = after_phase(async, over);
        if (done || !over)
            return done;
    }
}

static void give_up_phase(const AsyncCollective *async) {
    if (async->phase.kind)
        async->phase.kind->give_up(async->phase.state);
}

static int awaited_rank(const AsyncCollective *async) {
    const PhaseKind *kind = async->phase.kind;
    return kind && kind->awaits ? kind->awaits(async->phase.state) : NOBODY;
}

/* How often a call that was left is tested once it has waited long: it may wait as long as the process lives,
 * and each test is made with the GIL held. */
#define REST_SECONDS 0.001

/* From time to time, look at what the others have called: 0, or the result of a further step. */
static int look(AsyncCollective *async) {
    double time = now();
    bool first = !async->look_at;
    if (!first && async->left && async->step_at)
        async->step_at = time + REST_SECONDS;
    if (!first && time < async->look_at)
        return 0;
    async->look_at = time + PATIENCE_SECONDS;
    if (first)
        return 0;
    async->step_at = time;
    int source = awaited_rank(async), left = look_around(&async->collective, source);
    if (left <= 0)
        return left;
    int done = step(async); /* what it sent before it left has arrived now */
    return done || awaited_rank(async) != source ? done : raise_left(&async->collective, source);
}

/* It is complete, or has failed. Its result, or NULL with an exception. */
static PyObject *conclude(AsyncCollective *async, int done) {
    PyObject *value = NULL;
    if (done < 0)
        give_up_phase(async);
    else if (!async->left)
        value = async->finish(async);
    if (collective_close(&async->collective) < 0)
        Py_CLEAR(value);
    return value;
}

static void complete(AsyncCollective *async, int done) {
    unlist(async);
    async->value = conclude(async, done);
    if (PyErr_Occurred())
        async->error = take_exception();
    report_failures(async->collective.comm);
    async->over = true;
    if (!async->wanted)
        async_free(async);
}

/* Whether it was left, and its communicator dropped by the program: only pending calls refer to it, so this
 * rank makes no later call there, and has given this one up for certain. Only the number of references tells:
 * an object that the core uses is never deallocated. Without this, the call would be tested once in
 * REST_SECONDS for as long as the process lives. Not after the promise: the library then completes the call
 * in any case. */
static bool is_forgotten(const AsyncCollective *async) {
    Py_ssize_t holders = 0;
    if (!async->left || async->phase.kind != &promise_phase)
        return false;
    for (const ProgressItem *item = oldest_item; item; item = item->next)
        holders += item->comm == async->item.comm;
    return Py_REFCNT(async->item.comm) == holders;
}

static void step_item(ProgressItem *item) {
    AsyncCollective *async = (AsyncCollective *)item;
    if (is_forgotten(async)) {
        item->moving = true;
        raise_left(&async->collective, async->collective.comm->rank);
        complete(async, -1);
        return;
    }
    if (async->left && async->step_at && async->phase.kind != &library_phase && now() < async->step_at)
        return;
    item->moving = true;
    item->thread = PyThread_get_thread_ident();
    int done = step(async);
    if (!done)
        done = look(async);
    if (done)
        complete(async, done);
    else
        item->moving = false;
}

/* ---- nonblocking calls ---- */

int async_begin(AsyncCollective *async, Communicator *comm, enum verb verb, int root) {
    if (collective_begin(&async->collective, comm, verb, root, NULL) < 0) {
        async_free(async);
        return -1;
    }
    async->collective.end = 0; /* time-outs are those of waits */
    async->collective.in_flight = true;
    async->item.step = step_item;
    async->item.comm = (Communicator *)Py_NewRef((PyObject *)comm);
    async->wanted = true;
    return 0;
}

void async_start(AsyncCollective *async, bool failed) {
    list(async);
    if (failed)
        complete(async, -1);
    else if (progress_list_is_first(async->item.comm, &async->item))
        step_item(&async->item);
}

bool async_test(AsyncCollective *async) {
    if (!async->over)
        progress_some();
    return async->over;
}

static int is_over(void *context) { return ((AsyncCollective *)context)->over; }

PyObject *async_wait(AsyncCollective *async, double timeout) {
    if (wait_poll(is_over, async, &async->collective.call, timeout) < 0) {
        if (!explain_timeout(&async->collective, awaited_rank(async)) && is_timeout())
            name_late(&async->collective, timeout > 0 ? timeout : state.timeout);
        return NULL;
    }
    PyObject *value = async->value;
    async->value = NULL;
    restore_exception(async->error);
    async->error = NULL;
    return value;
}

void async_leave(AsyncCollective *async) {
    async->wanted = false;
    if (async->over)
        async_free(async);
}

/* ---- blocking calls ---- */

/* Wait until it is complete: 1; 0 with an exception of a wait, after which it can go on; -1. */
static int run(AsyncCollective *async) {
    int done = async->phase.kind ? 0 : after_phase(async, 1);
    while (!done) {
        int over = async->phase.kind->wait(async->phase.state);
        if (over == 0)
            return 0;
        done = after_phase(async, over);
    }
    return done;
}

/* Its rank leaves it, with an exception: it goes on without it. */
static void go_on_alone(AsyncCollective *async) {
    async->left = true;
    PyObject *class, *error, *trace;
    PyErr_Fetch(&class, &error, &trace);
    if (async->leave)
        async->leave(async);
    PyErr_Restore(class, error, trace);
    collective_leave(&async->collective);
    list(async);
}

PyObject *async_run(AsyncCollective *async) {
    async->item.step = step_item;
    async->item.comm = (Communicator *)Py_NewRef((PyObject *)async->collective.comm);
    int done = run(async);
    if (done == 0 && async->phase.kind->goes_on && state.phase == RUNNING) {
        go_on_alone(async);
        return NULL;
    }
    PyObject *value = conclude(async, done > 0 ? 1 : -1);
    PyObject *class, *error, *trace;
    PyErr_Fetch(&class, &error, &trace);
    async_free(async);
    PyErr_Restore(class, error, trace);
    return value;
}

/* ---- at the end ---- */

const Call *async_collectives_next(const void **place) {
    const ProgressItem *item = *place ? ((const ProgressItem *)*place)->next : oldest_item;
    *place = item;
    return item ? &((const AsyncCollective *)item)->collective.call : NULL;
}

bool async_collectives_test(void) {
    for (ProgressItem *item = oldest_item, *next; item; item = next) {
        next = item->next;
        if (item->moving || !progress_list_is_first(item->comm, item))
            continue;
        AsyncCollective *async = (AsyncCollective *)item;
        int done = step(async);
        if (done > 0)
            unlist(async);
        item->moving = done < 0; /* never again */
        if (done < 0)
            give_up_phase(async);
    }
    return async_collectives_under_way();
}

static void withdraw(AsyncCollective *async) {
    if (!async->item.moving)
        give_up_phase(async);
    unlist(async);
}

bool withdraw_left_async_collectives(void) {
    bool any = false;
    for (ProgressItem *item = oldest_item, *next; item; item = next) {
        next = item->next;
        if (!((AsyncCollective *)item)->left)
            continue;
        withdraw((AsyncCollective *)item);
        any = true;
    }
    return any;
}

void withdraw_async_collectives(void) {
    while (oldest_item)
        withdraw((AsyncCollective *)oldest_item);
}
