"""A host of a test cluster: a set of namespaces, held by one process; a container is one, too."""

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

NETWORK = "eth0"  # what each host calls its end of the wire
NAMESPACES = ("net", "uts", "ipc", "mount")
PIDS = "pid"  # the namespace of processes, which only a container has
TIME = "time"  # the namespace of clocks, for hosts whose clock differs from this machine's
_CONGESTION_CONTROL = "/proc/sys/net/ipv4/tcp_congestion_control"  # of the network whose process looks
_STARTED = 19  # the place of the start time in /proc/PID/stat, counted after the name of the program: proc(5)


class Traffic(NamedTuple):
    """What a wire has carried from a host to the switch, and back."""

    sent_packets: int
    sent_bytes: int
    received_packets: int
    received_bytes: int


class Host(msgspec.Struct, frozen=True, kw_only=True):
    """One host."""

    name: str  # what it is called by itself and by the others
    address: str = ""  # in the network of the cluster; the switch has none
    holder: int  # process id of what holds its namespaces
    started: int  # when the holder began, in ticks since the machine did; no later process with its number has the same
    spaces: tuple[str, ...] = NAMESPACES  # the kinds of namespaces that it doesn't share
    ahead_s: int = 0  # how far its monotonic clock is ahead of this machine's, in seconds

    def command(self, command: Sequence[str], folder: Path | None = None) -> list[str]:
        """The command line that runs a command on this host, in a folder."""
        inside = ["sh", "-c", 'cd "$0" && exec "$@"', str(folder or "/"), *command]
        return ["nsenter", f"--target={self.holder}", *(f"--{name}" for name in self.spaces), "--", *inside]

    def ip(self, words: str) -> str:
        """What iproute2's ip says in its network; nothing if the kernel refuses, or the host is gone."""
        command = ["nsenter", f"--target={self.holder}", "--net", "ip", *words.split()]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout

    def congestion_control(self) -> str | None:
        """The algorithm by which its TCP controls congestion to other hosts; None if the host is gone."""
        if found := re.search(r" congctl (\S+)", self.ip(f"route show dev {NETWORK}")):
            return found[1]
        asked = subprocess.run(self.command(["cat", _CONGESTION_CONTROL]), capture_output=True, text=True, check=False)
        return asked.stdout.strip() or None

    def is_there(self) -> bool:
        """Whether the process that holds the host is still the one that began with it."""
        return started(self.holder) == self.started

    def sees(self, path: Path) -> bool:
        """Whether a file or folder of this machine is, or if it is missing would be, the same one on the host."""
        real = path.resolve()
        there = next(part for part in (real, *real.parents) if part.exists())
        try:
            return there.samefile(f"/proc/{self.holder}/root{there}")
        except (FileNotFoundError, NotADirectoryError, ProcessLookupError):
            return False

    def is_connected(self) -> bool:
        """Whether the wire carries anything, as far as root sees: both of its ends are up."""
        state = Path(f"/proc/{self.holder}/root/sys/class/net/{NETWORK}/operstate")
        try:
            return state.read_text(encoding="ascii") == "up\n"
        except (FileNotFoundError, ProcessLookupError):
            return False

    def traffic(self) -> Traffic | None:
        """What its wire has carried since it was made; None if the host is gone."""
        try:
            lines = Path(f"/proc/{self.holder}/net/dev").read_text(encoding="ascii").splitlines()
        except OSError:
            return None
        for line in lines:
            name, _, figures = line.partition(":")
            if name.strip() == NETWORK:
                numbers = [int(figure) for figure in figures.split()]
                return Traffic(numbers[9], numbers[8], numbers[1], numbers[0])
        return None


def started(process: int) -> int | None:
    """When a process began, in ticks since the machine did; None if there is none of this number."""
    try:
        words = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
    return int(words[_STARTED]) if words[0] not in "ZX" else None  # what has ended and is still listed holds nothing
