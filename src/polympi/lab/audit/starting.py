"""Starts a job whose ranks are recorded, and stays with it until it ends."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import psutil

from polympi.lab.audit.files import ENDING
from polympi.lab.audit.roll_call import RollCall
from polympi.lab.audit.watcher import Watcher
from polympi.lab.errors import UsageError, system_reason
from polympi.lab.process import MARK, end_tree
from polympi.lab.stacks.command import mpiexec_command
from polympi.lab.stacks.family import family_of_launcher
from polympi.lab.stacks.launching import dialect_of
from polympi.lab.stacks.stack import Stack, get_stack

Stop = Callable[[RollCall], bool]
TICK_S = 1.0  # between looks at the files
HUNG = 124  # the exit code of a job that was ended because it hung, as that of timeout(1)
GRACE_S = 5.0  # for a launcher to end its ranks after a signal
_SKEW_S = 60.0  # by which clocks of hosts and of a file server may differ
LAUNCHERS = re.compile(r"(mpiexec|mpirun|orterun|prterun|prun|srun|jsrun|aprun)([.-].*)?")
# What launchers give each rank: its number.
RANK_VARIABLES = ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID", "PALS_RANKID", "JSM_NAMESPACE_RANK")
# What is the same for all ranks of a job and for no other, the most precise first.
_OF_JOBS = ("PMIX_NAMESPACE", "SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID")


def rank_here(environment: Mapping[str, str] = os.environ) -> str | None:
    """The rank of this process, if a launcher has started it; None otherwise.

    Slurm also sets its variable in a batch script, before any step.
    """
    for name in RANK_VARIABLES:
        if name in environment and not (name == "SLURM_PROCID" and _in_batch_script(environment)):
            return environment[name]
    return None


def _in_batch_script(environment: Mapping[str, str]) -> bool:
    return environment.get("SLURM_STEP_ID", "4294967291") in ("4294967291", "4294967290")


def job_name(environment: Mapping[str, str] = os.environ) -> str:
    """What all ranks of this job call it: its launcher's name for it, else the process that has started them."""
    for name in _OF_JOBS:
        if environment.get(name):
            step = (
                f".{environment['SLURM_STEP_ID']}" if name == "SLURM_JOB_ID" and "SLURM_STEP_ID" in environment else ""
            )
            return re.sub(r"[^A-Za-z0-9.-]+", "-", environment[name] + step)
    return str(os.getppid())


def has_earlier_files(folder: Path) -> bool:
    """Whether a folder has files of ranks from well before this rank's launcher began."""
    began = psutil.Process(os.getppid()).create_time() - _SKEW_S
    return any(path.stat().st_mtime < began for path in folder.glob(f"*{ENDING}"))


def program_path(command: Sequence[str]) -> str:
    """The program of a command as the system will find it. UsageError if there is none."""
    found = shutil.which(command[0])
    if found is None:
        raise UsageError(f"The program '{command[0]}' was not found: check its name, or give its path.")
    return found


def launcher(stack: str | None) -> Stack:
    """What starts ranks: an installed stack, or the mpiexec on PATH."""
    if stack is not None:
        return get_stack(stack)
    for name in ("mpiexec", "mpirun", "srun"):
        if path := shutil.which(name):
            dialect = dialect_of([name]) if name == "srun" else ""
            family = "" if name == "srun" else family_of_launcher(path)
            return Stack(
                name="PATH", family=family, origin="system", mpiexec=path, mpicc="", python="",
                launcher=[path] if name == "srun" else [], dialect=dialect,
            )  # fmt: skip
    raise UsageError(
        "No mpiexec, mpirun or srun is on PATH: load the module of your MPI, or name a stack that polympi has "
        "installed with --stack ('polympi list' shows them)."
    )


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0))


@dataclass(frozen=True)
class Ended:
    """How a job ended."""

    exit_code: int  # as a shell has it: 128 and the signal if one ended it
    by_us: bool  # because its ranks hung


def run_job(
    stack: Stack,
    ranks: int,
    command: Sequence[str],
    variables: Mapping[str, str],
    *,
    watcher: Watcher,
    stop: Stop,
    before_signal: Callable[[], None] = lambda: None,
) -> Ended:
    """Start a job, watch it, and pass signals on to it; its streams are ours.

    Args:
        stack: what starts it.
        ranks: how many.
        command: the program of each rank.
        variables: what each rank gets in its environment.
        watcher: looks at it once a second.
        stop: whether a job that waits is to be ended.
        before_signal: called before a signal is passed on that may end the job.
    """
    program = ["env", *(f"{name}={value}" for name, value in variables.items()), *command]
    words = mpiexec_command(stack, ranks, program, processors=psutil.cpu_count() or 1)
    environment = stack.variables()
    mark = f"audit-{os.getpid()}-{time.monotonic_ns()}"
    try:
        # In another session, so that a Ctrl-C reaches us alone, and the roll call comes before the end.
        process = subprocess.Popen(words, env={**environment, MARK: mark}, start_new_session=True)
    except OSError as error:
        raise UsageError(f"The launcher '{words[0]}' cannot be started: {system_reason(error)}.") from error
    with _signals_passed_on(process, watcher, before_signal):
        try:
            hung = _wait(process, watcher, stop)
        finally:
            if process.poll() is None:
                _end(process, signal.SIGTERM)
            end_tree(process, mark, environment)
    code = process.returncode
    return Ended(128 - code if code < 0 else code, hung)


def _wait(process: subprocess.Popen[bytes], watcher: Watcher, stop: Stop) -> bool:
    """Wait for the end of a job; True if it is to be ended before."""
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(TICK_S)
            return False
        roll = watcher.tick()
        if roll is not None and stop(roll):
            return True


def _end(process: subprocess.Popen[bytes], number: int) -> None:
    process.send_signal(number)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(GRACE_S)


@contextlib.contextmanager
def _signals_passed_on(
    process: subprocess.Popen[bytes], watcher: Watcher, before: Callable[[], None]
) -> Iterator[None]:
    """Print the roll call before a signal that ends the job is passed on, and when asked to."""

    def pass_on(number: int, _: FrameType | None) -> None:
        watcher.call(f"the state at {signal.Signals(number).name}")
        before()
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(number)

    def only_tell(_number: int, _: FrameType | None) -> None:
        watcher.call("the state now")

    wanted = {signal.SIGINT: pass_on, signal.SIGTERM: pass_on, signal.SIGHUP: pass_on, signal.SIGUSR1: only_tell}
    handlers = {number: signal.signal(number, handler) for number, handler in wanted.items()}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
