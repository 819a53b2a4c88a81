"""Starting and ending MPI, and what happens when a rank fails.

A rank that fails must end the whole job, because the others would wait for it forever. An uncaught exception ends the
job at once. Any other end with an exit code other than 0 (``sys.exit(3)``) ends it after the end of the interpreter, in
the core: only the core sees the code. ``os._exit`` ends MPI in the same way.
"""

from __future__ import annotations

import atexit
import os
import sys
import time
from _thread import get_native_id

from polympi import launcher
from polympi.communicator import Communicator
from polympi.errors import StateError
from polympi.native import core

TYPE_CHECKING = False
if TYPE_CHECKING:
    import threading
    from collections.abc import Callable
    from types import TracebackType
    from typing import Any, NoReturn

    from polympi.intercommunicator import Intercommunicator

THREAD_LEVELS = ("single", "funneled", "serialized", "multiple")  # in the order of MPI 5.0, section 11.2.1
DEFAULT_LEVEL = "serialized"  # the GIL lets one thread at a time into MPI anyway; "multiple" costs time in every call
LEVEL_VARIABLE = "POLYMPI_THREADS"
TIMEOUT_VARIABLE = "POLYMPI_TIMEOUT"
HANG_VARIABLE = "POLYMPI_HANG"
WAIT_VARIABLE = "POLYMPI_WAIT"
INTERRUPTED = 130  # exit code after Ctrl-C, as in shells: 128 + SIGINT
ANOTHERS_S = 3.0  # for another rank to end the job with its own code: sys.exit first runs atexit and destructors

before_end: list[Callable[[str], object]] = []  # called with the words by which this rank is about to end the job

_JOB: Any = object()  # all ranks that the launcher has started

_job: core.Raw | None = None  # once MPI runs: MPI_COMM_WORLD
_world: Communicator | None = None
_parent: Intercommunicator | None = None  # of a world that was spawned


def init(threads: str | None = None, *, world: core.Raw = _JOB) -> Communicator:
    """Start MPI if it does not run yet, and return the communicator of all ranks: :data:`polympi.world`.

    :data:`polympi.world` does this when it is first used. If another module (mpi4py) has started MPI, that is used, and
    ended by the module that started it.

    Args:
        threads: the thread level (MPI 5.0, section 11.2.1): ``single``, ``funneled``, ``serialized`` or ``multiple``.
            Python threads may always call polympi; at ``multiple`` several may do so at the same time, which makes
            every call slower. Default: ``POLYMPI_THREADS``, or ``serialized``.
        world: a raw communicator of the ranks that make up the world, all of which call this. Other ranks of the job
            need not run polympi. Default: all ranks of the job, ``MPI_COMM_WORLD``.

    Raises:
        TypeError: world isn't a raw communicator, for example None from a ``split`` without this rank.
        ValueError: an unknown level, or ``POLYMPI_TIMEOUT`` or ``POLYMPI_HANG`` isn't a number of seconds,
            or ``POLYMPI_WAIT`` isn't a way to wait.
        StateError: MPI runs already, or can run only, at a lower level than the one asked for; or it has ended; or the
            world was made of other ranks before.
        LauncherError: the launcher belongs to another MPI than the library; or this process was not started by the
            launcher, but by a rank.
        LibraryError: ranks have incompatible versions of polympi; on all ranks, after they have left MPI.
    """
    global _world, _parent  # noqa: PLW0603  (a process starts MPI once)
    if world is not _JOB and not isinstance(world, core.Raw):
        raise TypeError(
            f"init(): world is a {type(world).__name__}, but must be a raw communicator with this rank: "
            "polympi.raw_world, or what its split has returned here."
        )
    job = _start(threads)
    chosen = job if world is _JOB else world
    if _world is None:
        _world = core.start_world(Communicator, chosen)
        if chosen is job and os.environ.get("POLYMPI_SPAWNED"):
            from polympi.spawning import meet_parent

            _parent = meet_parent(_world)
    elif world is not _JOB and _world.raw is not chosen:
        raise StateError(
            "the world of polympi was made before, of another communicator: call polympi.init(world=...) before the "
            "first use of polympi.world."
        )
    return _world


def parent() -> Intercommunicator | None:
    """Start MPI if it does not run yet; the ranks that have spawned this program, None if no ranks have.

    Raises:
        StateError, LauncherError, LibraryError: as :func:`init` does.
    """
    init()
    return _parent


def self_world() -> Communicator:
    """Start MPI if it does not run yet, with the other ranks; a communicator of this rank alone.

    Libraries in C get ``MPI_COMM_SELF`` as its handle.

    Raises:
        StateError, LauncherError, LibraryError: as :func:`init` does.
    """
    init()
    return core.self_world(Communicator)


