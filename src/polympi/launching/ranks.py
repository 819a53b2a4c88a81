"""Ranks that a program starts and calls, and that end with it."""

from __future__ import annotations

import contextlib
import math
import os
import pickle
import sys
import threading
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING

from polympi.errors import StateError
from polympi.launching.command import launch_for, refuse_rank
from polympi.launching.job import Job
from polympi.launching.pickling import name_of, pickled_call

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import TracebackType
    from typing import ParamSpec, TypeVar

    from typing_extensions import Self

    _P = ParamSpec("_P")
    _T = TypeVar("_T")


class Ranks:
    """Ranks that :func:`launch` has started; in a ``with`` statement they end with it.

    Attributes:
        size: how many there are.
        timeout: seconds in which a call must return on all ranks; None: any time.
        capture: whether what ranks write is kept in ``output`` rather than shown.
        output: what each rank wrote in the last call with ``capture``, standard output and standard error.
    """

    def __init__(
        self,
        n: int,
        *,
        launcher: str | Sequence[str] | None,
        timeout: float | None,
        capture: bool,
        env: Mapping[str, str],
    ) -> None:
        self.size = n
        self.timeout = timeout
        self.capture = capture
        self.output: list[str] = []
        self._launcher, self._env = launcher, dict(env)
        self._lock = threading.RLock()
        self._process = os.getpid()
        self._closed = False
        self._job = self._started()

    def run(self, function: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> list[_T]:
        """Call a function on all ranks: a list of its results, by rank.

        The ranks import the function by its name. One that is defined in a script or a notebook, a lambda or a closure
        needs cloudpickle. They keep their state between calls, such as imported modules and their variables.

        If a rank raises an exception, the others have 2 s to return, and are then interrupted. Here the exception is
        raised again, with the rank's traceback as its cause; several different ones as an ``ExceptionGroup`` (before
        Python 3.11, the first of them). Ctrl-C here interrupts the ranks.

        Raises:
            StateError: the ranks were closed.
            pickle.PicklingError: the function, an argument or a result can't be pickled.
            Timeout: not all ranks have returned within ``timeout``; it says where they are. The job has ended.
            EndedError: a rank was killed, crashed, or ended the job. The next call starts new ranks.
            RemoteError: a rank has raised an exception that can't be raised here, such as SystemExit.
        """
        return self._run(name_of(function), function, args, dict(kwargs))

    def _run(
        self, name: str, function: Callable[..., _T], args: tuple[object, ...], kwargs: dict[str, object]
    ) -> list[_T]:
        with self._lock:
            job = self._running()
            task = pickled_call(function, args, kwargs)
            kept: dict[int, list[str]] | None = {rank: [] for rank in range(self.size)} if self.capture else None
            job.keep_output(kept)
            try:
                payloads = job.run(name, task, _checked(self.timeout))
            finally:
                if kept is not None:
                    self.output = ["".join(texts) for texts in kept.values()]
            return [pickle.loads(payload) for payload in payloads]

    def restart(self) -> None:
        """End the ranks, wherever they are, and start new ones."""
        with self._lock:
            self._check_open()
            self._job.kill("it was restarted")
            self._job = self._started()

    def close(self) -> None:
        """End the ranks. Later calls raise StateError."""
        with self._lock:
            if not self._closed and os.getpid() == self._process:
                self._closed = True
                if not self._job.ended:
                    self._job.close()

    def _started(self) -> Job:
        return Job(self.size, launch_for(self.size, self._launcher, self._env))

    def _running(self) -> Job:
        """The job, a new one if it has ended."""
        self._check_open()
        if self._job.ended:
            why = self._job.ended
            self._job = self._started()
            print(f"polympi: started {self.size} new ranks without the state of the former ones: {why}",
                  file=sys.stderr)  # fmt: skip
        return self._job

    def _check_open(self) -> None:
        if self._closed or os.getpid() != self._process:
            reason = "were closed" if self._closed else f"belong to process {self._process}, which forked this one"
            raise StateError(f"these ranks {reason}: launch others")

    def __enter__(self) -> Self:
        """These ranks."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the ranks."""
        self.close()

    def __repr__(self) -> str:
        state = "closed" if self._closed else f"ended: {self._job.ended}" if self._job.ended else "running"
        return f"<{self.size} ranks, {state}>"


def launch(
    n: int,
    *,
    timeout: float | None = None,
    capture: bool = False,
    launcher: str | Sequence[str] | None = None,
    env: Mapping[str, str] | None = None,
) -> Ranks:
    """Start ``n`` ranks, whose functions this program calls: ``ranks.run(function)``. It isn't a rank itself.

    Args:
        n: how many ranks.
        timeout: seconds in which a call must return on all ranks; None: any time.
        capture: keep what ranks write in ``ranks.output``, by rank, rather than show it with their labels.
        launcher: the command that starts ranks, to which ``-n`` and the program are added. Default:
            ``POLYMPI_LAUNCHER``; or srun in a job of Slurm; or the mpiexec that belongs to the MPI library.
        env: further environment variables of the ranks.

    Raises:
        LauncherError: this process is a rank; or there is no launcher, or it can't start ``n`` ranks.
        FileNotFoundError: the working directory is gone.
    """
    count = index(n)
    if count < 1:
        raise ValueError(f"launch(): n is {count}, but at least one rank must be started")
    _checked(timeout)
    refuse_rank()
    _check_folder()
    return Ranks(count, launcher=launcher, timeout=timeout, capture=capture, env=env or {})


def _checked(timeout: float | None) -> float | None:
    if timeout is not None and not (timeout > 0 and math.isfinite(timeout)):
        raise ValueError(f"timeout is {timeout!r}, but must be a positive number of seconds, or None")
    return timeout


def _check_folder() -> None:
    with contextlib.suppress(FileNotFoundError):
        Path.cwd()
        return
    raise FileNotFoundError("launch(): the working directory of this process is gone: os.chdir to one that exists")
