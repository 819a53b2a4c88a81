"""Follow a job: its states as they change, and what its run writes, until it has ended."""

import os
import re
import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from polympi.lab.conclusions.phrases import listing
from polympi.lab.submit.job import OUTPUT, Job
from polympi.lab.submit.scheduler import SubmitError
from polympi.lab.submit.slurm import UNKNOWN, State, cancel, state_of
from polympi.lab.units import format_duration

# Between two questions about the state: controllers of large clusters ask to be left alone. The first ones come sooner,
# since many a job begins, or is refused, at once.
_OFTEN_S, _RARELY_S, _SOON_S = 1.0, 10.0, 30.0
_LOOK_S = 0.5  # between two looks into the file of what the run writes
_SETTLE_S = 5.0  # for the last lines to come over a network's file system
_PATIENCE_S = 300.0  # for a controller that does not answer meanwhile, as during a restart

_WAITS_FOR = {  # Slurm's reasons, in words; others are shown as Slurm writes them
    "Resources": "for hosts that other jobs have",
    "Priority": "behind jobs that come first",
    "BeginTime": "for the time it is to begin at",
    "Dependency": "for another job to end",
    "Reservation": "for a reservation",
    "ReqNodeNotAvail": "for hosts that are down or reserved",
    "PartitionDown": "for its partition, which is down",
    "PartitionInactive": "for its partition, which is not active",
    "JobHeldUser": "and is held: 'scontrol release {number}' lets it go",
    "JobHeldAdmin": "and is held by an administrator, whom to ask",
    "PartitionConfig": "and asks for more than its partition has: it may never begin",
    "PartitionNodeLimit": "and asks for more hosts than its partition has now: it may never begin",
    "PartitionTimeLimit": "and asks for more time than its partition gives: it may never begin",
}
_ENDS, OUT_OF_MEMORY = "COMPLETING", "OUT_OF_MEMORY"
_KNOWN = {
    "CANCELLED": "was cancelled",
    "TIMEOUT": "reached its time limit",
    "DEADLINE": "did not end before its deadline",
    "NODE_FAIL": "lost a host",
    "BOOT_FAIL": "got a host that does not start",
    OUT_OF_MEMORY: "used up the memory it was given",
    "PREEMPTED": "was ended for another job",
    UNKNOWN: "has ended, and Slurm does not know it any more",
}
# Of what polls for memory, and of control groups in several versions; output written meanwhile may follow.
_NO_MEMORY = re.compile(r"slurmstepd.*(exceeded (job |step )?memory limit|oom.kill|Out Of Memory)", re.IGNORECASE)
_LAST_BYTES = 8192
_SENT_BY: dict[int, str] = {signal.SIGKILL: ", as by 'kill -9' or by a host without memory"}


class Follower:
    """Follows one job."""

    def __init__(self, job: Job, folder: Path, *, say: Callable[[str], None], show: Callable[[str], None]) -> None:
        self._job = job
        self._output = folder / OUTPUT
        self._say, self._show = say, show
        self._shown_bytes = 0
        self._reported: tuple[str, str] | None = None
        self._began = time.monotonic()
        self._silent_since: float | None = None

    def to_the_end(self, start_within_s: float | None = None) -> State:
        """Wait until the job has ended; return its last state."""
        while True:
            state = self._state()
            if state is not None:
                self._report(state)
                if state.ended:
                    self._show_rest()
                    return state
                if state.waits and start_within_s is not None and time.monotonic() - self._began > start_within_s:
                    self._give_up(state, start_within_s)
            self._show_for(_OFTEN_S if time.monotonic() - self._began < _SOON_S else _RARELY_S)

    def _state(self) -> State | None:
        """The state; None if Slurm does not answer, which it may not for a while."""
        try:
            state = state_of(self._job.number)
        except SubmitError:
            self._silent_since = self._silent_since or time.monotonic()
            if time.monotonic() - self._silent_since > _PATIENCE_S:
                raise
            return None
        self._silent_since = None
        return state

    def _report(self, state: State) -> None:
        seen = (state.name, state.reason)
        if seen == self._reported or state.ended or state.name == _ENDS:  # some of its hosts are free then
            return
        self._reported = seen
        if state.waits:
            self._say(f"job {self._job.number} waits in the queue{self._why(state)}")
        else:
            self._say(f"job {self._job.number} runs on {state.hosts}")

    def _why(self, state: State) -> str:
        """Why a job waits, behind words about the queue."""
        words = _WAITS_FOR.get(state.reason.partition(",")[0])
        if words is None:
            return f" (Slurm says '{state.reason}')" if state.reason else ""
        return f" {words.format(number=self._job.number)}"

    def _give_up(self, state: State, start_within_s: float) -> None:
        cancel(self._job.number)
        why = self._why(state)
        raise SubmitError(
            f"Job {self._job.number} had not begun after {format_duration(start_within_s)} in the queue{why}; it is "
            "cancelled. Ask for less, for another partition, or give it more time (--start-within)."
        )

    def _show_for(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self._show_new()
            time.sleep(_LOOK_S)

    def _show_rest(self) -> None:
        """What was written last; other hosts see it somewhat later."""
        until, before = time.monotonic() + _SETTLE_S, -1
        while before != self._shown_bytes and time.monotonic() < until:
            before = self._shown_bytes
            time.sleep(_LOOK_S)
            self._show_new()

    def _show_new(self) -> None:
        try:
            with self._output.open("rb") as stream:
                stream.seek(self._shown_bytes)
                text = stream.read()
        except OSError:  # the job has not begun
            return
        whole = text[: text.rfind(b"\n") + 1]
        if whole:
            self._shown_bytes += len(whole)
            self._show(whole.decode(errors="replace"))


def wrote(folder: Path) -> bool:
    """Whether a job has written anything."""
    output = folder / OUTPUT
    return output.is_file() and output.stat().st_size > 0


def ran_out_of_memory(folder: Path) -> bool:
    """Whether Slurm has written below what a job wrote that it ran out of memory; its state doesn't always show it."""
    try:
        with (folder / OUTPUT).open("rb") as stream:
            stream.seek(max(0, stream.seek(0, os.SEEK_END) - _LAST_BYTES))
            return _NO_MEMORY.search(stream.read().decode(errors="replace")) is not None
    except OSError:
        return False


def what_became(state: State, lost: Sequence[str] = (), *, without_memory: bool = False) -> str | None:
    """The middle of a sentence about a job that did not end by itself, by its last state; None for one that did.

    `lost` are those of its hosts that are down; `without_memory`: what killed it was that it had no more memory.
    """
    if state.name == "NODE_FAIL" and lost:
        return f"lost {'the host' if len(lost) == 1 else 'the hosts'} {listing(lost)}"
    if state.name not in ("COMPLETED", "FAILED"):
        return _KNOWN.get(state.name, f"ended as Slurm calls {state.name}")
    if state.signal is None:
        return None
    where = f" on {state.first_host}" if state.first_host else ""
    if without_memory:
        return f"{_KNOWN[OUT_OF_MEMORY]}{where}"
    return f"was killed by {_signal_name(state.signal)}{where}{_SENT_BY.get(state.signal, '')}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # one of real time
        return f"signal {number}"
