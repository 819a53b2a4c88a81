/* The end: outstanding operations are drained, threads stopped, and all ranks meet.
 *
 * A rank at its end waits until what it has sent is received, and its pending collective calls are complete,
 * which depends on other ranks. That something will never complete is known only when all ranks have reached
 * their end. So they end in steps, each of them a nonblocking collective, while the outstanding operations
 * make progress.
 */
#include "python/ending.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/arguments.h"
#include "base/errors.h"
#include "base/last_words.h"
#include "collectives/async_collective.h"
#include "memory/strided.h"
#include "python/interface/request.h"
#include "python/interface/window.h"
#include "python/last_report.h"
#include "python/raw/raw_receive.h"
#include "reductions/op.h"
#include "transfer/plan/plan_transfers.h"
#include "transfer/progress/ended.h"
#include "transfer/progress/offloaded_call.h"
#include "transfer/send/sending.h"
#include "transfer/transfer.h"
#include "transport/strided_datatype.h"

/* How long a rank that may have failed waits for data in flight: 1 GB over a network of 1 Gbit/s. */
#define DATA_SECONDS 10.0

#define INTERRUPTED 130 /* the exit code of shells after Ctrl-C */

/* End the whole job. Only the low byte of the exit code counts, and 0 would be success. MPICH's MPI_Abort
 * returns if the process is already exiting. */
static _Noreturn void abort_with(int status) {
    int code = status & 0xff ? status & 0xff : 1;
    wait_for_last_words();
    MPI_Abort(MPI_COMM_WORLD, code);
    _exit(code);
}

/* ---- the steps of all ranks ---- */

static enum {
    AT_WORK,
    ARRIVING, /* this rank is at its end */
    ALL_HERE, /* all ranks are */
    TAKING,   /* this rank has also received everything in flight to it */
    QUIET,    /* all ranks have: nothing will be received any more */
    LEAVING,  /* everything this rank has sent was received */
    TOGETHER  /* likewise for all ranks */
} step;

static bool have_world;   /* else this rank ends alone, and waits only for its own sends */
static MPI_Comm everyone; /* only for these steps: on others, the program may leave collectives unfinished */
static MPI_Request agreement = MPI_REQUEST_NULL;
static enum way_to_end way = AT_PROGRAM_END;
static Undelivered left;  /* messages to this rank that nobody has received */
static int mine, anyones; /* whether operations were outstanding at the end, here and anywhere */
static double since;      /* when this rank reached its end */

/* Advance as far as the other ranks allow; by one step if nothing was outstanding anywhere. */
static void go_on(bool sending, bool arriving) {
    int done = 0;
    if (!have_world) {
        if (step == AT_WORK)
            since = now();
        step = sending || arriving ? ARRIVING : TOGETHER;
        return;
    }
    bool locked = enter_mpi();
    if (test_any_number(&agreement, 1, MPI_STATUSES_IGNORE, &done) == MPI_SUCCESS && done) {
        if (step == ARRIVING)
            step = anyones ? ALL_HERE : TOGETHER;
        else if (step == TAKING || step == LEAVING)
            step++;
        if (step == AT_WORK) {
            since = now();
            mine = sending || arriving;
            MPI_Iallreduce(&mine, &anyones, 1, MPI_INT, MPI_MAX, everyone, &agreement);
            wake_all(everyone);
            step = ARRIVING;
        } else if ((step == ALL_HERE && !arriving) || (step == QUIET && !sending)) {
            MPI_Ibarrier(everyone, &agreement);
            wake_all(everyone);
            step++;
        }
    }
    leave_mpi(locked);
}

/* Whether a raw message may be for a partner outside the world, whose end is unknown. */
static bool partner_may_receive(void) {
    const void *place = NULL;
    const Call *call = NULL;
    if (state.job_size == state.world_size)
        return false;
    while ((call = sends_next(&place)))
        if (strncmp(call->operation, "raw.", 4) == 0)
            return true;
    return false;
}

