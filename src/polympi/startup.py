"""How a process takes part in MPI: its start, what happens when a rank fails, and its end.

A rank that fails must end the whole job: the others would wait for it for ever. An exception that nobody catches ends
the job at once; any other end with an exit code other than 0 (``sys.exit(3)``) does so when the interpreter is gone,
in the core, which alone sees the code.
"""

from __future__ import annotations

import atexit
import os
import sys
import time

from polympi import library
from polympi.communicator import Communicator
from polympi.errors import LauncherError, StateError
from polympi.native import core

TYPE_CHECKING = False
if TYPE_CHECKING:
    import threading
    from collections.abc import Callable
    from types import TracebackType

THREAD_LEVELS = ("single", "funneled", "serialized", "multiple")  # in the order of MPI 5.0, section 11.2.1
DEFAULT_LEVEL = "serialized"  # the GIL lets one thread at a time into MPI anyway; "multiple" costs time in every call
LEVEL_VARIABLE = "POLYMPI_THREADS"
TIMEOUT_VARIABLE = "POLYMPI_TIMEOUT"
GRACE_S = 1.0  # at the end, for what is still under way: messages on one network take milliseconds
OPEN_MPI_LAUNCHER = "Open MPI's mpiexec"
DRAIN_S = 0.1  # before an abort: Hydra ends at once, and drops what it has not read of the ranks' last words
INTERRUPTED = 130  # exit code after Ctrl-C, as shells have it: 128 + SIGINT

_world: Communicator | None = None


def init(threads: str | None = None) -> Communicator:
    """Start MPI if it does not run yet, and return the communicator of all ranks.

    :data:`polympi.world` does this when it is first used. If another module (mpi4py) has started MPI, that is used, and
    ended by whom it was started.

    Args:
        threads: the thread level (MPI 5.0, section 11.2.1): ``single``, ``funneled``, ``serialized`` or ``multiple``.
            Python threads may always call polympi; at ``multiple`` several do so at the same time, for which every
            call pays. Default: ``POLYMPI_THREADS``, or ``serialized``.

    Raises:
        ValueError: an unknown level, or ``POLYMPI_TIMEOUT`` is no number of seconds.
        StateError: MPI runs already, or can run only, at a lower level than the one asked for.
        LauncherError: the launcher belongs to another MPI than the library.
    """
    global _world  # noqa: PLW0603  (a process takes part in MPI once)
    wanted = threads or (os.environ.get(LEVEL_VARIABLE) if _world is None else None) or None
    level = _level(wanted or DEFAULT_LEVEL, "threads" if threads else LEVEL_VARIABLE)
    if _world is None:
        _check_launcher()
        world = core.start(level, _timeout(), Communicator)
        _check_launcher(world.size)
        _world = world
        _install_hooks()
    if wanted and core.phase() == "running" and core.thread_level() < level:
        raise StateError(
            f"MPI runs at thread level '{thread_level()}', lower than the '{wanted}' that is asked for: call "
            f"polympi.init('{wanted}') before anything else starts MPI, or choose an MPI library that grants it."
        )
    return _world


def finalize() -> None:
    """Take this process out of MPI; every rank must do so. Happens by itself when a program ends.

    Afterwards all calls raise :class:`polympi.StateError`, and MPI cannot be started again (MPI 5.0, section 11.2.2).

    Raises:
        StateError: messages of this rank are under way that nobody has received.
    """
    if core.phase() == "running":
        _settle()
        core.finish()


def abort(code: int = 1) -> None:
    """End all ranks of the job at once, with this exit code (MPI 5.0, section 9.2: ``MPI_Abort``).

    Args:
        code: of the whole job, 1 to 255.
    """
    _flush()
    if core.phase() == "running":
        time.sleep(DRAIN_S)
    core.abort(code)


def thread_level() -> str:
    """The thread level that MPI runs at: ``single``, ``funneled``, ``serialized`` or ``multiple``.

    Raises:
        StateError: MPI does not run.
    """
    return THREAD_LEVELS[core.thread_level()]


def library_version() -> str:
    """Name and version of the MPI library, as it gives them itself (MPI 5.0, section 9.1.1)."""
    return core.library_version()


def _level(name: str, where: str) -> int:
    if name not in THREAD_LEVELS:
        raise ValueError(f"{where} is '{name}', which is no thread level: give one of {', '.join(THREAD_LEVELS)}.")
    return THREAD_LEVELS.index(name)


def _timeout() -> float:
    """The default time-out of blocking calls in seconds; 0 for none."""
    text = os.environ.get(TIMEOUT_VARIABLE) or "0"
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < float("inf"):
        raise ValueError(
            f"{TIMEOUT_VARIABLE} is '{text}': give the seconds that a call may wait, or 0 to wait for ever."
        )
    return seconds


