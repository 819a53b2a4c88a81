"""Two hosts on one machine, for ranks that share neither memory, nor a host name, nor (if asked for) a clock.

A host is a set of namespaces (network, host name, IPC, mounts, clocks), held by one process that waits for its standard
input to end. That is a pipe from the process of the tests: whatever way those end, SIGKILL included, the holder kills
all that runs on the host and ends, and the kernel removes the network. So nothing is left, and nothing has a name on
the machine that tests which run beside these could meet.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shlex
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import psutil

NAMES = ("hosta", "hostb")
ADDRESSES = ("10.99.0.1", "10.99.0.2")
COMMANDS = ("ip", "unshare", "nsenter", "mount", "hostname")
NAMESPACES = ("net", "uts", "ipc", "mount", "time")
PATIENCE_S = 20

# What the holder does first, in its namespaces: $1 is the host's name, $2 what /etc/hosts shall be. UCX looks for
# networks in /sys, which shows those of the namespace it was mounted in.
BEGIN = """
set -e
hostname "$1"
mount --bind "$2" /etc/hosts
mount -t sysfs sysfs /sys
mount -t tmpfs shm /dev/shm
ip link set lo up
echo ready
cat
for process in /proc/[0-9]*; do
    number=${process#/proc/}
    case $number in $$ | $PPID) continue ;; esac
    if [ "$process/ns/net" -ef /proc/$$/ns/net ]; then
        kill -KILL "$number" 2>/dev/null || true
    fi