/* Whether outstanding operations may be given up: no rank has received any more for some time. */
static bool hopeless(void) {
    static double quiet_since;
    if (step < QUIET || !have_world || partner_may_receive())
        return false;
    if (!quiet_since)
        quiet_since = now();
    return now() > quiet_since + GRACE_SECONDS;
}

/* Whether a wait that began then has exceeded POLYMPI_TIMEOUT. */
static bool timed_out(double began) { return state.timeout > 0 && now() > began + state.timeout; }

/* ---- with Python ---- */

/* Let other threads run, and from time to time signal handlers: 0 or -1. */
static int let_others_run(double *signals, Idle *idle) {
    idle_outside(idle);
    if (!idle->interrupted && now() < *signals + SIGNAL_SECONDS)
        return 0;
    *signals = now();
    return PyErr_CheckSignals();
}

/* Wait for offloaded calls that were left, and still occupy MPI: 0, or -1 with an exception. */
static int drain_offloaded(PyObject *say, bool patient, Idle *idle) {
    double began = now(), signals = began;
    bool said = false;
    for (offloaded_calls_reap(); offloaded_calls_under_way(); offloaded_calls_reap()) {
        bool long_since = now() > began + GRACE_SECONDS;
        if (timed_out(began) || (!patient && long_since))
            return 0;
        if (long_since && !said && say_what_is_waited_for(say) < 0)
            return -1;
        said = long_since;
        idle_look(idle);
        if (let_others_run(&signals, idle) < 0)
            return -1;
    }
    return 0;
}

/* Make progress until nothing is outstanding, or nothing will arrive any more, or the time-out; at the end of
 * the program (not `patient`), until no receive has made progress for a moment (a busy machine may take
 * seconds for large ones; sends are waited for later, when the exit status is known): 0, or -1 with an
 * exception. */
static int drain(PyObject *say, bool patient, Idle *idle) {
    double began = now(), signals = began, last_step = began;
    Py_ssize_t steps_left = -1;
    bool said = false;
    while (state.phase == RUNNING) {
        idle_look(idle);
        progress();
        Py_ssize_t before = steps_left;
        if ((steps_left = receive_steps_left()) != before)
            last_step = now();
        bool sending = sends_abandoned() || async_collectives_under_way() || waits_under_way(false);
        bool arriving = receives_arriving();
        if (!sending && !anything_pending())
            return 0;
        go_on(sending, arriving);
        if ((!sending && !arriving && step >= ALL_HERE) || hopeless() || timed_out(began))
            return 0;
        if (!patient && now() > last_step + (arriving ? DATA_SECONDS : GRACE_SECONDS))
            return 0;
        if (patient && !said && now() > began + GRACE_SECONDS) {
            if (step < ALL_HERE && say_what_is_waited_for(say) < 0)
                return -1;
            said = true;
        }
        if (let_others_run(&signals, idle) < 0)
            return -1;
    }
    return 0;
}

/* Sentences on the sends and collective calls that were given up. 0 or -1. */
static int report_stuck(PyObject *sentences) {
    const Call *call = waits_under_way(false) ? send_waited_for() : NULL;
    withdraw_left_async_collectives();
    state.stuck = sends_abandoned() || async_collectives_under_way() || offloaded_calls_under_way() || call;
    return report_fates(sentences, call);
}

/* At the end of the program (not `patient`) the exit status is not known yet: a rank that has failed must not
 * wait for others, which may wait for it. Its sends are waited for after the interpreter has ended. */
