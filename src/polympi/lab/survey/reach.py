"""How a command is started on a host: by the cluster's own means, by ``srun`` in a job of Slurm, or by ssh."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Callable, Mapping, Sequence

from polympi.lab.cluster.cluster import Cluster
from polympi.lab.errors import UsageError

CONNECT_S = 10  # for ssh to connect; a host of a local network answers in milliseconds
Reach = Callable[[str, Sequence[str]], list[str]]


class HostLost(Exception):  # noqa: N818 (it says what happened)
    """A host does not answer, or not any more; the text is the end of a sentence that begins with its name."""


def way_to(cluster: Cluster | None, ssh: str | None, variables: Mapping[str, str] | None = None) -> Reach:
    """What makes of a host and a command the command line that runs it there.

    Args:
        cluster: the test cluster that the hosts belong to; None for other hosts.
        ssh: what to call instead of ssh, with options if need be; the host and the command come behind it. None for
            the usual way.
        variables: environment variables; this process's by default.

    Raises:
        UsageError: there is no such command.
    """
    variables = os.environ if variables is None else variables
    if cluster is not None and ssh is None:
        return lambda host, command: _on_cluster(cluster, host, command)
    if ssh is None and "SLURM_JOB_ID" in variables and shutil.which("srun"):
        return lambda host, command: [*_srun(host), *command]
    words = shlex.split(ssh) if ssh else ["ssh", "-oBatchMode=yes", f"-oConnectTimeout={CONNECT_S}"]
    if not words or shutil.which(words[0]) is None:
        name = words[0] if words else ""
        raise UsageError(
            f"Hosts are reached by the command '{name}', which is not installed: on Debian and Ubuntu sudo apt install "
            "openssh-client, or name another command with --ssh."
        )
    return lambda host, command: [*words, host, shlex.join(command)]


def short_name(host: str) -> str:
    """The name of a host without its domain."""
    return host.partition(".")[0].lower()


def _on_cluster(cluster: Cluster, name: str, command: Sequence[str]) -> list[str]:
    host = next(one for one in cluster.hosts if one.name == name)
    if not host.is_there():
        raise HostLost("is gone: the process that held it has ended")
    return host.command(command)


def _srun(host: str) -> list[str]:
    """A step that runs next to others of the same job, and may use all of the job's resources."""
    return ["srun", "--overlap", "--nodes=1", "--ntasks=1", f"--nodelist={host}", "--unbuffered", "--mpi=none"]
