"""What ``polympi submit`` does: check the run, write its script, submit the job, follow it."""

import datetime
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import typer

from polympi.lab.cli.concluding import conclude
from polympi.lab.cli.console import errors, results, say
from polympi.lab.cli.exit_codes import INTERRUPTED
from polympi.lab.conclusions.phrases import count
from polympi.lab.errors import UsageError
from polympi.lab.run.resume import is_complete
from polympi.lab.run.stopping import stop_on_signals
from polympi.lab.samples.store import RunDirectory
from polympi.lab.submit.batch import RESERVE_S, SHORTEST_S, Batch, script
from polympi.lab.submit.follow import Follower
from polympi.lab.submit.job import HOSTS, OUTPUT, SCRIPT, Job, job_folder, recorded_job, remember
from polympi.lab.submit.scheduler import SCHEDULERS, SLURM, SubmitError, check_there, found_scheduler, submit
from polympi.lab.submit.slurm import check_taken
from polympi.lab.suggest import did_you_mean
from polympi.lab.units import parse_duration

_CHECK_S = 300.0  # to plan a run without measuring: some seconds


@dataclass(frozen=True)
class Wanted:
    """The options as they were given."""

    command: Sequence[str]
    scheduler: str | None
    nodes: int
    time: str
    partition: str | None
    account: str | None
    directives: Sequence[str]
    start_within: str | None

    def options(self, scheduler: str) -> list[str]:
        """The options for a job like this one."""
        words = ["--scheduler", scheduler, "--nodes", str(self.nodes), "--time", self.time]
        words += ["--partition", self.partition] if self.partition else []
        words += ["--account", self.account] if self.account else []
        return words + [word for line in self.directives for word in ("--directive", line)]


@dataclass(frozen=True)
class _Run:
    """The run of a job: its command line with the result directory named, that directory, and whether it is there."""

    command: list[str]
    result: Path
    resumed: bool


def submit_run(wanted: Wanted, *, dry_run: bool, detach: bool) -> None:
    """Submit a run and follow it."""
    scheduler, start_within_s = _checked(wanted)
    if not dry_run:
        check_there(scheduler)
    run = _with_result(wanted.command)
    folder = job_folder(run.result)
    batch = _batch(wanted, scheduler, run, folder.absolute())
    if run.resumed and _is_complete(run.result):
        return
    if run.resumed:
        _check_hosts(run.result, wanted.nodes)
    else:
        _check_run(batch.command)
    if dry_run:
        results.print(script(batch), markup=False, soft_wrap=True, highlight=False, end="")
        return
    result, options = str(run.result.absolute()), wanted.options(scheduler)
    with stop_on_signals() as asked_to_stop:  # from here until it is recorded, a job could be lost from sight
        job = _submitted(batch, Job(number="", scheduler=scheduler, result=result, options=options), folder)
    say(f"job {job.number} is submitted; its script and output are in '{folder}'")
    if detach or asked_to_stop() or scheduler != SLURM:
        say(_how_to_go_on(job, folder))
        if asked_to_stop():
            raise typer.Exit(INTERRUPTED)
        return
    _follow(job, folder, start_within_s)


def follow_again(folder: Path, command: Sequence[str], *, start_within: str | None) -> None:
    """Follow a job that was submitted before."""
    if command:
        raise UsageError("--follow takes no run: it follows the job that was submitted.")
    job = recorded_job(folder)
    if job.scheduler != SLURM:
        raise UsageError(f"polympi follows jobs of Slurm alone: {_how_to_go_on(job, folder)}.")
    _follow(job, folder, None if start_within is None else parse_duration(start_within))


def _checked(wanted: Wanted) -> tuple[str, float | None]:
    scheduler = wanted.scheduler or found_scheduler()
    if scheduler not in SCHEDULERS:
        raise UsageError(
            f"There is no batch system '{scheduler}' that polympi knows: choose {', '.join(SCHEDULERS)}."
            f"{did_you_mean(scheduler, SCHEDULERS)}"
        )
    if not wanted.command or wanted.command[0] != "run":
        raise UsageError("Say what the job is to measure: polympi submit --nodes 2 --time 30m -- run --profile quick.")
    if wanted.nodes < 1:
        raise UsageError(f"--nodes {wanted.nodes} is impossible: a job has at least 1 host.")
    if parse_duration(wanted.time) < SHORTEST_S:
        raise UsageError(
            f"--time {wanted.time} is too short: a job needs at least {SHORTEST_S // 60} minutes, for builds and the "
            "report."
        )
    if any("\n" in line for line in wanted.directives):
        raise UsageError("--directive takes one line; give it several times for several lines.")
    if wanted.start_within is None:
        return scheduler, None
    if scheduler != SLURM:
        raise UsageError("--start-within needs Slurm: polympi does not follow jobs of other batch systems.")
    return scheduler, parse_duration(wanted.start_within)