PyObject *settle(PyObject *Py_UNUSED(module), PyObject *args) {
    PyObject *say;
    int patient;
    if (!PyArg_ParseTuple(args, "Op", &say, &patient))
        return NULL;
    state.last_thread = PyThread_get_thread_ident();
    PyObject *sentences = PyList_New(0);
    if (!sentences || !is_alive() || state.exit_status || state.ends_alone)
        return sentences;
    state.stuck = false;
    Idle idle = {0};
    int failed = drain_offloaded(say, patient, &idle);
    if (!failed && state.phase == HELD) { /* MPI can't be called for the rest */
        state.stuck = patient;
        failed = patient ? report_left(sentences) : 0;
    } else if (!failed) {
        abandon_sends();
        plan_transfers_let_go();
        progress();
        failed = drain(say, patient, &idle) < 0 || (patient && report_stuck(sentences) < 0) ||
                 report_receives(sentences) < 0 || raw_receives_report(sentences) < 0 ||
                 plan_transfers_report(sentences) < 0 || windows_report(sentences) < 0;
    }
    idle_end(&idle);
    if (failed)
        Py_CLEAR(sentences);
    return sentences;
}

/* ---- without ---- */

static _Noreturn void abort_stuck(void) {
    write_fates();
    abort_with(1);
}

/* Wait until all ranks are here: no rank runs Python any more, so all messages have been sent. */
static void meet(void) {
    int done = 0;
    if (MPI_Ibarrier(everyone, &agreement) != MPI_SUCCESS)
        return;
    wake_all(everyone);
    Idle idle = {0};
    while (test_any_number(&agreement, 1, MPI_STATUSES_IGNORE, &done) == MPI_SUCCESS && !done) {
        idle_look(&idle);
        ended_answer(way);
        idle_pass(&idle);
    }
    idle_end(&idle);
}

/* A probe that finds nothing may have processed only one message in the library's queue, of another
 * communicator. The meeting after it processes all that were before its own. */
enum { LOOKS = 2 };

/* Find messages that no rank has received. A rank that has some ends the job, after all have reported theirs.
 */
static void look_for_undelivered(bool reports) {
    static bool looked; /* every rank meets the others once, however it ends */
    if (!have_world || looked)
        return;
    looked = true;
    for (int look = 0; look < LOOKS; look++) {
        meet();
        undelivered_take_all(everyone, look == LOOKS - 1, &left);
    }
    if (reports && left.count)
        write_left(&left);
    meet();
}

/* MPI_Finalize is a call of all connected ranks (MPI 5.0, section 11.10.4): wait for those of other worlds,
 * who may have questions, too. They may go on for long, so this rank naps. */
