#include "collectives/flight.h"

#include <stdlib.h>
#include <string.h>

#include "base/errors.h"
#include "collectives/call_log.h"
#include "collectives/letters.h"
#include "transfer/transfer.h"

/* The memory of the last one, for the next of that size: malloc has what is larger than 1 KiB not at hand,
 * and takes some 450 instructions to find it and give it back (glibc 2.36). */
static Flight *spare;

Flight *flight_new(size_t nbytes, size_t cleared) {
    Flight *flight = spare && spare->nbytes == nbytes ? spare : malloc(nbytes);
    if (!flight) {
        PyErr_NoMemory();
        return NULL;
    }
    if (flight == spare)
        spare = NULL;
    memset(flight, 0, cleared);
    flight->nbytes = nbytes;
    return flight;
}

void flight_free(Flight *flight) {
    if (flight->close)
        flight->close(flight);
    Py_XDECREF(flight->value);
    Py_XDECREF(flight->error);
    Py_XDECREF(flight->work.comm);
    free(spare);
    spare = flight;
}

/* ---- on the list ---- */

/* Let the others see on which calls this rank is still at work. */
static void log_flights(const Communicator *comm) {
    const Work *work = oldest_work;
    while (work && work->comm != comm)
        work = work->next;
    log_under_way(comm, work != NULL, work ? ((const Flight *)work)->collective.number : 0);
}

static void list(Flight *flight) {
    work_list(&flight->work);
    log_flights(flight->work.comm);
}

static void unlist(Flight *flight) {
    work_unlist(&flight->work);
    log_flights(flight->work.comm);
}

/* ---- from leg to leg ---- */

/* Go to the next leg when one is over, which is where `done` is 1: whether all are, or -1. */
static int after_leg(Flight *flight, int done) {
    if (done <= 0 || !flight->next)
        return done;
    int more = flight->next(flight);
    flight->look_at = flight->step_at = 0;
    if (more <= 0)
        flight->leg.kind = NULL; /* nothing is left to give up */
    return more > 0 ? 0 : more < 0 ? -1 : 1;
}

/* Go on without waiting: 1 when it is over, 0, or -1 with an exception. */
static int step(Flight *flight) {
    if (!flight->leg.kind) {
        int done = after_leg(flight, 1);
        if (done)
            return done;
    }
    for (;;) {
        int over = flight->leg.kind->step(flight->leg.state), done = after_leg(flight, over);
        if (done || !over)
            return done;
    }
}

static void give_up_leg(const Flight *flight) {
    if (flight->leg.kind)
        flight->leg.kind->give_up(flight->leg.state);
}

static int awaited_rank(const Flight *flight) {
    const LegKind *kind = flight->leg.kind;
    return kind && kind->awaits ? kind->awaits(flight->leg.state) : NOBODY;
}

/* How often one is moved on that was left, once it has waited for long: it may wait as long as the process
 * lives, and each step takes a test with the GIL held. */
#define REST_SECONDS 0.001

/* Look now and then at what the others have called: 0, or what has come of that. */
static int look(Flight *flight) {
    double time = now();
    bool first = !flight->look_at;
    if (!first && flight->left && flight->step_at)
        flight->step_at = time + REST_SECONDS;
    if (!first && time < flight->look_at)
        return 0;
    flight->look_at = time + PATIENCE_SECONDS;
    if (first)
        return 0;
    flight->step_at = time;
    int source = awaited_rank(flight), left = look_around(&flight->collective, source);
    if (left <= 0)
        return left;
    int done = step(flight); /* what it has sent before it left is there now */
    return done || awaited_rank(flight) != source ? done : raise_left(&flight->collective, source);
}

/* It is over, well or not. What it returns, or NULL with an exception. */
static PyObject *conclude(Flight *flight, int done) {
    PyObject *value = NULL;
    if (done < 0)
        give_up_leg(flight);
    else if (!flight->left)
        value = flight->finish(flight);
    if (collective_close(&flight->collective) < 0)
        Py_CLEAR(value);
    return value;
}

static void land(Flight *flight, int done) {
    unlist(flight);
    flight->value = conclude(flight, done);
    if (PyErr_Occurred())
        flight->error = take_exception();
    tell_of_failures(flight->collective.comm);
    flight->over = true;
    if (!flight->wanted)
        flight_free(flight);
}

/* Whether it was left, and its communicator dropped, so that this rank can make no later call there which
 * others would take for this one. What the library sends comes in any case. */
static bool is_forgotten(const Flight *flight) {
    Py_ssize_t holders = 0;
    if (!flight->left || flight->leg.kind != &promise_leg)
        return false;
    for (const Work *work = oldest_work; work; work = work->next)
        holders += work->comm == flight->work.comm;
    return Py_REFCNT(flight->work.comm) == holders;
}