def raw_world() -> core.Raw:
    """Start MPI if it does not run yet, for this rank alone; the raw communicator of all ranks of the job.

    This is ``MPI_COMM_WORLD``. The call is local, so ranks that do not run polympi may be among them.

    Raises:
        StateError, LauncherError: as :func:`init` does.
    """
    return _start(None)


def _start(threads: str | None) -> core.Raw:
    """Start MPI in this process unless it runs."""
    global _job  # noqa: PLW0603  (a process starts MPI once)
    wanted = threads or (os.environ.get(LEVEL_VARIABLE) if _job is None else None) or None
    level = _level(wanted or DEFAULT_LEVEL, "threads" if threads else LEVEL_VARIABLE)
    if _job is None:
        launcher.refuse_child()
        launcher.check()
        timeout = _timeout()
        if os.environ.get(HANG_VARIABLE):
            from polympi import hangs

            timeout = hangs.begin(HANG_VARIABLE, _tell, timeout)
        if os.environ.get(WAIT_VARIABLE):
            from polympi import waits

            waits.begin(WAIT_VARIABLE)
        job = core.start_mpi(level, timeout, _settle)
        launcher.check(job.size)
        launcher.mark_rank(job.rank)
        _job = job
        _install_hooks()
    granted = core.thread_level()
    if wanted and granted < level:
        raise StateError(
            f"MPI runs at thread level '{thread_level()}', lower than the '{wanted}' that is asked for: call "
            f"polympi.init('{wanted}') before anything else starts MPI, or choose an MPI library that grants it."
        )
    return _job


def finalize() -> None:
    """End MPI in this process; every rank must do so. This happens automatically when a program ends.

    Waits until this rank's sends are received, as MPI does. Afterwards all calls raise
    :class:`polympi.StateError`, also those in which other threads wait, and MPI cannot be started again (MPI 5.0,
    section 11.2.2).

    Raises:
        StateError: messages of this rank are in flight, and all ranks are at their end, so no rank will receive them;
            or ``POLYMPI_TIMEOUT`` is over.
    """
    _settle()
    core.finish()


def abort(code: int = 1) -> None:
    """End all ranks of the job at once, with this exit code (MPI 5.0, section 9.2: ``MPI_Abort``).

    Args:
        code: of the whole job, 1 to 255; of other numbers the low byte counts, and 1 stands for 0, which would be
            success.
    """
    _flush()
    _tell_end(f"polympi.abort({code})")
    core.abort(code)


def thread_level() -> str:
    """The thread level that MPI runs at: ``single``, ``funneled``, ``serialized`` or ``multiple``.

    Raises:
        StateError: MPI does not run.
    """
    return THREAD_LEVELS[core.thread_level()]


def library_version() -> str:
    """Name and version of the MPI library, as it reports them (MPI 5.0, section 9.1.1)."""
    return core.library_version()


def processor_name() -> str:
    """The name of this rank's host or processor, as the MPI library reports it; starts MPI if it does not run yet.

    Raises:
        StateError, LauncherError: as :func:`init` does.

    MPI 5.0, section 9.1.2 (MPI_Get_processor_name).
    """
    _start(None)
    return core.processor_name()


def _level(name: str, where: str) -> int:
    if name not in THREAD_LEVELS:
        raise ValueError(f"{where} is '{name}', which is not a thread level: give one of {', '.join(THREAD_LEVELS)}.")
    return THREAD_LEVELS.index(name)


def _timeout() -> float:
    """The default time-out of blocking calls in seconds; 0 for none."""
    text = os.environ.get(TIMEOUT_VARIABLE) or "0"
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < float("inf"):
        raise ValueError(f"{TIMEOUT_VARIABLE} is '{text}': give the seconds that a call may wait, or 0 for no limit.")
    return seconds


def _install_hooks() -> None:
    """Install hooks that label uncaught exceptions and end the job, and that complete requests at the end."""
    atexit.register(_end)
    os._exit = _exit_at_once
    if _job is None or _job.size == 1:
        return
    if not core.owns_mpi() and not sys.flags.inspect:
        sys.exit = _exit
    sys.excepthook = _ending_hook(sys.excepthook)
    if threads := sys.modules.get("threading"):  # a program that uses threads has imported it by now
        threads.excepthook = _thread_hook(threads.excepthook, threads.__excepthook__)  # type: ignore[attr-defined]