done
"""

# In place of ssh, for launchers: options, the host, and the command as a shell reads it. As with ssh, the command gets
# none of the variables of the launcher.
INSTEAD_OF_SSH = """#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
host=$1
shift
case $host in
%s
*) echo "there is no host '$host'" >&2; exit 255 ;;
esac
"""


class NoHostsError(Exception):
    """Hosts cannot be made here; the text says why."""


class Traffic(NamedTuple):
    """What a network has carried one way."""

    packets: int
    nbytes: int


@dataclass(frozen=True)
class Host:
    """One of the hosts.

    Attributes:
        name: what its ranks call it.
        holder: process id of what holds its namespaces.
    """

    name: str
    holder: int

    def command(self, command: Sequence[str], folder: Path | None = None) -> list[str]:
        """The command line that runs a command on this host, in a folder."""
        inside = ["sh", "-c", 'cd "$0" && exec "$@"', str(folder or "/"), *command]
        return ["nsenter", f"--target={self.holder}", *(f"--{name}" for name in NAMESPACES), "--", *inside]

    def sent(self) -> Traffic:
        """What has left this host for the other."""
        for line in Path(f"/proc/{self.holder}/net/dev").read_text(encoding="ascii").splitlines():
            name, _, figures = line.partition(":")
            if name.strip() == "eth0":
                nbytes, packets = figures.split()[8:10]
                return Traffic(int(packets), int(nbytes))
        raise AssertionError(f"{self.name} has no network")

    def processes(self) -> list[psutil.Process]:
        """All that runs on this host, apart from its holder."""
        mine, holders = (
            Path(f"/proc/{self.holder}/ns/net").readlink(),
            (self.holder, psutil.Process(self.holder).ppid()),
        )
        found = []
        for process in psutil.process_iter():
            with contextlib.suppress(OSError, psutil.Error):
                network = Path(f"/proc/{process.pid}/ns/net").readlink()
                if network == mine and process.pid not in holders and process.ppid() != self.holder:
                    found.append(process)
        return found


@dataclass(frozen=True)
class Hosts:
    """Two hosts with a network between them.

    Attributes:
        first: the one where launchers are started.
        second: the other.
        ahead_s: how far the monotonic clock of the second is ahead of that of the first.
        instead_of_ssh: path of what launchers shall call in place of ssh.
        folder: for files of their own.
    """

    first: Host
    second: Host
    ahead_s: int
    instead_of_ssh: Path
    folder: Path

    def hostfile(self, family: str, each: int) -> Path:
        """A host file for launchers of a family, with so many ranks on each host."""
        line = "{} slots={}\n" if family == "openmpi" else "{}:{}\n"
        path = self.folder / f"{family}-{each}.hosts"
        path.write_text("".join(line.format(host.name, each) for host in (self.first, self.second)), encoding="ascii")
        return path

    def variables(self) -> dict[str, str]:
        """What launchers need in their environment to reach the second host.

        Open MPI would bind the first rank of each host to the first processor, which here is the same one.
        """
        return {
            "HYDRA_LAUNCHER": "ssh",
            "HYDRA_LAUNCHER_EXEC": str(self.instead_of_ssh),
            "PRTE_MCA_plm_ssh_agent": str(self.instead_of_ssh),
            "PRTE_MCA_hwloc_default_binding_policy": "none",
        }

    def mpiexec(self, mpiexec: str) -> str:
        """A launcher that runs on the first host, whoever calls it; for what wants to know where a launcher is."""
        command = shlex.join(self.first.command([mpiexec], Path("FOLDER"))).replace("FOLDER", '"$PWD"')
        path = self.folder / f"{hashlib.sha256(mpiexec.encode()).hexdigest()[:8]}-mpiexec"
        exports = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in self.variables().items())
        _write_script(path, f'#!/bin/sh\n{exports}exec {command} "$@"\n')
        return str(path)

    def processes(self) -> list[psutil.Process]:
        """All that runs on either host."""
        return [*self.first.processes(), *self.second.processes()]

    def processes_left(self) -> list[psutil.Process]:
        """What still runs on either host when all had time to end."""
        _, left = psutil.wait_procs(self.processes(), timeout=PATIENCE_S)
        return [process for process in left if process.status() != psutil.STATUS_ZOMBIE]

    def end_processes(self) -> None:
        """End all that runs on either host."""
        running = self.processes()
        for process in running:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        psutil.wait_procs(running, timeout=PATIENCE_S)


def why_not() -> str | None:
    """Why hosts cannot be made here, as far as one can tell without trying; None if they can."""
    if os.geteuid() != 0:
        return "hosts are made of namespaces, which needs root"
    missing = [command for command in COMMANDS if shutil.which(command) is None]
    return f"hosts are made of namespaces by {', '.join(missing)}, not installed here" if missing else None


@contextlib.contextmanager
def two_hosts(folder: Path, ahead_s: int = 0) -> Iterator[Hosts]:
    """Two hosts, which end with the block, and all that runs on them.

    Args:
        folder: an empty one, for files of theirs.
        ahead_s: how far the monotonic clock of the second host is ahead of that of the first, which is this machine's.

    Raises:
        NoHostsError: they cannot be made.
    """
    if reason := why_not():
        raise NoHostsError(reason)
    table = folder / "etc-hosts"
    lines = ["127.0.0.1 localhost", *map(" ".join, zip(ADDRESSES, NAMES, strict=True))]
    table.write_text("".join(f"{line}\n" for line in lines), encoding="ascii")
    with contextlib.ExitStack() as held:
        first = held.enter_context(_host(NAMES[0], table, 0))
        second = held.enter_context(_host(NAMES[1], table, ahead_s))
        _connect(first, second)
        yield Hosts(first, second, ahead_s, _instead_of_ssh(folder, (first, second)), folder)


@contextlib.contextmanager
def _host(name: str, table: Path, ahead_s: int) -> Iterator[Host]:
    own = ["--net", "--uts", "--ipc", "--mount", "--time", f"--monotonic={ahead_s}"]
    command = ["unshare", *own, "--fork", "--kill-child", "sh", "-c", BEGIN, "sh", name, str(table)]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, start_new_session=True)
    assert process.stdin
    assert process.stdout
    assert process.stderr
    with process:
        if process.stdout.readline() != "ready\n":
            process.stdin.close()
            raise NoHostsError(f"a host cannot be made here: {process.stderr.read().strip()}")
        (holder,) = psutil.Process(process.pid).children()
        yield Host(name, holder.pid)
        process.stdin.close()
        process.wait(PATIENCE_S)


def _connect(first: Host, second: Host) -> None:
    """Joins the hosts by a cable, an end of which is the network `eth0` of each."""
    ends = (first, second)
    _ip(first, f"link add eth0 type veth peer name eth0 netns {second.holder}")
    for host, address in zip(ends, ADDRESSES, strict=True):
        _ip(host, f"addr add {address}/24 dev eth0")
        _ip(host, "link set eth0 up")
    # The kernel says up to a second later that they are; UCX looks at that.
    states = [Path(f"/proc/{host.holder}/root/sys/class/net/eth0/operstate") for host in ends]
    deadline = time.monotonic() + PATIENCE_S
    while any(state.read_text(encoding="ascii") != "up\n" for state in states):
        if time.monotonic() > deadline:
            raise NoHostsError("the network between the hosts does not come up")
        time.sleep(0.01)


def _ip(host: Host, arguments: str) -> None:
    command = ["nsenter", f"--target={host.holder}", "--net", "ip", *arguments.split()]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NoHostsError(f"a network between hosts cannot be made here: {done.stderr.strip()}")


def _instead_of_ssh(folder: Path, hosts: Sequence[Host]) -> Path:
    path = folder / "instead-of-ssh"
    clean = ["env", "-i", "PATH=/usr/local/bin:/usr/bin:/bin", f"HOME={Path.home()}"]
    cases = [f'{host.name}) exec {shlex.join([*host.command([*clean, "sh", "-c"])])} "$*" ;;' for host in hosts]
    _write_script(path, INSTEAD_OF_SSH % "\n".join(cases))
    return path


def _write_script(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
