"""Several hosts on one machine, for ranks that share neither memory, nor a host name, nor (if asked for) a clock.

They are a test cluster, as ``polympi cluster up`` makes one, which ends with the tests: whatever way those end, SIGKILL
included, nothing is left of it, and nothing has a name on the machine that tests which run beside these could meet.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from polympi.lab.cluster.cluster import PATIENCE_S, Cluster, ClusterError
from polympi.lab.cluster.host import Host
from polympi.lab.cluster.hostfile import hostfile_text
from polympi.lab.cluster.namespaces import made_cluster
from polympi.lab.session_folders import remove_session_folders

NAMES = ("hosta", "hostb", "hostc", "hostd")
HOSTS = int(os.environ.get("POLYMPI_TEST_HOSTS", "1"))  # that all programs run on


def codes_of_failure(code: int, family: str) -> set[int]:
    """What the launcher may end with where one rank ends with a code, and others wait for it.

    On several hosts, a rank of Open MPI may see that the connection is lost before the launcher sees the code, and ends
    the job with 14.
    """
    return {code, 14} if HOSTS > 1 and family == "openmpi" else {code}


@dataclass(frozen=True)
class Hosts:
    """Hosts with a network between them.

    Attributes:
        cluster: the cluster that they are.
    """

    cluster: Cluster

    @property
    def first(self) -> Host:
        """The one where launchers are started."""
        return self.cluster.hosts[0]

    @property
    def second(self) -> Host:
        """The next one."""
        return self.cluster.hosts[1]

    @property
    def ahead_s(self) -> int:
        """How far the monotonic clock of the second is ahead of that of the first."""
        return self.second.ahead_s - self.first.ahead_s

    def hostfile(self, family: str, each: int, *, backwards: bool = False) -> Path:
        """A host file for launchers of a family, with `each` ranks on each host; rank 0 is on the first, or last."""
        path = Path(self.cluster.folder) / f"{family}-{each}{'-backwards' * backwards}.hosts"
        names = [host.name for host in self.cluster.hosts][:: -1 if backwards else 1]
        path.write_text(hostfile_text(family, dict.fromkeys(names, each)), encoding="ascii")
        return path

    def processes_left(self) -> list[psutil.Process]:
        """What still runs on any host when all had time to end."""
        _, left = psutil.wait_procs(self.cluster.processes(), timeout=PATIENCE_S)
        return [process for process in left if process.status() != psutil.STATUS_ZOMBIE]

    def end_processes(self) -> None:
        """End all that runs on any host; the hosts stay."""
        running = self.cluster.processes()
        for process in running:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        psutil.wait_procs(running, timeout=PATIENCE_S)
        remove_session_folders([process.pid for process in running], os.environ)


@contextlib.contextmanager
def several_hosts(folder: Path, number: int = 2, ahead_s: int = 0) -> Iterator[Hosts]:
    """Hosts, which end with the block, and all that runs on them.

    Args:
        folder: an empty one, for files of theirs.
        number: how many, at most four.
        ahead_s: how far the monotonic clock of the second host is ahead of that of the first, which is this machine's.

    Raises:
        ClusterError: they cannot be made.
    """
    with made_cluster(NAMES[:number], folder, ahead_s={NAMES[1]: ahead_s}) as made:
        yield Hosts(made.cluster)


def hosts_or_skip(folder: Path, number: int = 2, ahead_s: int = 0) -> Iterator[Hosts]:
    """Several hosts (see `several_hosts`); where they cannot be made, the test that needs them is skipped."""
    with contextlib.ExitStack() as held:
        try:
            hosts = held.enter_context(several_hosts(folder, number, ahead_s))
        except ClusterError as reason:
            pytest.skip(f"{reason}")
        yield hosts
