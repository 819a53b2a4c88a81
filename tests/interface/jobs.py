"""Jobs that stay: each runs the programs of many tests one after another in the same ranks (programs/job.py).

A launch takes longer than most programs do. A program that fails, hangs, kills its rank or leaves something behind
costs the job, and is then judged in a launch of its own.
"""

import contextlib
import json
import select
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PROGRAM = Path(__file__).parent / "programs" / "job.py"
START_S = 120.0  # until all ranks of a job have connected
SETTLE_S = 60.0  # until they have found what a program has left behind
END_S = 10.0  # until a launcher ends ranks of which one has gone
WHERE_S = 1.0  # before the time of a program is over, its ranks write where they are


class CompanyError(Exception):
    """A program did not come to a good end among others, which is not to say that it would not alone."""


class _KilledError(Exception):
    pass


@dataclass
class Job:
    """Ranks that wait for programs.

    Attributes:
        ranks: how many.
        launch: starts them, to connect to this socket, and returns how they ended, with its `exit_code`. It calls its
            second argument now and then, an exception of which ends them.
        programs: that they have run.
    """

    ranks: int
    launch: Callable[[str, Callable[[], None]], Any]
    programs: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="polympi-job-")
        self._kill = threading.Event()
        self._ended: Any = None
        self._links: list[socket.socket] = []
        self._lines: list[Any] = []
        place = str(Path(self._folder.name) / "socket")
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(place)
            listener.listen(self.ranks)
            self._thread = threading.Thread(target=self._launch, args=[place], daemon=True)
            self._thread.start()
            try:
                self._welcome(listener)
            except BaseException:
                self.kill()
                raise

    def _launch(self, place: str) -> None:
        with contextlib.suppress(_KilledError):
            self._ended = self.launch(place, self._end_if_killed)

    def _end_if_killed(self) -> None:
        if self._kill.is_set():
            raise _KilledError

    def _welcome(self, listener: socket.socket) -> None:
        deadline = time.monotonic() + START_S
        listener.settimeout(0.1)
        ranks = {}
        while len(ranks) < self.ranks:
            if time.monotonic() > deadline or not self._thread.is_alive():
                raise CompanyError(f"the job did not start: {self._said()}")
            try:
                link, _ = listener.accept()
            except TimeoutError:
                continue
            link.settimeout(START_S)
            lines = link.makefile("r")
            ranks[json.loads(lines.readline())] = link, lines
        self._links = [ranks[rank][0] for rank in range(self.ranks)]
        self._lines = [ranks[rank][1] for rank in range(self.ranks)]

    def run(self, program: Path, arguments: Sequence[str], timeout: float) -> str:
        """Run a program to its end on all ranks: what they wrote.

        Raises:
            CompanyError: it failed; the job has ended.
        """
        self.programs.append(str(program))
        try:
            self._tell(json.dumps([timeout - WHERE_S, str(program), *arguments]))
            answers = self._answers(timeout, lambda answer: answer["failed"])
            self._tell("")
            self._answers(SETTLE_S, lambda left: f"it leaves behind: {left}" if left else "")
            self._tell("")
        except OSError:
            said = self._said()
            self.kill()
            raise CompanyError(f"a rank has ended: {said}") from None
        except BaseException:
            self.kill()
            raise
        return "".join(answer["wrote"] for answer in answers)

    def _tell(self, line: str) -> None:
        for link in self._links:
            link.sendall(f"{line}\n".encode())

    def _answers(self, timeout: float, complaint: Callable[[Any], str]) -> list[Any]:
        """A line of each rank; waiting for the others after a complaint could take forever."""
        answers: dict[int, Any] = {}
        deadline = time.monotonic() + timeout
        while len(answers) < self.ranks:
            waiting = [rank for rank in range(self.ranks) if rank not in answers]
            readable = _readable([self._links[rank] for rank in waiting], deadline - time.monotonic())
            if not readable:
                where = "\n".join(f"rank {rank}: {self._where(rank)}" for rank in waiting)
                raise CompanyError(f"after {timeout:g} s these ranks have not come to its end:\n{where}")
            for rank in waiting:
                if self._links[rank] not in readable:
                    continue
                line = self._lines[rank].readline()
                if not line:
                    raise ConnectionResetError
                answers[rank] = json.loads(line)
                if said := complaint(answers[rank]):
                    raise CompanyError(f"rank {rank}: {said}")
        return [answers[rank] for rank in range(self.ranks)]

    def _where(self, rank: int) -> str:
        """What a rank was doing when its time was all but over."""
        try:
            return (Path(self._folder.name) / f"rank{rank}").read_text() or "not in the program"
        except FileNotFoundError:
            return "not yet in the program"

    def kill(self) -> None:
        """End the ranks wherever they are."""
        self._kill.set()
        self._close()

    def end(self) -> None:
        """Let the ranks end as programs do, with nothing in flight.

        Raises:
            CompanyError: they ended with an error.
        """
        self._close()
        if not self._ended or self._ended.exit_code != 0:
            raise CompanyError(f"{self._said()}\nafter these programs:\n" + "\n".join(self.programs))

    def _close(self) -> None:
        for link, lines in zip(self._links, self._lines, strict=True):
            lines.close()
            link.close()
        self._links, self._lines = [], []
        self._thread.join(END_S)
        if self._thread.is_alive():
            self._kill.set()
            self._thread.join()
        self._folder.cleanup()

    def _said(self) -> str:
        """How it ended; a launcher may take a moment to end it when a rank has gone."""
        self._thread.join(END_S)
        self._kill.set()
        self._thread.join()
        return str(self._ended or "killed")


def _readable(links: list[socket.socket], seconds: float) -> list[socket.socket]:
    return select.select(links, [], [], max(0.0, seconds))[0]


class Jobs:
    """The jobs of a session: few at a time, of those that were used last."""

    MOST = 5  # some 15 idle ranks of 40 MB, as many as most files of tests take in turn

    def __init__(self) -> None:
        self._jobs: dict[Any, Job] = {}
        self._errors: list[str] = []

    def get(self, key: object, start: Callable[[], Job]) -> Job:
        """The job of this key, started if there is none."""
        job = self._jobs.pop(key, None)
        while job is None and len(self._jobs) >= self.MOST:
            self._end(next(iter(self._jobs)))
        self._jobs[key] = job or start()
        return self._jobs[key]

    def forget(self, key: object) -> None:
        """The job of this key has ended."""
        del self._jobs[key]

    def _end(self, key: object) -> None:
        try:
            self._jobs.pop(key).end()
        except CompanyError as error:
            self._errors.append(str(error))

    def end(self) -> None:
        """End all.

        Raises:
            CompanyError: one of the jobs of this session did not end well.
        """
        for key in list(self._jobs):
            self._end(key)
        if self._errors:
            raise CompanyError("\n\n".join(self._errors))
