#include "transfer/progress/phase.h"

#include "base/errors.h"
#include "transfer/progress/offloaded_call.h"

bool running(void) {
    if (state.phase == HELD)
        return held_no_more();
    const char *why = state.phase == RUNNING ? NULL
                      : state.phase == FORKED
                          ? "MPI does not work in a forked child: start other programs with subprocess, or "
                            "multiprocessing with the start method 'spawn'"
                      : state.phase == FINISHED
                          ? "MPI is finalised: no call is possible any more"
                          : "MPI is not started: use polympi.world, or call polympi.init()";
    if (why)
        raise_error("StateError", NULL, "%s", why);
    return !why;
}
