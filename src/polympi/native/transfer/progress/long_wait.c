#include "transfer/progress/long_wait.h"

#include "base/errors.h"
#include "transfer/communicator.h"
#include "transfer/progress/wait.h"

/* Guarded by the GIL. */
static double limit;       /* seconds; 0: only what is asked for is reported */
static double asked;       /* when reports were last asked for */
static double interrupted; /* when the wait began that a signal handler interrupts; 0: none */
static const char *(*explain_collective)(const Call *call);

void long_waits_report(double seconds) { limit = seconds; }

void long_waits_explain(const char *(*explain)(const Call *call)) { explain_collective = explain; }

bool long_waits_ask(void) {
    asked = now();
    return interrupted && asked - interrupted >= YOUNGEST_SECONDS;
}

int long_wait_signals(double began) {
    double outer = interrupted;
    interrupted = began;
    int failed = PyErr_CheckSignals();
    interrupted = outer;
    return failed;
}

/* Which communicator the call is of, with this rank there. */
static void communicator_text(char *text, size_t room, const Communicator *comm) {
    if (!comm)
        text[0] = '\0';
    else if (comm->named != comm->comm && !comm->borrowed)
        snprintf(text, room, " on polympi.world");
    else if (comm->whole)
        snprintf(text, room, ", on an intercommunicator to %d ranks,", comm->size);
    else
        snprintf(text, room, ", as rank %d of a communicator of %d ranks,", comm->rank, comm->size);
}

static void report(double seconds, const Call *call) {
    char communicator[96], sentence[REPORT_BYTES];
    communicator_text(communicator, sizeof communicator, call->comm);
    const char *missing = call->peer == NO_PEER && explain_collective ? explain_collective(call) : NULL;
    double tenths = (double)(long)(10 * seconds) / 10; /* nobody needs more digits */
    PyObject *wait = describe_wait(call, tenths, communicator, missing);
    const char *text = wait ? PyUnicode_AsUTF8(wait) : NULL;
    if (text) {
        snprintf(sentence, sizeof sentence, "has %s", text);
        write_report(sentence);
    }
    PyErr_Clear();
    Py_XDECREF(wait);
}

void long_wait_look(double began, double *reported, const Call *call) {
    double time = now();
    bool due = limit > 0 && !*reported && time >= began + limit;
    bool wanted = asked > began && asked > *reported && time >= began + YOUNGEST_SECONDS;
    if (likely(!due && !wanted))
        return;
    *reported = time;
    report(time - began, call);
}
