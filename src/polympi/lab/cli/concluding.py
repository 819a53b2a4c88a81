"""What is said at the end of a job that was followed: how it ended, where its result is, how to continue."""

import shlex
import signal
from pathlib import Path

import typer

from polympi.lab.cli.console import errors, say
from polympi.lab.cli.exit_codes import IMPOSSIBLE, INTERRUPTED
from polympi.lab.errors import LabError
from polympi.lab.samples.store import RunDirectory
from polympi.lab.submit.follow import OUT_OF_MEMORY, ran_out_of_memory, what_became, wrote
from polympi.lab.submit.job import Job
from polympi.lab.submit.slurm import UNKNOWN, State, lost_hosts

_MORE_MEMORY = ": ask for more, as with --directive=--mem=0 for all that a host has"
COMPLETE, HOST_LOST, BROKEN_OFF = "complete", "host lost", "broken off"


def conclude(job: Job, folder: Path, state: State) -> None:
    """Say how a job ended and where its result is; leave with the exit code of its run, unless that ended well."""
    ended, detail = _how_it_ended(Path(job.result))
    where = f"its result is in '{job.result}'"
    again = f"polympi submit {shlex.join(job.options)} -- run --resume {shlex.quote(job.result)}"
    well = what_became(state) is None and state.exit_code == 0
    if well and ended is None:
        host = state.first_host or "HOST"
        _leave(
            f"Job {job.number} is done, and its result is not to be seen here: copy it from the host that wrote it, "
            f"such as scp -r {host}:{shlex.quote(job.result)} {shlex.quote(job.result)}.",
            IMPOSSIBLE,
        )
    if ended == COMPLETE and (well or state.name == UNKNOWN):
        say(f"job {job.number} is done; {where}")
        return
    if well:
        say(f"job {job.number} is done, and had too little time for all of its run; {where}; to continue: {again}")
        return
    how, code = _how(state, folder, detail if ended == HOST_LOST else "")
    if ended == COMPLETE:
        _leave(f"Job {job.number} {how}; {where}.", code)
    shown = f" ('polympi report {shlex.quote(job.result)}' shows it)" if _is_hard(state) else ""
    kept = f"what was measured is in '{job.result}'{shown}; to continue: {again}"
    _leave(f"Job {job.number} {how}; {kept if ended else 'nothing was measured'}.", code)


def _is_hard(state: State) -> bool:
    """Whether a job was ended without time for its run to stop in order, and to write its report."""
    return what_became(state) is not None and state.exit_code not in (None, INTERRUPTED)


def _how_it_ended(result: Path) -> tuple[str | None, str]:
    """How a run ended, None where there is none; and what is to be said of that."""
    try:
        outcome = RunDirectory.open(result).outcome()
    except LabError:
        return None, ""
    return (BROKEN_OFF, "") if outcome is None else (outcome.ended, outcome.detail)


def _how(state: State, folder: Path, found: str) -> tuple[str, int]:
    """The middle of a sentence about a job that did not end well, and the exit code for it."""
    lost = lost_hosts(state.hosts) if state.name == "NODE_FAIL" else ()
    without_memory = state.name == OUT_OF_MEMORY or (state.signal == signal.SIGKILL and ran_out_of_memory(folder))
    if became := what_became(state, lost, without_memory=without_memory):
        if not _is_hard(state):
            return became, INTERRUPTED
        return f"{became} (Slurm: {state.as_slurm_writes}){_MORE_MEMORY * without_memory}", _code(state)
    if state.exit_code == INTERRUPTED and found:
        name, _, why = found.partition(" ")
        return f"lost the host {name}, which {why}", INTERRUPTED
    if state.exit_code == INTERRUPTED:  # by a signal before its time limit, or by Ctrl-C
        return "was stopped before its run was complete", INTERRUPTED
    words = f"ended with code {state.exit_code}{', for the reason above' if wrote(folder) else ''}"
    return words, state.exit_code if state.exit_code and state.exit_code > 0 else IMPOSSIBLE


def _code(state: State) -> int:
    """Of a job that did not end by itself: as shells have it for a signal that killed it, else as for an interrupt."""
    killed = state.name == "FAILED" and state.signal
    return 128 + killed if killed else INTERRUPTED


def _leave(sentence: str, code: int) -> None:
    errors.print(f"polympi: {sentence}", markup=False, soft_wrap=True, highlight=False)
    raise typer.Exit(code)
