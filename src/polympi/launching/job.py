"""Ranks that run, from their start to their end."""

from __future__ import annotations

import contextlib
import math
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from polympi.errors import EndedError, LauncherError, Timeout
from polympi.launching import answers, guard
from polympi.launching.answers import Aborted, Raised, ranks_in_words
from polympi.launching.command import LAUNCH_VARIABLE, Launch, program
from polympi.launching.in_step import in_step
from polympi.launching.links import Door, end_mark
from polympi.launching.monitor import SENT
from polympi.launching.output import Stream
from polympi.launching.pickling import pickled_call
from polympi.launching.roll_call import sentence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

START_S = 120.0  # until all ranks have started MPI
OTHERS_S = 2.0  # for ranks to return or fail after another one has failed; then they are interrupted
INTERRUPT_S = 3.0  # for interrupted ranks to answer
ENDINGS_S = 1.0  # until it is known how ranks have ended: a launcher ends the others at once
ANSWER_S = 1.5  # for ranks to say where they are
STEP_S = 1.0  # for ranks that are in step; if it is too short, new ranks are started
FLUSH_S = 5.0  # until what ranks have written before they answered has arrived
END_S = 10.0  # for ranks to end MPI
KILL_S = 20.0  # for the guard to end what doesn't

Found = dict[int, "tuple[answers.Answer, bytes]"]


class Rank(NamedTuple):
    """The connections of a rank."""

    calls: Connection
    monitor: Connection
    out: Stream
    err: Stream


