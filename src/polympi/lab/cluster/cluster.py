"""What a test cluster is: its hosts, the switch, and all that runs on them."""

import contextlib
import os
import stat
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import psutil

from polympi.lab.cluster.host import Host, Traffic
from polympi.lab.cluster.hostfile import hostfile_text
from polympi.lab.errors import LabError, UsageError
from polympi.lab.session_folders import remove_session_folders

PATIENCE_S = 20.0  # for processes that were killed to be gone, and for a host to come up; a loaded machine is slow
FEWEST, MOST = 2, 64  # hosts; all ranks share the processors of one machine
FAMILIES = ("mpich", "openmpi")  # of launchers, which differ in their host files; Intel's takes those of MPICH
_POLL_S = 0.02  # between two looks at what was killed
_LINE_BYTES = 4096  # of a table of hosts that are read to find its first line


class ClusterError(LabError):
    """A cluster cannot be made here, is broken, or cannot be removed."""


def own_pid_namespace() -> str:
    """The namespace in which this process has its id."""
    return str(Path("/proc/self/ns/pid").readlink())


class Cluster(msgspec.Struct, frozen=True, kw_only=True):
    """A cluster that is up."""

    name: str  # what the user calls it
    folder: str  # where its files are: the table of its hosts, host files, what launchers call instead of ssh
    hosts: list[Host]  # the hosts; launchers are started on the first
    switch: Host | None = None  # what holds the switch; None where the machine itself does
    rate: str | None = None  # what each wire carries each way, as `tc` writes it; None for no limit
    slots: int = 1  # ranks on each host in the host files
    since: str = ""  # when it was made, in UTC (ISO 8601)
    slurm: bool = False  # whether Slurm runs on it
    image: str | None = None  # of the containers that its hosts are; None if they are namespaces
    # Where the processes that hold it have the ids that are recorded.
    pid_namespace: str = msgspec.field(default_factory=own_pid_namespace)

    @property
    def first(self) -> Host:
        """The host on which launchers are started."""
        return self.hosts[0]

    @property
    def agent(self) -> Path:
        """What launchers call instead of ssh."""
        return Path(self.folder) / "instead-of-ssh"

    def hostfile(self, family: str) -> Path:
        """The host file that was written for launchers of a family."""
        return Path(self.folder) / f"hosts.{'openmpi' if family == 'openmpi' else 'mpich'}"

    def write_hostfiles(self) -> None:
        """Write the host files."""
        slots = {host.name: self.slots for host in self.hosts}
        for family in FAMILIES:
            self.hostfile(family).write_text(hostfile_text(family, slots), encoding="ascii")

    def launch_command(self, family: str, command: Sequence[str], folder: Path) -> list[str]:
        """The command line that runs a launcher on the first host, able to reach the others."""
        variables = [f"{name}={value}" for name, value in self.variables(family).items()]
        return self.first.command(["env", *variables, *command], folder)

    def variables(self, family: str) -> dict[str, str]:
        """Variables for the launcher; Open MPI would bind the first rank of each host to the same, first processor."""
        agent = str(self.agent)
        if family == "openmpi":
            return {
                "PRTE_MCA_plm_ssh_agent": agent,
                "PRTE_MCA_hwloc_default_binding_policy": "none",
                "OMPI_MCA_plm_rsh_agent": agent,  # these two are the names of Open MPI 4
                "OMPI_MCA_hwloc_base_binding_policy": "none",
            }
        if family == "impi":
            return {"I_MPI_HYDRA_BOOTSTRAP": "ssh", "I_MPI_HYDRA_BOOTSTRAP_EXEC": agent}
        return {"HYDRA_LAUNCHER": "ssh", "HYDRA_LAUNCHER_EXEC": agent}

    def what_is_lost(self) -> str | None:
        """The middle of a sentence about the first host that cannot be reached any more, as root sees it, or None."""
        if gone := self.what_is_gone():
            return gone
        for host in self.hosts:
            if not host.is_connected():
                return f"{host.name} cannot be reached: its network is down"
        return None

    def what_is_gone(self) -> str | None:
        """The same about the first host that is not there any more, whatever its network does."""
        for host in self._held():
            if not host.is_there():
                return f"{host.name} is gone: the process that held it has ended"
        return None

    def metadata(self) -> dict[str, Any]:
        """What the record of a run says of the cluster."""
        return {
            "name": self.name,
            "hosts": [host.name for host in self.hosts],
            "rate": self.rate,
            "image": self.image,
            "since": self.since,
            "tcp_congestion_control": self.hosts[0].congestion_control(),
        }

    def traffic(self) -> dict[str, Traffic]:
        """What the wire of each host has carried, by the names of the hosts that are there."""
        return {host.name: traffic for host in self.hosts if (traffic := host.traffic())}

    def processes(self) -> list[psutil.Process]:
        """All that runs on the hosts, apart from what holds them."""
        holders = {host.holder for host in self._held()}
        for holder in tuple(holders):
            with contextlib.suppress(psutil.Error):
                holders.add(psutil.Process(holder).ppid())
        return [found for found in processes_of(Path(self.folder)) if found.pid not in holders]

    def _held(self) -> list[Host]:
        return [*([self.switch] if self.switch else []), *self.hosts]


class Made(NamedTuple):
    """A cluster that ends with the block it is made for, unless it is to stay."""

    cluster: Cluster
    stay: Callable[[], None]  # lets it stay when the block ends, and this process too


def check_number(hosts: int) -> None:
    """Check that a cluster can have this many hosts."""
    if not FEWEST <= hosts <= MOST:
        raise UsageError(f"A cluster has {FEWEST} to {MOST} hosts, and not {hosts}.")


def sent_since(before: Mapping[str, Traffic], now: Mapping[str, Traffic]) -> dict[str, int]:
    """Bytes that each host sent over its wire from one moment to another."""
    return {name: now[name].sent_bytes - earlier.sent_bytes for name, earlier in before.items() if name in now}


def mark(folder: Path) -> str:
    """The first line of ``/etc/hosts`` on the hosts of the cluster in a folder, and nowhere else.

    By it all is found that belongs to a cluster, whatever else is known of it: each process sees the table of its host.
    """
    return f"# hosts of the polympi cluster in {folder}"


def processes_of(folder: Path) -> list[psutil.Process]:
    """All processes on the hosts of the cluster in a folder, those included that hold the hosts."""
    wanted = os.fsencode(mark(folder))
    return [found for found in psutil.process_iter() if _first_line(f"/proc/{found.pid}/root/etc/hosts") == wanted]


def end_processes(folder: Path) -> None:
    """End all that runs on the hosts of the cluster in a folder, and so the hosts."""
    deadline = time.monotonic() + PATIENCE_S
    ended: set[int] = set()
    # What was just about to start another process is met in the next round; what has ended is not met any more, whether
    # its parent knows that or not.
    while running := processes_of(folder):
        for process in running:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
                ended.add(process.pid)
        if time.monotonic() > deadline:
            break
        time.sleep(_POLL_S)
    else:
        remove_session_folders(ended, os.environ)
        return
    raise ClusterError(
        f"Processes on the hosts of the cluster in '{folder}' cannot be ended (the first is {running[0].pid}): see "
        "what they wait for with 'ps', and try again."
    )


def _first_line(path: str) -> bytes | None:
    """The first line of a file, which may be anything: other processes may have other roots."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        return os.read(descriptor, _LINE_BYTES).partition(b"\n")[0]
    except OSError:
        return None
    finally:
        os.close(descriptor)