def _batch(wanted: Wanted, scheduler: str, run: _Run, folder: Path) -> Batch:
    time_s = parse_duration(wanted.time)
    return Batch(
        scheduler=scheduler,
        nodes=wanted.nodes,
        time_s=time_s,
        command=_with_time_limit(run.command, time_s),
        polympi=[sys.executable, "-m", "polympi"],
        folder=Path.cwd(),
        output=folder / OUTPUT,
        hosts=_hosts(run, folder),
        partition=wanted.partition or "",
        account=wanted.account or "",
        directives=wanted.directives,
        options=wanted.options(scheduler),
    )


def _hosts(run: _Run, folder: Path) -> Path | None:
    """Where the job writes its hosts, also for a run that is continued; None if the run has its own host file."""
    if not run.resumed:
        return folder / HOSTS if _value(run.command, ("--hostfile",)) is None else None
    recorded = RunDirectory.open(run.result).run().hostfile
    return Path(recorded) if recorded and Path(recorded).with_name(SCRIPT).is_file() else None


def _submitted(batch: Batch, job: Job, folder: Path) -> Job:
    """Submit a job, and remember it; one that is refused leaves nothing behind."""
    folder.mkdir(parents=True)
    path = (folder / SCRIPT).absolute()
    try:
        path.write_text(script(batch), encoding="utf-8")
        if batch.scheduler == SLURM:
            check_taken(path)
        number = submit(batch.scheduler, path)
    except SubmitError:
        shutil.rmtree(folder)
        raise
    job = Job(number=number, scheduler=job.scheduler, result=job.result, options=job.options)
    remember(job, folder)
    return job


def _with_result(command: Sequence[str]) -> _Run:
    if (resumed := _value(command, ("--resume",))) is not None:
        return _Run(list(command), Path(resumed), resumed=True)
    if (named := _value(command, ("-o", "--output"))) is not None:
        return _Run(list(command), Path(named), resumed=False)
    name = f"polympi-run-{datetime.datetime.now():%Y%m%d-%H%M%S}"
    return _Run([*command, "-o", name], Path(name), resumed=False)


def _with_time_limit(command: Sequence[str], time_s: float) -> list[str]:
    """The run with a time limit, so that it ends by itself before its job: a reserve for its builds and its report."""
    if _value(command, ("--time-limit",)) is not None:
        return list(command)
    limit_s = max(time_s - 2 * RESERVE_S, time_s / 2)
    return [*command, "--time-limit", f"{limit_s:.0f}s"]


def _value(command: Sequence[str], names: Sequence[str]) -> str | None:
    for word, following in zip(command, [*command[1:], ""], strict=True):
        if word in names:
            return following
        for name in names:
            glued = name if len(name) == 2 else f"{name}="
            if word.startswith(glued):
                return word.removeprefix(glued)
    return None


def _is_complete(result: Path) -> bool:
    """Whether nothing is missing of a run that is to be continued; then it is said."""
    if not is_complete(RunDirectory.open(result)):
        return False
    say(f"the run in '{result}' is complete: no job is needed; 'polympi report {shlex.quote(str(result))}' shows it")
    return True


def _check_hosts(result: Path, nodes: int) -> None:
    """Make sure that a run is continued on as many hosts as it had in its job."""
    launching = RunDirectory.open(result).run().launching
    had = len(launching.hosts) or 1
    if launching.job and had != nodes:
        raise UsageError(
            f"The run in '{result}' was measured in a job on {count(had, 'host')}: continue it on as many, with "
            f"--nodes {had}."
        )


def _check_run(command: Sequence[str]) -> None:
    """Plan the run here, so that what is impossible is not found out after hours in a queue."""
    try:
        planned = subprocess.run(
            [sys.executable, "-m", "polympi", *command, "--dry-run"],
            capture_output=True,
            text=True,
            check=False,
            timeout=_CHECK_S,
        )
    except subprocess.TimeoutExpired:
        raise UsageError(
            f"The run could not be planned within {_CHECK_S:.0f} s: try 'polympi {shlex.join(command)} --dry-run'."
        ) from None
    if planned.returncode:
        errors.print(planned.stderr.strip() or planned.stdout.strip(), markup=False, soft_wrap=True)
        raise typer.Exit(planned.returncode)


def _follow(job: Job, folder: Path, start_within_s: float | None) -> None:
    follower = Follower(job, folder, say=say, show=_show)
    try:
        state = follower.to_the_end(start_within_s)
    except KeyboardInterrupt:
        say(f"job {job.number} goes on; {_how_to_go_on(job, folder)}")
        raise typer.Exit(INTERRUPTED) from None
    conclude(job, folder, state)


def _how_to_go_on(job: Job, folder: Path) -> str:
    one = SCHEDULERS[job.scheduler]
    see = f"polympi submit --follow {shlex.quote(str(folder))}" if job.scheduler == SLURM else f"{one.see} {job.number}"
    return f"to {'follow' if job.scheduler == SLURM else 'see'} it: {see}; to cancel it: {one.cancel} {job.number}"


def _show(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
