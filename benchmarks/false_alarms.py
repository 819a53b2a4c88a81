"""How often does `polympi audit --hang` call a healthy program hung?

    python benchmarks/false_alarms.py --jobs 300
    python benchmarks/false_alarms.py --jobs 10 --phases 60 --longest 20

runs jobs of false_alarms.c, each with its own seed, two at a time, so that they are oversubscribed. In each phase of a
job one rank is late, because it computes, sleeps, reads or tests between pieces of work, and the others wait for it in
one of seven ways, often for longer than `--hang`. None of these jobs hangs, whatever the watcher says. Many short jobs
also start and end under the watcher; a few with long phases are a soak. It prints how many jobs were called hung, with
the upper end of the interval of their share (Clopper and Pearson), and exits with 1 if any was.
"""

import subprocess
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import polars as pl
import typer
from evidence import MISSED, CsvFile, StackName, keep_raw, refuse_existing, run_command

from polympi.lab.audit.recorder import recorder_variables
from polympi.lab.audit.roll_call import RollCall
from polympi.lab.audit.starting import run_job
from polympi.lab.audit.watcher import Watcher
from polympi.lab.cli.console import results
from polympi.lab.stacks.stack import Stack, get_stack

SOURCE: Final = Path(__file__).with_suffix(".c")
CONFIDENCE: Final = 0.95


class Watched(NamedTuple):
    """What the watcher said of a healthy job."""

    seed: int
    exit_code: int
    waits: int  # roll calls of ranks that made no progress for long enough
    alarms: int  # those that said it hangs
    text: str  # of the first of these


def watched(stack: Stack, program: Path, ranks: int, hang: float, phases: int, longest: float, seed: int) -> Watched:  # noqa: PLR0917
    """Run a job to its end."""
    rolls: list[RollCall] = []
    said: list[str] = []

    def note(roll: RollCall) -> bool:
        rolls.append(roll)
        return False

    with tempfile.TemporaryDirectory() as folder:
        watcher = Watcher(Path(folder), hang, said.append)
        command = [str(program), str(seed), str(phases), str(longest)]
        ended = run_job(stack, ranks, command, recorder_variables(Path(folder)), watcher=watcher, stop=note)
    alarms = [roll for roll in rolls if roll.verdict is not None and roll.verdict.hang]
    return Watched(seed, ended.exit_code, len(rolls), len(alarms), "\n".join(said) if alarms else "")


def upper_bound(alarms: int, jobs: int) -> float:
    """The largest share of jobs with an alarm of which so few would be seen in 1 of 20 samples, by bisection."""
    low, high = alarms / jobs, 1.0
    for _ in range(60):
        share = (low + high) / 2
        term = seen = (1 - share) ** jobs  # the binomial distribution up to `alarms`
        for k in range(alarms):
            term *= (jobs - k) / (k + 1) * share / (1 - share)
            seen += term
        low, high = (share, high) if seen > 1 - CONFIDENCE else (low, share)
    return high


def main(  # noqa: PLR0917  (options of the command line)
    stack: StackName = "mpich",
    jobs: Annotated[int, typer.Option(min=1, help="How many jobs.")] = 300,
    at_once: Annotated[int, typer.Option(min=1, help="Jobs at a time.")] = 2,
    ranks: Annotated[int, typer.Option(min=2, help="Ranks of a job.")] = 3,
    hang: Annotated[float, typer.Option(help="As of polympi audit, in seconds.")] = 1.0,
    phases: Annotated[int, typer.Option(min=1, help="Phases of a job.")] = 2,
    longest: Annotated[float, typer.Option(help="The longest delay of a rank, in seconds.")] = 8.0,
    first_seed: Annotated[int, typer.Option(help="That of the first job; each next one has the next.")] = 1,
    csv: CsvFile = None,
) -> None:
    """Count the healthy jobs that are called hung."""
    refuse_existing(csv)
    chosen = get_stack(stack)
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / SOURCE.stem
        compile_it = [chosen.mpicc, "-g", "-O1", str(SOURCE), "-o", str(program)]
        subprocess.run(compile_it, env=chosen.variables(), check=True)
        with ProcessPoolExecutor(at_once) as pool:
            run = partial(watched, chosen, program, ranks, hang, phases, longest)
            found = list(pool.map(run, range(first_seed, first_seed + jobs)))
    keep_raw(pl.DataFrame(found, schema=list(Watched._fields), orient="row"), csv)
    if failed := [one.seed for one in found if one.exit_code]:
        results.print(f"{len(failed)} jobs failed, with the seeds {failed}: nothing follows from these.")
    good = [one for one in found if not one.exit_code]
    hung = [one for one in good if one.alarms]
    for one in hung:
        results.print(f"seed {one.seed}:\n{one.text}", markup=False)
    waits = sum(one.waits for one in good)
    results.print(
        f"{len(hung)} of {len(good)} healthy jobs were called hung: at most {upper_bound(len(hung), len(good)):.2%} "
        f"({CONFIDENCE:.0%} confidence). {waits} times all ranks made no progress for {hang:g} s, and were judged."
    )
    sys.exit(MISSED if hung or failed else 0)


if __name__ == "__main__":
    run_command(main)
