"""The allocation of a batch system that polympi runs in: its job, and the hosts that it may use."""

import os
import re
import socket
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass

from polympi.lab.errors import UsageError, system_reason

_ANSWER_S = 20.0  # scontrol expands a list, or looks up one job
_STATE = re.compile(r"(?:^|\s)JobState=(\w+)")
# The states in which the ranks of a job that has begun continue, or may continue later (squeue(1), JOB STATE CODES).
GOES_ON = frozenset({"RUNNING", "SUSPENDED", "STOPPED", "SIGNALING", "RESIZING"})


@dataclass(frozen=True)
class Allocation:
    """A job of Slurm."""

    job: str  # its number
    hosts: tuple[str, ...]  # its hosts, in their order
    here: str  # what the job calls the host that this process runs on

    @property
    def only_here(self) -> bool:
        """Whether its only host is this one."""
        return self.hosts == (self.here,)


def allocation(variables: Mapping[str, str] | None = None) -> Allocation | None:
    """The job that this process is in; None outside of one. UsageError if Slurm does not say which hosts it has."""
    variables = os.environ if variables is None else variables
    job, nodes = variables.get("SLURM_JOB_ID"), variables.get("SLURM_JOB_NODELIST")
    if not job or not nodes:
        return None
    here = variables.get("SLURMD_NODENAME") or socket.gethostname().partition(".")[0]
    return Allocation(job, _names(job, nodes), here)


def job_is_over(variables: Mapping[str, str] | None = None) -> bool:
    """Whether the job that this process is in has ended, or is being ended; not so outside of one.

    Slurm signals this process and the ranks it has started in any order, and starts no more ranks meanwhile: only the
    state of the job tells why these have failed.
    """
    job = (os.environ if variables is None else variables).get("SLURM_JOB_ID")
    if not job:
        return False
    command = ["scontrol", "--oneliner", "show", "job", job]
    try:
        said = subprocess.run(command, capture_output=True, text=True, timeout=_ANSWER_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    if "Invalid job id" in said.stdout + said.stderr:  # ended some minutes ago, and forgotten
        return True
    state = _STATE.search(said.stdout)
    return state is not None and state[1] not in GOES_ON


def _names(job: str, nodes: str) -> tuple[str, ...]:
    """The hosts of a list such as ``n[1-3],m2``, which Slurm itself expands."""
    if not set("[],").intersection(nodes):
        return (nodes,)
    command = ["scontrol", "show", "hostnames", nodes]
    try:
        said = subprocess.run(command, capture_output=True, text=True, timeout=_ANSWER_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _unknown(job, nodes, system_reason(error)) from error
    if said.returncode or not said.stdout.split():
        raise _unknown(job, nodes, (said.stderr.strip().splitlines() or ["it said nothing"])[-1])
    return tuple(said.stdout.split())


def _unknown(job: str, nodes: str, why: str) -> UsageError:
    return UsageError(
        f"The hosts of Slurm's job {job}, '{nodes}', cannot be listed by 'scontrol show hostnames': {why}; name them "
        "with --hostfile."
    )