def _check_launcher(size: int | None = None) -> None:
    """Refuse to run as one of many ranks 0 of 1, which is what a launcher of another MPI makes of a program.

    Args:
        size: of the world; None before MPI is started, which MPICH refuses fatally under Open MPI's launcher.
    """
    launcher, launched, advice = _launch()
    version = " ".join(core.library_version().split())
    stranger = launcher == OPEN_MPI_LAUNCHER and "Open MPI" not in version
    if launched <= 1 or (not stranger if size is None else size > 1):
        return
    if size is not None:
        core.finish()
    path = library.chosen[0] if library.chosen else "unknown"
    raise LauncherError(
        f"{launcher} started {launched} processes, but the MPI library in this one ({version[:40]}; {path}) knows of "
        f"no other, and would make each of them rank 0 of 1: {advice}, or choose the launcher's library with "
        f"{library.LIBRARY_VARIABLE} or {library.ABI_VARIABLE}."
    )


def _launch() -> tuple[str, int, str]:
    """Which launcher started this process, as one of how many, and what to do if the library does not know of it.

    A launcher above another one (mpiexec inside of srun) leaves its variables, too: the nearest one counts.
    """
    own = "start the program with the mpiexec that belongs to this library"
    for variable, launcher, advice in (
        ("OMPI_COMM_WORLD_SIZE", OPEN_MPI_LAUNCHER, own),
        ("PMI_SIZE", "The launcher of MPICH or Intel MPI, or srun with PMI-2,", own),
        (
            "SLURM_STEP_NUM_TASKS",  # set by srun alone, not in the batch script
            "srun",
            "give srun --mpi=pmix for Open MPI, --mpi=pmi2 for MPICH and Intel MPI ('srun --mpi=list' shows which it "
            "has)",
        ),
    ):
        number = os.environ.get(variable, "")
        if number.isdigit():
            return launcher, int(number), advice
    return "", 1, ""


def _install_hooks() -> None:
    """Have uncaught exceptions labelled with the rank, and end the job; have requests looked after at the end."""
    atexit.register(_settle)
    if _world is None or _world.size == 1:
        return
    label = f"[rank {_world.rank}] "
    sys.excepthook = _ending_hook(sys.excepthook, label)
    if threads := sys.modules.get("threading"):  # a program that uses threads has imported it by now
        threads.excepthook = _thread_hook(threads.excepthook, threads.__excepthook__, label)  # type: ignore[attr-defined]


def _ending_hook(
    previous: Callable[[type[BaseException], BaseException, TracebackType | None], object], label: str
) -> Callable[[type[BaseException], BaseException, TracebackType | None], None]:
    """A ``sys.excepthook`` that ends the job; a hook that was there already still says what it has to say."""

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        prompting = sys.flags.interactive or hasattr(sys, "ps1")
        ends = core.phase() == "running" and not prompting
        if previous is sys.__excepthook__ and ends:
            _say(_traceback(kind, error, trace), label)
        else:
            previous(kind, error, trace)
        if ends:
            abort(INTERRUPTED if issubclass(kind, KeyboardInterrupt) else 1)

    return hook


def _thread_hook(
    previous: Callable[[threading.ExceptHookArgs], object],
    default: Callable[[threading.ExceptHookArgs], object],
    label: str,
) -> Callable[[threading.ExceptHookArgs], None]:
    """A ``threading.excepthook`` that says on which rank a thread ended; as in any Python program, only it ends."""

    def hook(raised: threading.ExceptHookArgs) -> None:
        if previous is not default or raised.exc_type is SystemExit:
            previous(raised)
            return
        name = raised.thread.name if raised.thread else "unknown"
        text = _traceback(raised.exc_type, raised.exc_value, raised.exc_traceback)
        _say(f"Exception in thread {name}:\n{text}", label)

    return hook


def _settle() -> None:
    """Give what is under way a moment to complete, and say what did not: it is an error of the program."""
    if core.phase() == "running" and _world is not None:
        for sentence in core.settle(GRACE_S):
            _say(sentence, f"[rank {_world.rank}] ")


def _traceback(kind: type[BaseException], error: BaseException | None, trace: TracebackType | None) -> str:
    import traceback

    return "".join(traceback.format_exception(kind, error, trace))


def _say(text: str, label: str) -> None:
    """Write lines to standard error, each behind the label, all at once, lest those of other ranks come between."""
    _flush()
    lines = "".join(f"{label}{line}\n" for line in text.splitlines())
    if sys.stderr is None:
        return
    try:
        os.write(sys.stderr.fileno(), lines.encode(errors="backslashreplace"))
    except (OSError, ValueError):  # replaced by something that is no file, or closed
        sys.stderr.write(lines)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (AttributeError, OSError, ValueError):  # none (pythonw), a broken pipe, closed
            continue
