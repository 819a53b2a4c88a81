"""Host names that nothing can resolve: seen before a launcher or ssh fails in its own words."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor

from polympi.lab.survey.reach import short_name

SSH_S = 10.0  # for ssh to read its configuration
NAMES_ADVICE = "Correct the name, or write its address into /etc/hosts of each host or into the name service."


def unresolved(hosts: Iterable[str], variables: Mapping[str, str] | None = None) -> dict[str, str]:
    """The hosts whose names cannot be resolved here, and what the system says of each.

    A name that the configuration of ssh maps to another one counts as that, and one that is resolved behind a jump host
    or a proxy isn't looked at, nor are those in a Slurm job, which knows addresses of its own.

    Args:
        hosts: as a host file has them, with or without a login.
        variables: environment variables; this process's by default.
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
