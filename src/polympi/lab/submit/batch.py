"""The batch scripts of a run, for Slurm, PBS and LSF."""

import math
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from polympi.lab.submit.job import SUBMITS
from polympi.lab.submit.scheduler import LSF, PBS, SLURM

# Seconds before the end of a job at which a run is stopped: a launch is ended within a second, and the report of a
# large run is written in some twenty. Slurm may be half a minute early.
RESERVE_S = 60
SHORTEST_S = 120  # of a job: batch systems count in minutes, and the reserve must leave something


@dataclass(frozen=True)
class Batch:
    """What a job is to be."""

    scheduler: str  # one of `SCHEDULERS`
    nodes: int  # how many hosts
    time_s: float  # how long it may take, in seconds
    command: Sequence[str]  # the command of polympi, after `polympi`
    polympi: Sequence[str]  # the words that start polympi on the hosts
    folder: Path  # where the command is started
    output: Path  # the file of what it writes
    # Where a job of PBS or LSF writes its hosts, for the run; None if the run has its own host file.
    hosts: Path | None = None
    partition: str = ""  # or queue; empty for the usual one
    account: str = ""  # empty for the usual one
    directives: Sequence[str] = ()  # further options of the scheduler, a line each, in its words
    options: Sequence[str] = ()  # those of `polympi submit` that make a job like it


def script(batch: Batch) -> str:
    """The batch script; the run takes the place of the shell, to get the scheduler's signals and stop in order."""
    make = {SLURM: _slurm, PBS: _pbs, LSF: _lsf}[batch.scheduler]
    prefix, options, listed = make(batch)
    lines = ["#!/bin/sh", *(f"#{prefix} {option}" for option in (*options, *batch.directives)), ""]
    lines.append(f"cd {shlex.quote(str(batch.folder))} || exit 2")
    submits = shlex.join(["polympi", "submit", *batch.options, "--"])
    lines.append(f"export {SUBMITS}={shlex.quote(submits)}")
    command = [*batch.polympi, *batch.command]
    if listed and batch.hosts is not None:
        lines.append(f'cp "{listed}" {shlex.quote(str(batch.hosts))} || exit 2')
        if not any(word.split("=")[0] == "--resume" for word in batch.command):  # which knows where its hosts are
            command += ["--hostfile", str(batch.hosts)]
    return "\n".join([*lines, f"exec {shlex.join(command)}", ""])


def _slurm(batch: Batch) -> tuple[str, list[str], str]:
    """The prefix of options, the options, and the file with the hosts, of which Slurm has none: the run asks Slurm."""
    options = [
        "--job-name=polympi",
        f"--nodes={batch.nodes}",
        "--exclusive",
        f"--time={_minutes(batch.time_s)}",
        f"--signal=B:INT@{_reserve(batch.time_s)}",
        f"--output={_escaped(batch.output)}",
        "--open-mode=append",
        "--no-requeue",
    ]
    options += [f"--partition={batch.partition}"] * bool(batch.partition)
    options += [f"--account={batch.account}"] * bool(batch.account)
    return "SBATCH", options, ""


def _pbs(batch: Batch) -> tuple[str, list[str], str]:
    options = [
        "-N polympi",
        f"-l select={batch.nodes}",
        "-l place=scatter:excl",
        f"-l walltime={_clock(batch.time_s)}",
        "-j oe",
        f"-o {shlex.quote(str(batch.output))}",
        "-r n",
        "-V",  # the variables of here, as the others hand on unasked
    ]
    options += [f"-q {batch.partition}"] * bool(batch.partition)
    options += [f"-A {batch.account}"] * bool(batch.account)
    return "PBS", options, "$PBS_NODEFILE"


def _lsf(batch: Batch) -> tuple[str, list[str], str]:
    options = [
        "-J polympi",
        f"-n {batch.nodes}",
        '-R "span[ptile=1]"',
        "-x",
        f"-W {_minutes(batch.time_s)}",
        f"-wa INT -wt {_minutes(RESERVE_S)}",
        f"-o {shlex.quote(str(batch.output))}",
        "-rn",
    ]
    options += [f"-q {batch.partition}"] * bool(batch.partition)
    options += [f"-P {batch.account}"] * bool(batch.account)
    return "BSUB", options, "$LSB_DJOB_HOSTFILE"


def _minutes(seconds: float) -> int:
    """Slurm and LSF count in minutes."""
    return math.ceil(seconds / 60)


def _reserve(time_s: float) -> int:
    """Of a short job a quarter."""
    return min(RESERVE_S, round(time_s / 4))


def _clock(seconds: float) -> str:
    whole = math.ceil(seconds)
    return f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}"


def _escaped(path: Path) -> str:
    """A path in which Slurm replaces nothing, as it does with ``%j``."""
    return shlex.quote(str(path).replace("%", "%%"))
