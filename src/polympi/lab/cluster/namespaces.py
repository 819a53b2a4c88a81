"""Making hosts of namespaces, such that nothing is left behind, however this process ends.

A host is a set of namespaces (network, host name, IPC, mounts), held by one process that waits for its standard input.
That is a pipe from us: if we end before we say that the host stays, even by SIGKILL, the holder ends all that runs
on the host and itself, and the kernel removes the network. The switch is held in the same way. So all networks are in
namespaces of the cluster: none of this machine is touched, and no name and no address can meet one that exists.
"""

import contextlib
import os
import select
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import psutil

from polympi.lab.cluster.agent import write_agent
from polympi.lab.cluster.cluster import PATIENCE_S, Cluster, ClusterError, Made, check_number, mark
from polympi.lab.cluster.host import NAMESPACES, TIME, Host, started
from polympi.lab.cluster.wires import address, connect, read_rate

COMMANDS = {  # what is called, and the package of Debian that has it
    "ip": "iproute2",
    "tc": "iproute2",
    "unshare": "util-linux",
    "nsenter": "util-linux",
    "mount": "mount",
    "mountpoint": "util-linux",
    "hostname": "hostname",
}
_STAY = "stay\n"
_TABLE, _EMPTY = "etc-hosts", "empty"  # in the folder of a cluster

# What a holder does, in its namespaces: $1 is the host's name, $2 the new /etc/hosts, $3 an empty folder. UCX
# looks for networks in /sys, which shows those of the namespace it was mounted in; control groups are mounted below it.
_HOLD = """
set -e
mount --bind "$2" /etc/hosts
hostname "$1"
if [ -d /sys/fs/cgroup ]; then mount --rbind /sys/fs/cgroup "$3"; fi
mount -t sysfs sysfs /sys
if mountpoint -q "$3"; then mount --move "$3" /sys/fs/cgroup; fi
mount -t tmpfs shm /dev/shm
ip link set lo up
echo ready
read -r word || word=
if [ "$word" = stay ]; then
    exec sleep infinity </dev/null >/dev/null 2>&1
fi
for process in /proc/[0-9]*; do
    number=${process#/proc/}
    case $number in $$ | $PPID) continue ;; esac
    if [ "$process/ns/net" -ef /proc/$$/ns/net ]; then
        kill -KILL "$number" 2>/dev/null || true
    fi
done
"""


def why_not() -> str | None:
    """Why a cluster cannot be made here, as far as one can tell without trying, and what to do; None if it can."""
    if os.geteuid() != 0:
        return "Hosts are made of namespaces, which only root can do: call polympi with sudo, or in a shell of root."
    missing = [name for name in COMMANDS if shutil.which(name) is None]
    if missing:
        packages = " ".join(dict.fromkeys(COMMANDS[name] for name in missing))
        return f"Hosts are made with the command '{missing[0]}', which is not installed: apt install {packages}"
    return None


@contextlib.contextmanager
def made_cluster(
    names: Sequence[str],
    folder: Path,
    *,
    name: str = "",
    rate: str | None = None,
    slots: int = 1,
    ahead_s: Mapping[str, int] = {},
    since: str = "",
) -> Iterator[Made]:
    """Make a cluster in an empty folder, which ends with the block unless kept; some clocks may be ahead."""
    check_number(len(names))
    bits = None if rate is None else read_rate(rate)
    if reason := why_not():
        raise ClusterError(reason)
    (folder / _EMPTY).mkdir()
    lines = [mark(folder), "127.0.0.1 localhost", *(f"{address(n)} {host}" for n, host in enumerate(names))]
    (folder / _TABLE).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    with contextlib.ExitStack() as held:
        switch = held.enter_context(_held(f"{name or 'cluster'}-switch", folder, 0))
        holders = [held.enter_context(_held(host, folder, ahead_s.get(host, 0))) for host in names]
        hosts = [holder.host(address(number)) for number, holder in enumerate(holders)]
        held_switch = switch.host()
        cluster = Cluster(
            name=name, folder=str(folder), hosts=hosts, switch=held_switch, rate=rate, slots=slots, since=since
        )
        connect(held_switch, hosts, bits)
        cluster.write_hostfiles()
        write_agent(cluster)

        def stay() -> None:
            for holder in (switch, *holders):
                holder.stay()

        yield Made(cluster, stay)


class _Holder:
    """The process that holds a host, and the pipe to it."""

    def __init__(self, name: str, folder: Path, ahead_s: int) -> None:
        table, empty = folder / _TABLE, folder / _EMPTY
        self._name, self._ahead_s, self._ready, self._stays = name, ahead_s, False, False
        own = [*(f"--{space}" for space in NAMESPACES), *([f"--{TIME}", f"--monotonic={ahead_s}"] if ahead_s else [])]
        # Mounts that come later are seen on the hosts, too, and none is kept from being unmounted.
        command = ["unshare", *own, "--propagation=slave", "--fork", "--kill-child"]
        command += ["sh", "-c", _HOLD, "sh", name, str(table), str(empty)]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, start_new_session=True, cwd="/"
        )

    def wait_until_ready(self) -> None:
        """Wait for the host to be there."""
        said = self._process.stdout
        assert said is not None
        if not select.select([said], [], [], PATIENCE_S)[0]:
            raise ClusterError(
                f"Host {self._name} did not come up within {PATIENCE_S:.0f} s: is the machine overloaded?"
            )
        if said.readline() != "ready\n":
            _, errors = self._process.communicate(timeout=PATIENCE_S)
            raise ClusterError(
                f"Host {self._name} cannot be made here: '{errors.strip()}'. A container needs the right to make "
                "namespaces (SYS_ADMIN and NET_ADMIN)."
            )
        self._ready = True

    def host(self, address: str = "") -> Host:
        """The host that it holds."""
        (holder,) = psutil.Process(self._process.pid).children()
        began = started(holder.pid)
        if began is None:
            raise ClusterError(f"Host {self._name} ended while the cluster was made: something killed it; try again.")
        spaces = (*NAMESPACES, TIME) if self._ahead_s else NAMESPACES
        return Host(
            name=self._name, address=address, holder=holder.pid, started=began, spaces=spaces, ahead_s=self._ahead_s
        )

    def stay(self) -> None:
        """Let the host stay when this process has ended."""
        self._stays = True
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # a host that is gone already; its user gets the error
            self._process.stdin.write(_STAY)
            self._process.stdin.flush()

    def let_go(self) -> None:
        """Release the host, and wait for its end unless it is kept."""
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()
        if self._stays:
            return
        if not self._ready:  # it may wait for anything, and does not look at the pipe yet
            self._process.kill()
        try:
            self._process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


@contextlib.contextmanager
def _held(name: str, folder: Path, ahead_s: int) -> Iterator[_Holder]:
    holder = _Holder(name, folder, ahead_s)
    try:
        holder.wait_until_ready()
        yield holder
    finally:
        holder.let_go()
