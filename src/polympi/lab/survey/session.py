"""Conversations with probes on hosts, in which every question has a time-out; which host no longer answers."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from polympi.lab.errors import system_reason
from polympi.lab.survey import probe
from polympi.lab.survey.clocks import Exchange
from polympi.lab.survey.reach import HostLost, Reach, short_name

START_S = 30.0  # for a login and an interpreter; on a busy host with a network drive it takes seconds
ANSWER_S = 20.0  # for an answer; a host that is busy needs a second
_END_S = 2.0  # for the probe to see that nobody asks any more
_CHUNK = 1 << 16
_SAID = 300  # characters of what a host wrote that go into a sentence

# The first Python that is there reads this many bytes of source and runs them.
_LOADER = (
    "import sys; v = sys.version_info[:2]; v >= (3, 7) or sys.exit('its Python %d.%d is too old' % v); "
    "exec(sys.stdin.buffer.read({}))"
)
_BOOT = (
    'code=$1; shift; for python do if command -v "$python" >/dev/null 2>&1; then exec "$python" -u -c "$code"; fi; '
    'done; echo "it has no Python" >&2; exit 127'
)


class Session:
    """The probe on a host, from the start to the end of the block."""

    def __init__(self, host: str, reach: Reach, pythons: Sequence[str] = (sys.executable, "python3")) -> None:
        self.host = host
        source = Path(probe.__file__).read_bytes()
        boot = ["sh", "-c", _BOOT, "sh", _LOADER.format(len(source)), *pythons]
        self._buffer = b""
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the session)
        try:
            self._process = subprocess.Popen(
                reach(host, boot),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                start_new_session=True,
            )
        except OSError as error:
            self._errors.close()
            raise HostLost(f"cannot be reached: {system_reason(error)}") from error
        self._source = source

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def begin(self, timeout_s: float = ANSWER_S) -> None:
        """Send the probe, and wait for it to be there; HostLost if it does not come up."""
        deadline = time.monotonic() + timeout_s
        self._send(self._source)
        self._answer(deadline, f"did not answer within {timeout_s:.0f} s")

    def ask(self, what: str, timeout_s: float = ANSWER_S, /, **arguments: Any) -> dict[str, Any]:
        """Ask the probe for one of its functions, by its name; HostLost if no answer comes."""
        deadline = time.monotonic() + timeout_s
        self._send(json.dumps({"do": what, **arguments}).encode() + b"\n")
        answer: dict[str, Any] = self._answer(deadline, f"gave no answer within {timeout_s:.0f} s (asked for: {what})")
        return answer

    def exchange(self, timeout_s: float = ANSWER_S) -> Exchange:
        """One round trip, in which the host reads its clocks; HostLost if no answer comes."""
        deadline = time.monotonic() + timeout_s
        sent = time.monotonic_ns()
        self._send(probe.CLOCKS.encode() + b"\n")
        monotonic, of_day = self._answer(deadline, f"gave no answer within {timeout_s:.0f} s (asked for its clocks)")
        returned, now = time.monotonic_ns(), time.time_ns()
        return Exchange(sent, returned, monotonic, of_day - (now - returned))

    def close(self) -> None:
        """Let the probe end, and see that it does, with all that was started to reach it."""
        with contextlib.suppress(OSError):
            if self._process.stdin:
                self._process.stdin.close()
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)  # its own session: all that was started to reach the host
            self._process.wait()
        if self._process.stdout:
            self._process.stdout.close()
        self._errors.close()

    def _send(self, data: bytes) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(data)
            self._process.stdin.flush()
        except OSError as error:  # the other end is gone
            raise HostLost(self._why_it_ended()) from error

    def _answer(self, deadline: float, otherwise: str) -> Any:
        mark = probe.MARK.encode()
        while True:
            line, newline, rest = self._buffer.partition(b"\n")
            if newline:
                self._buffer = rest
                if line.startswith(mark):  # what a login prints has no mark
                    return json.loads(line[len(mark) :])
                continue
            self._read(deadline, otherwise)

    def _read(self, deadline: float, otherwise: str) -> None:
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([descriptor], [], [], left)[0]:
            raise HostLost(otherwise)
        data = os.read(descriptor, _CHUNK)
        if not data:
            raise HostLost(self._why_it_ended())
        self._buffer += data

    def _why_it_ended(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_S)
        self._errors.seek(0)
        lines = [line.strip() for line in self._errors.read().decode(errors="replace").splitlines() if line.strip()]
        said = f": '{lines[-1][:_SAID]}'" if lines else ""
        return f"cannot be reached{said}" if said else f"ended the connection (code {self._process.returncode})"


ANSWERS_S = 20.0  # srun gives up a host that is gone after 12 s, and says so


def what_is_lost(names: Sequence[str], reach: Reach, timeout_s: float = ANSWERS_S) -> str | None:
    """The middle of a sentence about the first of several hosts that does not answer, although others do; or None.

    Where none answers, it is the way to reach them that does not work, which says nothing about the hosts. This host is
    there, whether it can be reached from itself or not. All are asked at once.
    """

    def silence(name: str) -> str:
        try:
            with Session(name, reach) as session:
                session.begin(timeout_s)
        except HostLost as lost:
            return str(lost)
        return ""

    with ThreadPoolExecutor(max(1, len(names))) as pool:
        said = dict(zip(names, pool.map(silence, names), strict=True))
    here = short_name(socket.gethostname())
    lost = [f"{name} {why}" for name, why in said.items() if why and short_name(name) != here]
    return lost[0] if lost and not all(said.values()) else None
