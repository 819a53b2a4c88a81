"""Batch systems: how a script is handed to each, and with which commands its user continues."""

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from polympi.lab.errors import LabError, system_reason

SLURM, PBS, LSF = "slurm", "pbs", "lsf"
_ANSWER_S = 60.0  # a busy controller takes many seconds
# What commands of Slurm say where they find no controller, in several versions.
_NOBODY = re.compile(r"Unable to contact slurm controller|configuration source|DNS SRV lookup")
_BLAMES = re.compile(r"error|fail|fatal|unrecognized|invalid|denied|not permitted", re.IGNORECASE)


class SubmitError(LabError):
    """A job cannot be submitted or asked for."""


@dataclass(frozen=True)
class Scheduler:
    """The commands of a batch system."""

    title: str  # its name in sentences
    submit: tuple[str, ...]  # the command that takes a script
    by_name: bool  # whether it takes the name of the script; otherwise the script itself, on standard input
    number: re.Pattern[str]  # finds the number of the job in what that command says
    see: str  # the command that shows a job, before its number
    cancel: str  # the command that ends a job, before its number


SCHEDULERS = {  # in the order in which they are looked for: Slurm may have its own qsub
    SLURM: Scheduler("Slurm", ("sbatch", "--parsable"), True, re.compile(r"^(\d+)"), "squeue -j", "scancel"),
    LSF: Scheduler("LSF", ("bsub",), False, re.compile(r"^Job <(\d+)> is submitted"), "bjobs", "bkill"),
    PBS: Scheduler("PBS", ("qsub",), True, re.compile(r"^(\d+[\w.\[\]-]*)$"), "qstat", "qdel"),
}


def found_scheduler() -> str:
    """The batch system whose command is on PATH; Slurm if there is none."""
    return next((name for name, one in SCHEDULERS.items() if shutil.which(one.submit[0])), SLURM)


def check_there(name: str) -> None:
    """Make sure that jobs can be submitted here."""
    one = SCHEDULERS[name]
    if shutil.which(one.submit[0]) is None:
        raise SubmitError(
            f"There is no '{one.submit[0]}' on PATH, so that no job of {one.title} can be submitted from here: do it "
            "where the commands of the batch system are, such as a login host of the cluster; --dry-run shows the "
            "script."
        )


def submit(name: str, script: Path) -> str:
    """Submit a batch script; return the number of the job. SubmitError if the batch system refuses it or is silent."""
    one = SCHEDULERS[name]
    words = [*one.submit, str(script)] if one.by_name else list(one.submit)
    said = ask(words, one.title, "" if one.by_name else script.read_text(encoding="utf-8"))
    numbers = [found[1] for line in said.stdout.splitlines() if (found := one.number.search(line.strip()))]
    if said.returncode or not numbers:
        raise refused(one.title, said)
    return numbers[-1]


def refused(title: str, said: subprocess.CompletedProcess[str]) -> SubmitError:
    """What a batch system said of a job that it does not take."""
    if _NOBODY.search(said.stderr):
        return SubmitError(
            f"{title} is not reached from here: submit on a host of its cluster. It said: {last_line(said)}."
        )
    return SubmitError(f"{title} refused the job: {last_line(said)}. --dry-run shows its script.")


def ask(command: Sequence[str], title: str, text: str = "") -> subprocess.CompletedProcess[str]:
    """What a command of a batch system says, or SubmitError.

    It has a separate session: a Ctrl-C that ends the following must not end a command half-way.
    """
    try:
        return subprocess.run(
            command,
            input=text,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=_ANSWER_S,
            start_new_session=True,
        )
    except subprocess.TimeoutExpired:
        raise SubmitError(f"{title} does not answer: '{command[0]}' took over {_ANSWER_S:.0f} s.") from None
    except OSError as error:
        raise SubmitError(f"'{command[0]}' cannot be started: {system_reason(error)}.") from error


def last_line(said: subprocess.CompletedProcess[str]) -> str:
    """The last line of what a command said that says what is wrong, without its name and without a full stop."""
    lines = [line.strip() for line in (said.stdout + "\n" + said.stderr).splitlines() if line.strip()]
    lines = [line for line in lines if _BLAMES.search(line)] or lines or ["it said nothing"]
    text = lines[-1].removeprefix(f"{said.args[0]}: ")
    return re.sub(r"^(error|fatal): ", "", text).rstrip(".")