static void part_from_other_worlds(void) {
    double began = now();
    ended_tell_strangers(way);
    for (ended_answer(way); !ended_are_strangers() && !timed_out(began); ended_answer(way))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* Drain sends, and meet all ranks, while everything makes progress. MPICH 5.0 waits in MPI_Finalize without
 * progress, and another rank may wait for this one to acknowledge a large message. */
static void come_together(bool reports) {
    bool said = false;
    Idle idle = {0};
    for (;; idle_pass(&idle)) {
        idle_look(&idle);
        bool sending = sends_test(), arriving = receives_test();
        sending |= async_collectives_test();
        sending |= waits_under_way(true);
        if (step == TOGETHER && !sending)
            break;
        if (!sending && !arriving)
            ended_answer(way);
        go_on(sending, arriving);
        if (sending && (hopeless() || timed_out(since)) && !withdraw_left_async_collectives())
            abort_stuck();
        if (sending && !said && step < ALL_HERE && now() > since + GRACE_SECONDS)
            said = write_what_is_waited_for();
    }
    idle_end(&idle);
    if (have_world)
        part_from_other_worlds();
    look_for_undelivered(reports);
    state.phase = FINISHED;
}

/* A job that has lost messages has failed: this process exits with 1 after MPI has ended. Hydra would then
 * kill ranks that are a moment late, and exit with their signal as code, so there the job is aborted; Open
 * MPI 5.0's launcher may crash if a rank aborts while others are in MPI_Finalize. */
static void fail_if_undelivered(void) {
#ifndef OPEN_MPI
    if (left.count && state.job_size == state.world_size) /* else partners may still work */
        abort_with(1);
#endif
}

static void leave_if_undelivered(void) {
    if (!left.count)
        return;
    fflush(NULL);
    _exit(1);
}

/* ---- by finalize ---- */

/* Free the MPI objects that only polympi knows. */
static void give_back(void) {
    withdraw_async_collectives();
    withdraw_waits();
    withdraw_receives();
    raw_receives_withdraw();
    plan_transfers_withdraw();
    strided_forget();
    ops_forget();
}

/* Stop all other threads, and free everything. GIL held; calls are refused from now on. */
static void take_leave(void) {
    state.phase = FINISHED;
    dismiss_threads();
    give_back();
}

PyObject *finish(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused)) {
    if (!is_alive())
        Py_RETURN_NONE;
    if (state.ends_alone) {
        raise_error("StateError", NULL, "MPI cannot be finalised, because a rank was killed");
        return NULL;
    }
    if (state.stuck) { /* MPI_Finalize may wait for them forever */
        raise_error("StateError", NULL, "MPI cannot be finalised while %s",
                    async_collectives_under_way() || offloaded_calls_under_way()
                        ? "collective calls are pending that not all ranks have made"
                        : "messages are pending that were not received");
        return NULL;
    }
    take_leave();
    way = BY_FINALIZE;
    if (!state.initialised_by_us) { /* the others learn that this rank is at its end */
        go_on(false, false);
        Py_RETURN_NONE;
    }
    int code;
    Py_BEGIN_ALLOW_THREADS;
    come_together(false);
    state.gone = true;
    code = MPI_Finalize();
    Py_END_ALLOW_THREADS;
    if (code != MPI_SUCCESS)
        return raise_mpi(code, NULL), NULL;
    if (left.count) {
        char text[UNDELIVERED_TEXT];
        undelivered_text(text, &(Call){.rank = state.world_rank}, &left);
        left.count = 0; /* the exception says so */
        raise_error("StateError", NULL, "rank %d: %s", state.world_rank, text);
        return NULL;
    }
    Py_RETURN_NONE;
}

PyObject *abort_job(PyObject *Py_UNUSED(module), PyObject *code) {
    int number;
    if (parse_int(code, &number, "abort", "code") < 0 || (!is_alive() && !running()))
        return NULL;
    abort_with(number);
}

PyObject *expect_exit(PyObject *Py_UNUSED(module), PyObject *status) {
    long number = PyLong_AsLong(status);
    if (number == -1 && PyErr_Occurred())
        PyErr_Clear();      /* Python exits with -1 if it is too large */
    if (Py_IsInitialized()) /* later, the program had caught the exception, and kept it */
        state.exit_status = (int)number;
    Py_RETURN_NONE;
}

/* ---- by MPI_Finalize, or the end of the process ---- */

/* Wait for offloaded calls that were left: nothing can end their calls of MPI. */
static void await_offloaded(void) {
    double began = now();
    for (bool said = false; offloaded_calls_under_way();
         nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL)) {
        if (timed_out(began))
            abort_stuck();
        if (!said && now() > began + GRACE_SECONDS)
            said = write_what_is_waited_for();
    }
    offloaded_calls_forget();
}

/* The interpreter has ended: stop all other threads, and abort the job if this rank has failed, or if its
 * exit status would become 0. Pending operations continue. */
static void take_leave_without_python(int status) {
    bool failed = status != 0 && (state.job_size > 1 || (status & 0xff) == 0);
    if (state.stuck || failed) /* threads may be in MPI forever */
        abort_with(status);
    await_offloaded();
    park_threads();
    state.without_python = true;
    withdraw_waits();
    withdraw_receives();
    raw_receives_withdraw();
    plan_transfers_withdraw();
}

static PyObject *settle_messages; /* of polympi.startup: settles, and reports what is left */

