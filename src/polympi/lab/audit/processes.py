"""What the processes of ranks do, by /proc of this host."""

from __future__ import annotations

import contextlib
import os
import platform
import socket
import time
from pathlib import Path

from polympi.lab.audit.standing import Activity, Process

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
# System calls that wait for data of a file, pipe or socket, by their numbers on each kind of processor
# (<asm/unistd.h>); the first argument of all but openat is a descriptor.
_READS = {
    "x86_64": {0: "read", 17: "pread64", 19: "readv", 257: "openat", 2: "open", 47: "recvmsg", 45: "recvfrom"},
    "aarch64": {63: "read", 67: "pread64", 65: "readv", 56: "openat", 212: "recvmsg", 207: "recvfrom"},
}
_SOON_S = 0.2  # some systems count processor time in hundredths of a second
_OPENS = ("open", "openat")


class Processes:
    """Looks at processes, and remembers what each had used the last time: of a processor, and its polls."""

    def __init__(self) -> None:
        """Begin without having seen any."""
        self._host = socket.gethostname()
        self._used: dict[tuple[str, str, int], tuple[float, float]] = {}
        self._shares: dict[tuple[str, str, int], float] = {}

    def is_here(self, host: str) -> bool:
        """Whether a host is this one."""
        return host.split(".", 1)[0] == self._host.split(".", 1)[0]

    def look(self, host: str, pid: int, thread: int) -> Process:
        """The process of a rank now."""
        if not self.is_here(host):
            return Process(host, pid)
        folder = Path(f"/proc/{pid}")
        try:
            state, used = _state(folder), _used(folder)
        except (OSError, ValueError):
            return Process(host, pid, Activity.GONE)
        busy = self._share(("processor", host, pid), used)
        if state in "ZX":
            return Process(host, pid, Activity.GONE)
        if state in "Tt":
            return Process(host, pid, Activity.STOPPED, busy)
        activity, doing = _in_call(pid, thread or pid)
        return Process(host, pid, activity, busy, doing)

    def polls(self, host: str, pid: int, count: int) -> float | None:
        """The polls per second since the last look, of a rank that has made `count` by now; None at the first look."""
        return self._share(("polls", host, pid), count)

    def _share(self, key: tuple[str, str, int], used: float) -> float | None:
        """What was used since the last look per second; a look soon after another one says what that one said."""
        now = time.monotonic()
        before = self._used.get(key)
        if before is not None and now - before[0] < _SOON_S:
            return self._shares.get(key)
        self._used[key] = now, used
        if before is None:
            return None
        self._shares[key] = (used - before[1]) / (now - before[0])
        return self._shares[key]


def _stat(folder: Path) -> list[str]:
    """What the system tells of a process or thread, from its state on (proc(5), stat)."""
    return (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()


def _state(folder: Path) -> str:
    """The state of a process or thread, a letter."""
    return _stat(folder)[0]


def _used(folder: Path) -> float:
    """The processor seconds of a process: of its threads in nanoseconds, where the system counts them."""
    exact = list[int]()
    for thread in folder.glob("task/*/schedstat"):
        with contextlib.suppress(OSError):  # it has ended
            exact.append(int(thread.read_text().split()[0]))
    if any(exact):
        return sum(exact) / 1e9
    fields = _stat(folder)
    return (int(fields[11]) + int(fields[12])) / _TICKS_PER_S


def _in_call(pid: int, thread: int) -> tuple[Activity, str]:
    """Whether a thread runs, sleeps, or waits for data; the system tells its call to the same user only."""
    folder = Path(f"/proc/{pid}/task/{thread}")
    try:
        state = _state(folder)
    except (OSError, ValueError):
        return Activity.RUNNING, ""
    if state == "R":
        return Activity.RUNNING, ""
    try:
        words = (folder / "syscall").read_text().split()
        name = _READS.get(platform.machine(), {}).get(int(words[0]))
        if name is None:
            return Activity.ASLEEP, ""
        if name in _OPENS:
            return Activity.READING, "open of a file"
        return Activity.READING, f"{name} of {_target(pid, int(words[1], 16))}"
    except (OSError, ValueError, IndexError):
        return Activity.ASLEEP, ""


def _target(pid: int, descriptor: int) -> str:
    try:
        return str(Path(f"/proc/{pid}/fd/{descriptor}").readlink())
    except OSError:
        return f"descriptor {descriptor}"
