#include "collectives/flight.h"

#include <stdlib.h>

#include "base/errors.h"
#include "transfer/transfer.h"

static void flight_free(Flight *flight) {
    Py_XDECREF(flight->value);
    Py_XDECREF(flight->error);
    Py_DECREF(flight->collective.comm);
    free(flight);
}

/* The rounds are over, well or not. */
static void land(Flight *flight, int done) {
    if (done > 0)
        flight->value = flight->finish(flight);
    else if (flight->rounds)
        rounds_give_up(flight->rounds);
    if (collective_close(&flight->collective) < 0) {
        Py_CLEAR(flight->value);
        flight->error = take_exception();
    }
    work_unlist(&flight->work);
    flight->over = true;
    if (!flight->wanted)
        flight_free(flight);
}

static void move_on(Work *work) {
    Flight *flight = (Flight *)work;
    work->moving = true;
    int done = rounds_step(flight->rounds);
    if (done)
        land(flight, done);
    else
        work->moving = false;
}

Flight *flight_new(size_t nbytes, Communicator *comm, enum verb verb, int root) {
    Flight *flight = calloc(1, nbytes);
    if (!flight) {
        PyErr_NoMemory();
        return NULL;
    }
    if (collective_begin(&flight->collective, comm, verb, root, NULL) < 0) {
        free(flight);
        return NULL;
    }
    flight->collective.end = 0; /* a time-out is for a wait */
    Py_INCREF(comm);
    flight->work.step = move_on;
    flight->work.comm = comm;
    flight->wanted = true;
    return flight;
}

void flight_start(Flight *flight, Rounds *rounds, PyObject *(*finish)(Flight *flight)) {
    flight->rounds = rounds;
    flight->finish = finish;
    if (!rounds) {
        land(flight, -1);
        return;
    }
    work_list(&flight->work);
    if (work_is_first(flight->collective.comm, &flight->work))
        move_on(&flight->work);
}

bool flight_test(Flight *flight) {
    if (!flight->over)
        progress_some();
    return flight->over;
}

static int is_over(void *context) { return ((Flight *)context)->over; }

PyObject *flight_wait(Flight *flight, double timeout) {
    if (wait_poll(is_over, flight, &flight->collective.call, timeout) < 0)
        return NULL;
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
        Rounds *rounds = ((Flight *)work)->rounds;
        int done = rounds_step(rounds);
        if (done > 0)
            work_unlist(work);
        work->moving = done < 0; /* never again */
        if (done < 0)
            rounds_give_up(rounds);
    }
    return flights_under_way();
}

void withdraw_flights(void) {
    while (oldest_work) {
        if (!oldest_work->moving)
            rounds_give_up(((Flight *)oldest_work)->rounds);
        work_unlist(oldest_work);
    }
}
