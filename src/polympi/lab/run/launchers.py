"""What starts the ranks of a run: what was asked for, what a job of Slurm has, or else the launcher of each stack."""

import dataclasses
import shutil
import socket
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from polympi.lab.cluster.hostfile import hostfile_text, read_hostfile, room_for
from polympi.lab.conclusions.phrases import count, listing
from polympi.lab.environment.allocation import Allocation, allocation
from polympi.lab.errors import StackError, UsageError
from polympi.lab.records import Launching, RunRecord
from polympi.lab.run.request import Request
from polympi.lab.stacks.check import CHECK_RANKS, first_that_runs
from polympi.lab.stacks.launching import started_by, ways_of_srun, ways_to_start
from polympi.lab.stacks.stack import Stack

Say = Callable[[str], None]


def settled(request: Request, say: Say = lambda _: None, *, check: bool = True) -> Request:
    """The request with stacks whose ranks are started as was asked, or as a job of Slurm wants it.

    Outside of a job, and where nothing was asked for, it stays as it is. If `check`, each way is tried with a small
    program, and the first that works is taken; otherwise the likeliest.
    """
    job = None if request.hostfile is not None else allocation()
    asked = request.launching
    if job is None and not (asked.launcher or asked.arguments or asked.variables or _own(request.stacks)):
        return request
    asked = msgspec.structs.replace(
        asked, job=job.job if job else "", hosts=list(job.hosts) if job and not job.only_here else []
    )
    stacks, hosts = _chosen(request, asked, job, check=check)
    found = {stack.name: stack.launcher for stack in stacks if stack.launcher}
    others = hosts - {socket.gethostname()} if hosts else set(asked.hosts)
    asked = msgspec.structs.replace(asked, found=found, elsewhere=bool(others))
    where = f"in Slurm's job {job.job} on {listing(list(job.hosts))}, " if job else ""
    ways = listing([f"'{stack.starter_text}' ({stack.name})" for stack in stacks])
    say(f"{where}ranks are started by {ways}")
    return dataclasses.replace(request, stacks=stacks, launching=asked)


def settled_again(run: RunRecord, stacks: Sequence[Stack]) -> tuple[Launching, list[Stack]]:
    """How a run that is continued starts ranks: as it did, on the hosts of the job that there is now."""
    launching, job = run.launching, allocation()
    if launching.job:
        had = len(launching.hosts) or 1
        if job is None or len(job.hosts) != had:
            now = f"this one has {len(job.hosts)}" if job else "here is none"
            raise UsageError(
                f"The run was measured in a job of Slurm on {count(had, 'host')}, and {now}: continue it in a job of "
                f"as many."
            )
        launching = msgspec.structs.replace(launching, hosts=list(job.hosts) if launching.hosts else [])
    return launching, [started_by(stack, launching, launching.found.get(stack.name, ())) for stack in stacks]


def check_carried(request: Request) -> None:
    """Make sure that nothing is asked for that cannot go without files that all hosts see."""
    if request.launching.carried and any(name != "none" for name in request.tools or ()):
        raise UsageError(
            "--carry-files and --tool cannot be combined: third-party tools leave their figures in their own files."
        )


def _own(stacks: Sequence[Stack]) -> bool:
    """Whether a stack has its own launcher, which may start ranks elsewhere."""
    return any(stack.launcher for stack in stacks)


def _chosen(
    request: Request, asked: Launching, job: Allocation | None, *, check: bool
) -> tuple[list[Stack], frozenset[str]]:
    stacks, hosts = [], frozenset[str]()
    for stack in request.stacks:
        ways = _ways(stack, asked, job)
        if not check:
            stacks.append(ways[0])
            continue
        with tempfile.TemporaryDirectory(prefix="polympi-hosts-", dir=stack.folder) as scratch:
            file = _hostfile(request, asked, stack, Path(scratch))
            found = first_that_runs(ways, hostfile=file, cluster=request.cluster)
        stacks.append(found.stack)
        hosts |= found.hosts
    return stacks, hosts


def _ways(stack: Stack, asked: Launching, job: Allocation | None) -> list[Stack]:
    """The ways to start ranks: in a job srun comes first, where it is there; the stack's own launcher is the last."""
    if asked.launcher or stack.launcher or job is None:
        return ways_to_start(stack, asked)
    ways = [started_by(stack, asked, [])]
    if shutil.which("srun"):
        try:
            ways = [*(started_by(stack, asked, words) for words in ways_of_srun(stack, ["srun"])), *ways]
        except StackError:  # no PMI in common: its own launcher may do
            return ways
    return ways


def _hostfile(request: Request, asked: Launching, stack: Stack, folder: Path) -> Path | None:
    """The host file for a check: that of the request, or one of the hosts of the job or of the cluster."""
    slots = dict.fromkeys(asked.hosts, 1)
    if request.cluster is not None and request.hostfile is not None:
        slots = read_hostfile(request.hostfile)
    if not slots:
        return request.hostfile
    path = folder / "hosts"
    path.write_text(hostfile_text(stack.hostfile_of, room_for(CHECK_RANKS, slots)), encoding="ascii")
    return path
