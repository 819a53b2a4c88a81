"""Jobs of Slurm: whether it would take one, the state of one, and its end."""

import re
from dataclasses import dataclass
from pathlib import Path

from polympi.lab.environment.allocation import GOES_ON
from polympi.lab.submit.scheduler import SCHEDULERS, SLURM, SubmitError, ask, last_line, refused

_TITLE = SCHEDULERS[SLURM].title
_FIELD = re.compile(r"(\w+)=(\S*)")
# What Slurm says where hosts are missing only for now: the job may be submitted, and waits for them.
_FOR_NOW = re.compile(r"down, drained or reserved")
WAITING = {"PENDING", "CONFIGURING", "REQUEUED", "RESV_DEL_HOLD", "REQUEUE_HOLD", "SPECIAL_EXIT"}
RUNNING = GOES_ON | {"COMPLETING", "STAGE_OUT"}
UNKNOWN = "unknown"  # what has ended some minutes ago is forgotten


@dataclass(frozen=True)
class State:
    """What Slurm says of a job."""

    name: str  # as Slurm calls it, such as `PENDING`, `RUNNING`, `COMPLETED`; `UNKNOWN` if it is forgotten
    reason: str = ""  # why it waits, or why it failed; empty for none
    hosts: str = ""  # where it runs or ran, as Slurm writes it
    first_host: str = ""  # the one of these on which its script runs
    exit_code: int | None = None  # of what ran in it, negative for a signal; None as long as it has not ended

    @property
    def waits(self) -> bool:
        """Whether it has not begun."""
        return self.name in WAITING

    @property
    def signal(self) -> int | None:
        """The signal that killed its script; None where it ended by itself."""
        return -self.exit_code if self.exit_code is not None and self.exit_code < 0 else None

    @property
    def as_slurm_writes(self) -> str:
        """Name and exit code in Slurm's words, which its manual and administrators know: ``FAILED, ExitCode 0:9``."""
        if self.exit_code is None:
            return self.name
        return f"{self.name}, ExitCode {max(self.exit_code, 0)}:{self.signal or 0}"

    @property
    def ended(self) -> bool:
        """Whether nothing more comes of it."""
        return self.name not in WAITING | RUNNING


def check_taken(script: Path) -> None:
    """Make sure that the job could ever run: Slurm may accept one that asks for more hosts than exist, and hold it."""
    said = ask(["sbatch", "--test-only", str(script)], _TITLE)
    if said.returncode and not _FOR_NOW.search(said.stderr):
        raise refused(_TITLE, said)


def state_of(number: str) -> State:
    """The state of a job; SubmitError if Slurm does not answer."""
    said = ask(["scontrol", "--oneliner", "show", "job", number], _TITLE)
    if said.returncode and "Invalid job id" in said.stdout + said.stderr:
        return State(UNKNOWN)
    if said.returncode:
        raise SubmitError(f"Slurm does not tell the state of job {number}: {last_line(said)}.")
    return read_state(said.stdout)


def read_state(line: str) -> State:
    """The state in a line of ``scontrol --oneliner show job``."""
    fields: dict[str, str] = {}
    for name, value in _FIELD.findall(line):  # the first of a name: others may be in paths and comments, which follow
        fields.setdefault(name, "" if value in ("None", "(null)", "N/A") else value)
    code, _, signal = fields.get("ExitCode", "").partition(":")
    where = fields.get("Reason", ""), fields.get("NodeList", ""), fields.get("BatchHost", "")
    state = State(fields.get("JobState", UNKNOWN), *where)
    if not state.ended or not code.isdecimal():
        return state
    return State(state.name, *where, -int(signal) if signal.isdecimal() and int(signal) else int(code))


def lost_hosts(hosts: str) -> list[str]:
    """Those of some hosts that are down or do not answer; none where Slurm does not say, or has them back."""
    try:
        said = ask(["sinfo", "--noheader", "--Node", f"--nodes={hosts}", "--format=%N %T"], _TITLE)
    except SubmitError:
        return []
    states = dict(line.split() for line in said.stdout.splitlines() if len(line.split()) == 2)
    return [name for name, state in states.items() if state.startswith(("down", "fail")) or state.endswith("*")]


def cancel(number: str) -> None:
    """Cancel a job."""
    said = ask(["scancel", number], _TITLE)
    if said.returncode:
        raise SubmitError(f"Slurm does not cancel job {number}: {last_line(said)}.")
