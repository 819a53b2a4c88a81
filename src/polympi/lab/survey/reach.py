"""How to run something on a host, and names of hosts that cannot be resolved."""

import os
import shlex
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from polympi.lab.cluster.cluster import Cluster
from polympi.lab.errors import UsageError

CONNECT_S = 10  # for ssh to connect; a host of a local network answers in milliseconds
Reach = Callable[[str, Sequence[str]], list[str]]


class HostLost(Exception):  # noqa: N818 (it says what happened)
    """A host does not answer, or not any more; the text is the end of a sentence that begins with its name."""


def way_to(cluster: Cluster | None, ssh: str | None, variables: Mapping[str, str] | None = None) -> Reach:
    """What makes of a host and a command the command line that runs it there; `ssh` may replace ssh."""
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


SSH_S = 10.0  # for ssh to read its configuration
NAMES_ADVICE = "Correct the name, or write its address into /etc/hosts of each host or into the name service."


def unresolved(hosts: Iterable[str], variables: Mapping[str, str] | None = None) -> dict[str, str]:
    """The hosts whose names cannot be resolved here, and what the system says of each; names are as in a host file.

    A name that the configuration of ssh maps to another one counts as that, and one that is resolved behind a jump host
    or a proxy isn't looked at, nor are those in a Slurm job, which has its own addresses.
    """
    if "SLURM_JOB_ID" in (os.environ if variables is None else variables):
        return {}
    here = short_name(socket.gethostname())
    wanted = [host for host in hosts if short_name(host) != here]
    with ThreadPoolExecutor(max(1, len(wanted))) as pool:  # an unreachable name service takes seconds for each
        found = dict(zip(wanted, pool.map(_why_not, wanted), strict=True))
    return {host: why for host, why in found.items() if why is not None}


def _why_not(host: str) -> str | None:
    name = host.rpartition("@")[2]
    why = _resolver_error(name)
    if why is None:
        return None
    configured = _ssh_configuration(host)
    if not {"proxyjump", "proxycommand"}.isdisjoint(configured):
        return None
    mapped = configured.get("hostname", name)
    return why if mapped == name else _resolver_error(mapped)


def _resolver_error(name: str) -> str | None:
    try:
        socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    except OSError as error:
        return error.strerror or str(error)
    except UnicodeError:  # a label of more than 63 characters, or an empty one
        return "it isn't a valid host name"
    return None


def _ssh_configuration(host: str) -> dict[str, str]:
    """What ssh would use for a host; nothing where it isn't installed or refuses."""
    if shutil.which("ssh") is None:
        return {}
    try:
        said = subprocess.run(["ssh", "-G", host], capture_output=True, text=True, timeout=SSH_S, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return {}
    pairs = (line.partition(" ") for line in said.splitlines())
    return {key: value for key, _, value in pairs if value != "none"}
