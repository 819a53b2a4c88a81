"""Run a command and everything it starts, and leave no process behind.

A launcher starts daemons that start ranks, some in new sessions; killing a process group misses them.
Descendants are therefore found twice: as children of the command, and by a mark in their environment, which they
inherit however far they moved away.
"""

import contextlib
import os
import select
import signal
import subprocess
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from polympi.lab.session_folders import remove_session_folders

MARK = "POLYMPI_LAUNCH"
GRACE_S = 1.0  # for a launcher to end its ranks after SIGTERM, before everything is killed
TICK_S = 1.0  # between calls of on_tick; rare, because waking up takes the processor from the ranks
TAIL_BYTES, TAIL_LINES = 4096, 20  # of the output kept for the report of a failure, at most
OUTPUT_BYTES = 64 * 2**20  # a program that prints more is in a loop, and would fill the disk before its time is up


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    exit_code: int | None  # as the shell knows it, negative for a signal; None when the time-out ended it
    started_ns: int  # monotonic clock just before the start
    wall_ns: int  # from the start to the end
    tail: str  # last lines of standard output and standard error together
    flooded: bool = False  # it printed so much that it was ended for that

    @property
    def timed_out(self) -> bool:
        """Whether the time-out ended the command."""
        return self.exit_code is None and not self.flooded


def run_tree(
    command: Sequence[str],
    *,
    environment: Mapping[str, str],
    timeout_s: float,
    output: Path,
    on_tick: Callable[[], None] = lambda: None,
    folder: Path | None = None,
) -> Ended:
    """Run a command to its end or its time-out, then end all processes that it left running.

    Standard output and standard error go to the file `output`; `environment` is all that it gets. What `on_tick`,
    called about once a second, raises (a Ctrl-C among them) ends the command. OSError if it cannot be started.
    """
    mark = uuid.uuid4().hex
    with output.open("wb") as sink:
        started_ns = time.monotonic_ns()
        process = subprocess.Popen(
            list(command),
            env={**environment, MARK: mark},
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # a Ctrl-C at the terminal reaches us alone, and we end the launch in order
            cwd=folder,
        )
        try:
            exit_code = _wait(process, started_ns, timeout_s, output, on_tick)
            wall_ns = time.monotonic_ns() - started_ns
        finally:
            end_tree(process, mark, environment)
    flooded = exit_code is None and output.stat().st_size > OUTPUT_BYTES
    return Ended(exit_code, started_ns, wall_ns, _tail(output), flooded)


def _wait(
    process: subprocess.Popen[bytes], started_ns: int, timeout_s: float, output: Path, on_tick: Callable[[], None]
) -> int | None:
    """Sleep until the process ends; a pidfd wakes us at once and costs nothing meanwhile."""
    deadline = started_ns / 1e9 + timeout_s
    descriptor = os.pidfd_open(process.pid)
    try:
        while (left := deadline - time.monotonic()) > 0:
            readable, _, _ = select.select([descriptor], [], [], min(TICK_S, left))
            if readable:
                return process.wait()
            if output.stat().st_size > OUTPUT_BYTES:
                return None
            on_tick()
        return None
    finally:
        os.close(descriptor)


def end_tree(process: subprocess.Popen[bytes], mark: str, environment: Mapping[str, str]) -> None:
    """End a process, all that it has started, and all that has the mark in its environment."""
    descendants = _descendants(process)
    if process.poll() is None:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(GRACE_S)
        if process.poll() is None:
            process.kill()
            process.wait()
    stragglers = {p.pid: p for p in [*descendants, *_marked(mark)] if p.is_running()}
    for straggler in stragglers.values():
        with contextlib.suppress(psutil.NoSuchProcess):
            straggler.send_signal(signal.SIGKILL)  # psutil checks that the pid still is the same process
    psutil.wait_procs(list(stragglers.values()), timeout=GRACE_S)
    remove_session_folders({process.pid, *stragglers}, environment)


def _descendants(process: subprocess.Popen[bytes]) -> list[psutil.Process]:
    try:
        return psutil.Process(process.pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def _marked(mark: str) -> list[psutil.Process]:
    found = []
    for candidate in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if candidate.environ().get(MARK) == mark:
                found.append(candidate)
    return found


def _tail(output: Path) -> str:
    with output.open("rb") as stream:
        stream.seek(max(0, output.stat().st_size - TAIL_BYTES))
        text = stream.read().decode(errors="replace")
    return "\n".join(line.rstrip() for line in text.splitlines()[-TAIL_LINES:])