static void move_on(Work *work) {
    Flight *flight = (Flight *)work;
    if (is_forgotten(flight)) {
        work->moving = true;
        raise_left(&flight->collective, flight->collective.comm->rank);
        land(flight, -1);
        return;
    }
    if (flight->left && flight->step_at && now() < flight->step_at)
        return;
    work->moving = true;
    int done = step(flight);
    if (!done)
        done = look(flight);
    if (done)
        land(flight, done);
    else
        work->moving = false;
}

/* ---- one that was begun ---- */

int flight_begin(Flight *flight, Communicator *comm, enum verb verb, int root) {
    if (collective_begin(&flight->collective, comm, verb, root, NULL) < 0) {
        flight_free(flight);
        return -1;
    }
    flight->collective.end = 0; /* a time-out is for a wait */
    flight->collective.in_flight = true;
    flight->work.step = move_on;
    flight->work.comm = (Communicator *)Py_NewRef((PyObject *)comm);
    flight->wanted = true;
    return 0;
}

void flight_start(Flight *flight, bool failed) {
    list(flight);
    if (failed)
        land(flight, -1);
    else if (work_is_first(flight->work.comm, &flight->work))
        move_on(&flight->work);
}

bool flight_test(Flight *flight) {
    if (!flight->over)
        progress_some();
    return flight->over;
}

static int is_over(void *context) { return ((Flight *)context)->over; }

PyObject *flight_wait(Flight *flight, double timeout) {
    if (wait_poll(is_over, flight, &flight->collective.call, timeout) < 0) {
        if (!explain_timeout(&flight->collective, awaited_rank(flight)) && is_timeout())
            name_late(&flight->collective, timeout > 0 ? timeout : state.timeout);
        return NULL;
    }
    PyObject *value = flight->value;
    flight->value = NULL;
    if (flight->error) {
        PyErr_SetObject((PyObject *)Py_TYPE(flight->error), flight->error);
        Py_CLEAR(flight->error);
    }
    return value;
}

void flight_leave(Flight *flight) {
    flight->wanted = false;
    if (flight->over)
        flight_free(flight);
}

/* ---- a blocking call ---- */

/* Wait until it is over: 1; 0 with an exception of a wait, so that it can go on; -1. */
static int run(Flight *flight) {
    int done = flight->leg.kind ? 0 : after_leg(flight, 1);
    while (!done) {
        int over = flight->leg.kind->wait(flight->leg.state);
        if (over == 0)
            return 0;
        done = after_leg(flight, over);
    }
    return done;
}

/* Its rank leaves it, with an exception: it goes on by itself. */
static void go_on_alone(Flight *flight) {
    flight->left = true;
    PyObject *class, *error, *trace;
    PyErr_Fetch(&class, &error, &trace);
    if (flight->leave)
        flight->leave(flight);
    PyErr_Restore(class, error, trace);
    collective_leave(&flight->collective);
    list(flight);
}

PyObject *flight_run(Flight *flight) {
    flight->work.step = move_on;
    flight->work.comm = (Communicator *)Py_NewRef((PyObject *)flight->collective.comm);
    int done = run(flight);
    if (done == 0 && flight->leg.kind->goes_on && state.phase == RUNNING) {
        go_on_alone(flight);
        return NULL;
    }
    PyObject *value = conclude(flight, done > 0 ? 1 : -1);
    PyObject *class, *error, *trace;
    PyErr_Fetch(&class, &error, &trace);
    flight_free(flight);
    PyErr_Restore(class, error, trace);
    return value;
}

/* ---- at the end ---- */

const Call *flights_next(const void **place) {
    const Work *work = *place ? ((const Work *)*place)->next : oldest_work;
    *place = work;
    return work ? &((const Flight *)work)->collective.call : NULL;
}

bool flights_test(void) {
    for (Work *work = oldest_work, *next; work; work = next) {
        next = work->next;
        if (work->moving || !work_is_first(work->comm, work))
            continue;
        Flight *flight = (Flight *)work;
        int done = step(flight);
        if (done > 0)
            unlist(flight);
        work->moving = done < 0; /* never again */
        if (done < 0)
            give_up_leg(flight);
    }
    return flights_under_way();
}

static void withdraw(Flight *flight) {
    if (!flight->work.moving)
        give_up_leg(flight);
    unlist(flight);
}

bool withdraw_left_flights(void) {
    bool any = false;
    for (Work *work = oldest_work, *next; work; work = next) {
        next = work->next;
        if (!((Flight *)work)->left)
            continue;
        withdraw((Flight *)work);
        any = true;
    }
    return any;
}

void withdraw_flights(void) {
    while (oldest_work)
        withdraw((Flight *)oldest_work);
}