class Job:
    """The ranks of one launch.

    Attributes:
        ended: why they have ended; empty while they run.
    """

    def __init__(self, n: int, launch: Launch) -> None:
        self.ended = ""
        self._n, self._launcher = n, launch.words[0]
        self._ranks: dict[int, Rank] = {}
        self._endings: list[tuple[int, int | None]] = []
        self._aborted: dict[int, str] = {}
        self._signalled: set[int] = set()  # ranks whose monitors haven't sent them a signal yet
        self._selector = selectors.DefaultSelector()
        self._log = tempfile.TemporaryFile()  # noqa: SIM115  (as long as the job)
        self._door = Door(launch.local)
        self._mark = end_mark(self._door.words)
        self._guard = subprocess.Popen(
            [sys.executable, "-I", "-S", guard.__file__, *launch.words, *program()],
            env={**launch.environment, LAUNCH_VARIABLE: self._door.words},
            stdin=subprocess.PIPE,
            bufsize=0,  # so that closing it writes nothing
            stdout=self._log,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C at the terminal arrives here alone
        )
        self._guard_end = os.pidfd_open(self._guard.pid)
        try:
            self._welcome()
        except BaseException:
            self.kill("it didn't start")
            raise

    def _welcome(self) -> None:
        """Wait for all ranks."""
        deadline = time.monotonic() + START_S
        links: dict[str, dict[str, Connection]] = {}
        numbers: dict[str, int] = {}
        self._selector.register(self._guard_end, selectors.EVENT_READ)
        self._selector.register(self._door.socket, selectors.EVENT_READ)
        while len(self._ranks) < self._n:
            ready = [key.fileobj for key, _ in self._selector.select(max(0.0, deadline - time.monotonic()))]
            if ready in ([], [self._guard_end]):  # what ranks have said before is more than what the launcher says
                raise LauncherError(self._not_started(bool(ready), len(numbers)))
            for source in ready:
                if source is self._door.socket:
                    self._admit(links)
                elif source is not self._guard_end:
                    name = next(name for name, found in links.items() if found.get("calls") is source)
                    numbers[name] = self._introduced(links[name]["calls"])
            for name in [name for name in numbers if len(links[name]) == 4]:
                self._add(numbers.pop(name), links.pop(name))
        self._selector.unregister(self._door.socket)
        self._door.close()
        assert self._guard.stdin is not None
        with contextlib.suppress(OSError):  # the guard has ended, which the first call reports
            self._guard.stdin.write(b"\n")

    def _admit(self, links: dict[str, dict[str, Connection]]) -> None:
        link = self._door.accept()
        if link is None:
            return
        try:
            purpose, name = link.recv()
            if purpose == "calls":
                link.send(sys.path)
                self._selector.register(link, selectors.EVENT_READ)
        except (EOFError, OSError):  # it has ended, which the launcher reports
            link.close()
            return
        links.setdefault(name, {})[purpose] = link

    def _introduced(self, link: Connection) -> int:
        """The number of a rank that has started MPI."""
        self._selector.unregister(link)
        try:
            said = link.recv()
        except (EOFError, OSError):
            said = "a rank ended before MPI had started"
        if isinstance(said, str):
            raise LauncherError(f"launch(): the ranks that {self._launcher} started can't run MPI: {said}")
        rank, size = said
        if size != self._n:
            raise LauncherError(
                f"launch(): {self._launcher} started {size} ranks, not {self._n}: see whether launcher= or its "
                "variables name another number"
            )
        return int(rank)

    def _not_started(self, ended: bool, ready: int) -> str:
        self._log.seek(0)
        said = " ".join(self._log.read().decode(errors="replace").split())[-1500:]
        how = f"ended with exit code {self._guard.wait()}" if ended else f"took more than {START_S:g} s"
        return (
            f"launch(): {self._launcher} {how} before all {self._n} ranks were ready ({len(self._ranks) + ready} "
            f"were); it said: {said or 'nothing'}"
        )

    def _add(self, number: int, links: dict[str, Connection]) -> None:
        out = Stream(number, "stdout", links["out"], self._mark)
        err = Stream(number, "stderr", links["err"], self._mark)
        self._ranks[number] = rank = Rank(links["calls"], links["monitor"], out, err)
        for source in rank:
            self._selector.register(source, selectors.EVENT_READ, (number, source))

    # One call

    def run(self, name: str, task: bytes, timeout: float | None) -> list[bytes]:
        """Call a function on all ranks: the pickled results.

        Raises:
            BaseException: what ranks have raised.
            EndedError: a rank has ended; so has the job.
            Timeout: ranks haven't answered in time; the job has ended.
        """
        found: Found = {}
        try:
            self._send(task)
            failed = self._complete(name, found, timeout)
        except BaseException as error:  # Ctrl-C, or a standard output that is closed
            self._recover(found, error)
            raise
        if failed:
            raise failed
        return [found[rank][1] for rank in range(self._n)]

    def _recover(self, found: Found, error: BaseException) -> None:
        """After an exception of this process, keep the ranks if they are in step."""
        if self.ended:
            return
        try:
            self._stop(found)
            if len(found) == self._n and self._is_in_step():
                return
        finally:
            if len(found) < self._n:
                self.kill(f"{type(error).__name__} ended a call")
        self.kill(f"{type(error).__name__} ended a call, after which the ranks were not in step")

    def _send(self, task: bytes) -> None:
        for rank in self._ranks.values():
            rank.out.at_end = rank.err.at_end = False
            with contextlib.suppress(OSError):  # its monitor reports how it has ended
                rank.calls.send_bytes(task)

    def _complete(self, name: str, found: Found, timeout: float | None) -> BaseException | None:
        """Wait for all answers; what is to be raised."""
        deadline = time.monotonic() + (math.inf if timeout is None else timeout)
        if self._endings or not self._collect(name, found, deadline, lambda: _failures(found)):
            raise self._timed_out(name, found, timeout or 0)
        failed = _failures(found)
        missing: list[int] = []
        if failed and not self._collect(name, found, time.monotonic() + OTHERS_S):
            missing = self._stop(found)
        self._flush()
        if not failed:
            return None
        stopped = {rank: found[rank][0] for rank in missing if rank in found}
        first = {rank: answer for rank, answer in _failures(found).items() if rank not in stopped}
        interrupted = {rank: answer for rank, answer in stopped.items() if isinstance(answer, Raised)}
        error = answers.to_raise(name, first, interrupted)
        failed_on = f"{name} failed on {ranks_in_words(list(first))}"
        if lost := [rank for rank in missing if rank not in found]:
            self.kill(f"{failed_on}, and {ranks_in_words(lost)} couldn't be interrupted")
        elif not self._is_in_step():
            self.kill(f"{failed_on}, after which the ranks were not in step")
        return error

    def _stop(self, found: Found) -> list[int]:
        """Interrupt the ranks that haven't answered, and wait for them; which those were."""
        missing = self._missing(found)
        self._signal(missing, signal.SIGINT)
        with contextlib.suppress(EndedError):
            if self._collect("", found, time.monotonic() + INTERRUPT_S):  # some perhaps before the signal
                self._pump(INTERRUPT_S, lambda: not self._signalled)
        return missing

    def _missing(self, found: Found) -> list[int]:
        return [rank for rank in range(self._n) if rank not in found]

    def _collect(self, name: str, found: Found, deadline: float, enough: Callable[[], object] = lambda: False) -> bool:
        """Take in answers until there are enough, or all; False if the time is over before."""
        while len(found) < self._n and not enough():
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            for rank, answer in self._events(left):
                if isinstance(answer, tuple):
                    found[rank] = answer
            if self._endings and (name or self.ended):
                raise self._rank_ended(name)
        return True

    def _events(self, seconds: float) -> Iterator[tuple[int, tuple[answers.Answer, bytes] | None]]:
        """Take in what arrives within some seconds."""
        for key, _ in self._selector.select(min(max(0.0, seconds), 3600.0)):
            if key.data is None:  # the guard, and so the launcher
                self._selector.unregister(key.fileobj)
                self._endings.append((-1, None))
                continue
            number, source = key.data
            rank = self._ranks[number]
            if isinstance(source, Stream):
                if not source.take():
                    self._selector.unregister(source)
            elif source is rank.monitor:
                self._signalled.discard(number)
                said = _received(source)
                if said != SENT:
                    self._endings.append((number, said))
                    self._selector.unregister(source)
            else:
                said = _received(source)
                if isinstance(said, Aborted):
                    self._aborted[number] = said.how
                elif said is not None and (payload := _received(source, Connection.recv_bytes)) is not None:
                    yield number, (said, payload)
                else:
                    self._selector.unregister(source)

    def _pump(self, seconds: float, until: Callable[[], object]) -> None:
        """Take in what ranks write."""
        deadline = time.monotonic() + seconds
        while not until() and (left := deadline - time.monotonic()) > 0 and len(self._selector.get_map()) > 0:
            for _ in self._events(left):
                pass

    def _flush(self) -> None:
        streams = [stream for rank in self._ranks.values() for stream in (rank.out, rank.err)]
        self._pump(FLUSH_S, lambda: all(stream.at_end for stream in streams))

    def _signal(self, ranks: Iterable[int], number: int) -> None:
        for rank in ranks:
            with contextlib.suppress(OSError):
                self._ranks[rank].monitor.send(number)
                self._signalled.add(rank)

    # Its end

    def _timed_out(self, name: str, found: Found, seconds: float) -> Timeout | EndedError:
        if self._endings:
            return self._rank_ended(name)
        missing = self._missing(found)
        where = self._roll_call(missing)
        self.kill(f"{name} timed out")
        return Timeout(
            f"{name}: {ranks_in_words(missing)} of {self._n} did not return within {seconds:g} s, and the job was "
            f"ended; " + "; ".join(f"rank {rank} {said}" for rank, said in where.items()),
            operation="run",
        )

    def _roll_call(self, missing: list[int]) -> dict[int, str]:
        """Where ranks are: what polympi says on SIGUSR1, else what Python itself does on SIGUSR2."""
        errors = {rank: self._ranks[rank].err for rank in missing}
        before = {rank: stream.kept for rank, stream in errors.items()}
        heard: dict[int, list[str]] = {rank: [] for rank in missing}
        for rank, stream in errors.items():
            stream.kept = heard[rank]
        for number in (signal.SIGUSR1, signal.SIGUSR2):
            self._signal([rank for rank in missing if not heard[rank]], number)
            self._pump(ANSWER_S, lambda: all(heard.values()))
        self._pump(0.1, lambda: False)  # the rest of a traceback
        for rank, stream in errors.items():
            stream.kept = before[rank]
        return {rank: sentence(rank, "".join(said)) for rank, said in heard.items()}

    def _rank_ended(self, name: str) -> EndedError:
        self._pump(ENDINGS_S, lambda: len(self._endings) > self._n)
        self._pump(0.05, lambda: False)  # their last words
        if self._aborted:
            rank, words = next(iter(self._aborted.items()))
            how = f"rank {rank} ended the job with {words}"
        else:
            known = [(rank, code) for rank, code in self._endings if code is not None]
            own = [(rank, code) for rank, code in known if code not in (-signal.SIGTERM, -signal.SIGKILL)]
            rank, code = (known[:1] or own or [(-1, 0)])[0]
            if code in (-signal.SIGTERM, -signal.SIGKILL) and own and self._endings[0][0] != rank:
                rank, code = own[0]
            how = f"rank {rank} {_end_in_words(code)}" if rank >= 0 else f"{Path(self._launcher).name} ended all ranks"
        self.kill(how)
        during = f" during {name}" if name else ""
        return EndedError(
            f"{how}{during}, and so the job has ended: the next run starts new ranks",
            operation="run",
            rank=rank if rank >= 0 else None,
        )

    def _is_in_step(self) -> bool:
        """Whether all ranks wait for the next call, and none has left anything to the others."""
        found: Found = {}
        with contextlib.suppress(EndedError):
            self._send(pickled_call(in_step, (STEP_S,), {}))
            if self._collect("the check after a failure", found, time.monotonic() + END_S):
                self._flush()
                return not _failures(found)
        return False

    def keep_output(self, kept: dict[int, list[str]] | None) -> None:
        """Keep what ranks write in these lists rather than show it."""
        for number, rank in self._ranks.items():
            rank.out.kept = rank.err.kept = None if kept is None else kept[number]

    def close(self) -> None:
        """Let the ranks end MPI, and then end what is left."""
        for rank in self._ranks.values():
            with contextlib.suppress(OSError):
                rank.calls.send_bytes(b"")
        self._pump(END_S, lambda: any(rank == -1 for rank, _ in self._endings))
        self.kill("it was closed")

    def kill(self, why: str) -> None:
        """End all processes."""
        if self.ended:
            return
        self.ended = why
        assert self._guard.stdin is not None
        self._guard.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._guard.wait(KILL_S)
        self._pump(0.05, lambda: False)
        self._selector.close()
        os.close(self._guard_end)
        self._door.close()
        self._log.close()
        for rank in self._ranks.values():
            for link in (rank.calls, rank.monitor, rank.out.link, rank.err.link):
                link.close()


def _failures(found: Found) -> dict[int, tuple[Raised, bytes]]:
    return {rank: (answer, payload) for rank, (answer, payload) in found.items() if isinstance(answer, Raised)}


def _received(link: Connection, receive: Callable[[Connection], Any] = Connection.recv) -> Any:
    """A message; None at the end."""
    try:
        return receive(link)
    except (EOFError, OSError):
        return None


def _end_in_words(code: int) -> str:
    if code < 0:
        return f"was killed by {signal.Signals(-code).name}"
    return f"ended with exit code {code}"