def _ending_hook(
    previous: Callable[[type[BaseException], BaseException, TracebackType | None], object],
) -> Callable[[type[BaseException], BaseException, TracebackType | None], None]:
    """A ``sys.excepthook`` that ends the job; a hook that was there already is still called."""

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        prompting = sys.flags.interactive or hasattr(sys, "ps1")
        ends = core.phase() == "running" and not prompting
        if not ends:
            previous(kind, error, trace)
            return
        if previous is sys.__excepthook__:
            leads = _report(error)
        else:
            previous(kind, error, trace)
            leads = not getattr(error, "consequence", False)
        if not leads:
            time.sleep(ANOTHERS_S)
        abort(INTERRUPTED if issubclass(kind, KeyboardInterrupt) else 1)

    return hook


def _report(error: BaseException) -> bool:
    """Report what has ended this rank; whether this rank ends the job, not one that failed before or alike."""
    from polympi import failures

    _flush()
    failure = failures.failure_of(error)
    try:
        said = failures.say_once(failure, _label(), _say)
    except OSError:  # the system gives no socket
        _tell(failure.place + failure.message)
        said = True
    return said and not failures.is_consequence(error)


def _thread_hook(
    previous: Callable[[threading.ExceptHookArgs], object],
    default: Callable[[threading.ExceptHookArgs], object],
) -> Callable[[threading.ExceptHookArgs], None]:
    """A ``threading.excepthook`` that says on which rank a thread ended; only this thread ends, as in any program."""

    def hook(raised: threading.ExceptHookArgs) -> None:
        if previous is not default or raised.exc_type is SystemExit:
            previous(raised)
            return
        name = raised.thread.name if raised.thread else "unknown"
        text = _traceback(raised.exc_type, raised.exc_value, raised.exc_traceback)
        _tell(f"Exception in thread {name}:\n{text}")

    return hook


_leave_process = os._exit


def _exit_at_once(status: int) -> NoReturn:
    """``os._exit`` that ends MPI: launchers treat a rank that exits without it as failed."""
    if core.phase() == "running":
        _tell_end(f"os._exit({status})")
    core.end_at_once(status)
    _leave_process(status)


def _tell_end(how: str) -> None:
    for tell in before_end:
        tell(how)


def _exit(status: object = None, /) -> NoReturn:
    """``sys.exit`` if other code finalises MPI, before the core could see the exit status."""
    raise _marked(SystemExit(status))


def _marked(error: SystemExit) -> SystemExit:
    code = error.code if isinstance(error.code, int) else int(error.code is not None)
    if code and os.getpid() == get_native_id():  # only the main thread's ends the process
        error.mark = _ExitMark(code)  # type: ignore[attr-defined]
    return error


class _ExitMark:
    """Accompanies a ``SystemExit``, and notices when it ends the program and is not caught.

    Python has no hook for that: ``sys.excepthook`` isn't called for a ``SystemExit``, and handlers of ``atexit`` don't
    learn the exit code. It costs nothing until the program exits.
    """

    def __init__(self, code: int) -> None:
        self.code = code

    def __del__(self) -> None:
        try:
            sys._getframe(1)
        except ValueError:  # no frame of the program is running: the interpreter itself has dropped the exception
            core.expect_exit(self.code)


def _settle(patient: bool = True) -> None:
    """Receive messages that need Python, and report undelivered ones, which are an error of the program.

    Args:
        patient: also wait until this rank's sends are received.
    """
    _flush()
    for sentence in core.settle(_tell, patient):
        _tell(sentence)


def _end() -> None:
    """Before the interpreter ends.

    The core waits for the messages that this rank has sent, after the end of the interpreter, when the exit status is
    known.
    """
    try:
        _settle(patient=False)
    except KeyboardInterrupt:
        abort(INTERRUPTED)


def _label() -> str:
    """The label of this rank's lines: its rank in the world, or in the job before the world exists."""
    comm, host = _world or _job, core.own_host()
    return f"[rank {comm.rank if comm else 0}{f' (host {host})' if host else ''}] "


def _tell(sentence: str) -> None:
    """Print something after the label of this rank."""
    _say(sentence, _label())


def _traceback(kind: type[BaseException], error: BaseException | None, trace: TracebackType | None) -> str:
    import traceback

    return "".join(traceback.format_exception(kind, error, trace))


def _say(text: str, label: str) -> None:
    """Write lines to standard error, each after the label, all at once, so that other ranks cannot write between."""
    _flush()
    lines = "".join(f"{label}{line}\n" for line in text.splitlines())
    if sys.stderr is None:
        return
    try:
        os.write(sys.stderr.fileno(), lines.encode(errors="backslashreplace"))
    except (OSError, ValueError):  # replaced by an object that is not a file, or closed
        sys.stderr.write(lines)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (AttributeError, OSError, ValueError):  # none (pythonw), a broken pipe, closed
            continue