static void take_leave_with_python(void) {
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *done = PyObject_CallNoArgs(settle_messages);
    if (!done) {
        bool interrupted = PyErr_ExceptionMatches(PyExc_KeyboardInterrupt);
        PyErr_WriteUnraisable(settle_messages);
        abort_with(interrupted ? INTERRUPTED : 1);
    }
    Py_DECREF(done);
    if (state.stuck)
        abort_with(1);
    if (is_alive())
        take_leave();
    Py_BEGIN_ALLOW_THREADS;
    come_together(true);
    Py_END_ALLOW_THREADS;
    PyGILState_Release(gil);
}

/* MPI_Finalize was called, perhaps by mpi4py or C: it first deletes the attributes of MPI_COMM_SELF, one of
 * which has this callback, in which MPI still works (MPI 5.0, section 11.2.4). */
static int at_finalize(MPI_Comm Py_UNUSED(self), int Py_UNUSED(key), void *Py_UNUSED(value),
                       void *Py_UNUSED(extra)) {
    if (state.phase == FORKED || (state.phase == FINISHED && state.initialised_by_us))
        return MPI_SUCCESS;
    way = BY_MPI_FINALIZE;
    if (is_alive() && Py_IsInitialized())
        take_leave_with_python();
    else if (is_alive())
        take_leave_without_python(state.exit_status);
    come_together(true);
    fail_if_undelivered();
    state.gone = true;
    return MPI_SUCCESS;
}

/* One of the ranks was killed, as another one has noticed: this one ends without them. */
PyObject *end_alone(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused)) {
    state.ends_alone = true;
    Py_RETURN_NONE;
}

static pid_t starter; /* the process that MPI runs in: not its forked children */

/* The process ends, with a known exit status: the interpreter has ended, and no rank may hang forever. */
static void at_exit(int status, void *unused) {
    (void)unused;
    if (state.gone && status == 0 && getpid() == starter)
        leave_if_undelivered();
    if (!is_alive() || state.gone)
        return;
    if (state.ends_alone && status == 0) {
        fflush(NULL);
        _exit(0);
    }
    if (!state.initialised_by_us && !state.stuck && status == 0)
        return; /* the code that started MPI ends it */
    take_leave_without_python(status);
    if (!state.initialised_by_us)
        return;
    come_together(true);
    fail_if_undelivered();
    state.gone = true;
    MPI_Finalize();
    leave_if_undelivered();
}

/* `os._exit` skips the end of the interpreter, and the handlers of `exit`: polympi's, which ends MPI, and
 * MPICH's, which reports to its launcher that the rank has not failed. So `exit` is called instead. Since no
 * other thread gets the GIL any more, it is as if the interpreter had ended; nor would a Python signal
 * handler run, so Ctrl-C ends the process. */
PyObject *end_at_once(PyObject *Py_UNUSED(module), PyObject *status) {
    long number = PyLong_AsLong(status);
    if (number == -1 && PyErr_Occurred())
        return NULL;
    if (getpid() == starter && state.initialised_by_us) {
        PyOS_setsig(SIGINT, SIG_DFL);
        way = BY_OS_EXIT;
        exit((int)number);
    }
    at_exit((int)number, NULL);
    Py_RETURN_NONE;
}

static void in_forked_child(void) {
    if (is_alive())
        state.phase = FORKED;
}

int ending_of_world(MPI_Comm world) {
    int code = MPI_Comm_dup(world, &everyone);
    if (code != MPI_SUCCESS)
        return code;
    have_world = true;
    code = MPI_Comm_set_errhandler(everyone, MPI_ERRORS_RETURN);
    return code == MPI_SUCCESS ? ended_open(everyone) : code;
}

int ending_prepare(PyObject *settle) {
    int key, code = MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_finalize, &key, NULL);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    if (code == MPI_SUCCESS)
        code = MPI_Comm_free_keyval(&key);
    if (code == MPI_SUCCESS &&
        (on_exit(at_exit, NULL) != 0 || pthread_atfork(NULL, NULL, in_forked_child) != 0))
        code = MPI_ERR_OTHER;
    settle_messages = Py_NewRef(settle);
    starter = getpid();
    return code;
}
