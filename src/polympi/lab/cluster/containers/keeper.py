"""A process that makes the containers of a cluster for another, and removes them if the other ends meanwhile.

Containers do not end with the process that made them. So ``polympi cluster up`` has each step made by a keeper, which
reads steps from a pipe, one after the other. When the pipe ends, by SIGKILL of the other side too, no step is under
way any more, and all that was made is removed, unless the keeper has orders to leave it.
"""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import msgspec
import psutil

from polympi.lab.cluster.cluster import ClusterError
from polympi.lab.cluster.containers.podman import COMMAND_S, podman, remove

_MODULE = "polympi.lab.cluster.containers.keeper"
_STAY = b"stay\n"
_POLL_S = 0.2  # between two looks at whether a step has to end
_REMOVAL_S = 300  # for all containers of a cluster; each takes a tenth of a second


class _Step(msgspec.Struct):
    command: list[str]
    timeout_s: float


class Did(msgspec.Struct):
    """How a step ended."""

    code: int | None  # exit code; None if it took too long
    text: str  # what it wrote to standard output
    errors: str  # what it wrote to standard error


class Keeper:
    """The keeper's other side. What is made ends with the block that it is entered for, unless it stays."""

    def __init__(self, folder: Path, lock: int | None) -> None:
        """Start the keeper, which holds the lock until it ends; what it removes is labelled with the folder."""
        self._folder = folder
        self._under_way = False  # whether a step is
        command = [sys.executable, "-m", _MODULE, str(folder)]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # a Ctrl-C at the terminal is not for it
            pass_fds=[] if lock is None else [lock],
            cwd="/",
        )

    def __enter__(self) -> Keeper:
        return self

    def __exit__(self, *_: object) -> None:
        """Release it, and wait until it has removed everything unless it stays."""
        if self._under_way:  # we are interrupted: what it waits for may take minutes, so it ends now
            self._process.terminate()
        with contextlib.suppress(BrokenPipeError):
            self._pipe.close()
        try:
            code = self._process.wait(_REMOVAL_S)
        except subprocess.TimeoutExpired:
            code = None
            self._process.kill()
        self._output.close()
        if code not in (0, -signal.SIGTERM):  # the latter if it was not even ready for the first step
            raise ClusterError(
                f"What was made of the cluster in '{self._folder}' could not be removed: 'podman ps --all' shows what "
                "is left, and 'polympi cluster down' tries it again."
            )

    def do(self, words: Sequence[str], timeout_s: float = COMMAND_S) -> Did:
        """Have a command of podman called, and wait for its end."""
        self._under_way = True
        try:
            self._pipe.write(msgspec.json.encode(_Step(podman(*words), timeout_s)) + b"\n")
            self._pipe.flush()
            line = self._output.readline()
        except BrokenPipeError:
            line = b""
        if not line:
            raise ClusterError("The process that makes the containers has ended: something killed it; try again.")
        self._under_way = False
        did = msgspec.json.decode(line, type=Did)
        if did.code is None:
            raise ClusterError(f"'podman {words[0]}' did not end within {timeout_s:.0f} s: is the machine overloaded?")
        return did

    def stay(self) -> None:
        """Let all stay that was made."""
        with contextlib.suppress(BrokenPipeError):
            self._pipe.write(_STAY)
            self._pipe.flush()

    @property
    def _pipe(self) -> IO[bytes]:
        assert self._process.stdin is not None
        return self._process.stdin

    @property
    def _output(self) -> IO[bytes]:
        assert self._process.stdout is not None
        return self._process.stdout


class _Maker:
    def __init__(self) -> None:
        self._hurries = False  # whether the current or next step has to end
        signal.signal(signal.SIGTERM, self._hurry)

    def make(self, folder: Path) -> None:
        """Do step after step, and remove all if the pipe ends before the word to stay, or ClusterError."""
        for line in sys.stdin.buffer:
            if line == _STAY:
                return
            did = self._done(msgspec.json.decode(line, type=_Step))
            with contextlib.suppress(BrokenPipeError):
                sys.stdout.buffer.write(msgspec.json.encode(did) + b"\n")
                sys.stdout.buffer.flush()
        remove(folder)

    def _done(self, step: _Step) -> Did:
        deadline, late = time.monotonic() + step.timeout_s, False
        # Files, because what stays in the background would keep a pipe open.
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
            process = psutil.Popen(step.command, stdin=subprocess.DEVNULL, stdout=out, stderr=errors)
            while True:
                try:
                    code = process.wait(_POLL_S)
                except psutil.TimeoutExpired:
                    late = late or time.monotonic() > deadline
                    if late or self._hurries:
                        _end(process, step)
                else:
                    return Did(None if late else code, _text(out), _text(errors))

    def _hurry(self, *_: object) -> None:
        self._hurries = True


def _end(process: psutil.Popen, step: _Step) -> None:
    """End a step. A build that is ended itself leaves containers; if a command in it is, it fails, and leaves none."""
    with contextlib.suppress(psutil.Error):
        if "build" in step.command:
            for command in (one for runtime in process.children() for one in runtime.children(recursive=True)):
                command.kill()
        else:
            process.terminate()


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")


if __name__ == "__main__":
    try:
        _Maker().make(Path(sys.argv[1]))
    except ClusterError as error:
        sys.exit(str(error))
