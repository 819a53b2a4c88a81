"""Memory and start-up of the interface with many ranks on one machine, next to C, mpi4py and the interpreter.

    python benchmarks/many_ranks.py measure FILE --stacks mpich,openmpi --ranks 16,32,64,128,256 --rounds 3
    python benchmarks/many_ranks.py tables FILE

``measure`` appends figures to the CSV file, so that it may be called several times; ``tables`` shows them. A launch of
each arm (``c``, ``mpi4py``, ``polympi``, and ``python``, which does not start MPI) takes the steps of
``many_ranks_rank.py``; the arms take turns, in another order each round. Memory is the mean over ranks of private
memory, and per host the sum of proportional memory; with the tables of pages. ``ready`` is the time from the start of
the launcher until the last rank has left the start of MPI, and the processor time of a rank is that up to there.

The last column of the memory table says what an arm takes beyond C: on any number of ranks, and for each rank more, by
least squares. If it grew faster than linearly, the column before it, which has that slope between the two largest
numbers of ranks alone, would be much larger.
"""

import argparse
import csv
import os
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import polars as pl
from launched_arms import chosen_stacks, environment
from many_ranks_rank import AT_ONCE, COLLECTIVES, START, STEPS

from polympi.lab.bindings.core import build_core
from polympi.lab.process import run_tree
from polympi.lab.stacks.command import mpiexec_command
from polympi.lab.stacks.stack import Stack

HERE = Path(__file__).parent
SEED = 20261126
TIMEOUT_S = 240.0
ARMS = ("c", "python", "mpi4py", "polympi")
COLUMNS = ("stack", "ranks", "round", "arm", "step", "pss_kib", "private_kib", "shared_bytes", "cpu_s", "since_s")


def compile_c(stack: Stack, folder: Path) -> Path:
    """The program in C for a stack."""
    program = folder / f"many_ranks-{stack.name}"
    command = [stack.mpicc, "-O2", "-o", str(program), str(HERE / "many_ranks.c")]
    subprocess.run(command, env=stack.variables(), check=True, timeout=TIMEOUT_S)
    return program


def launch(stack: Stack, ranks: int, arm: str, program: Path) -> list[tuple[object, ...]]:
    """Figures of one launch, a line a step: the last columns of the file."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        words = [str(program)] if arm == "c" else [stack.python, str(HERE / "many_ranks_rank.py"), arm]
        command = mpiexec_command(
            stack, ranks, [*words, str(folder), str(ranks)], processors=len(os.sched_getaffinity(0))
        )
        variables = {**environment(stack), "POLYMPI_CORE_FOLDER": str(build_core(stack))}
        ended = run_tree(command, environment=variables, timeout_s=TIMEOUT_S, output=folder / "output")
        if ended.exit_code != 0:
            sys.exit(f"{arm} on {ranks} ranks of stack {stack.name} ended with code {ended.exit_code}:\n{ended.tail}")
        lines = [[float(word) for word in line.split()] for line in (folder / "figures").read_text().splitlines()]
        return [
            _figures(step, [line for line in lines if line[0] == STEPS.index(step)], ended.started_ns, ranks)
            for step in (STEPS[:1] if arm == "python" else STEPS)
        ]


def _figures(step: str, lines: Sequence[Sequence[float]], started_ns: int, ranks: int) -> tuple[object, ...]:
    if len(lines) != ranks:
        sys.exit(f"After the step '{step}', {len(lines)} of {ranks} ranks have written down what they take.")
    pss, private, shared, cpu, now = ([line[column] for line in lines] for column in range(2, 7))
    since = max(now) - started_ns / 1e9
    return step, sum(pss), statistics.mean(private), max(shared), statistics.mean(cpu), since


def measure(file: Path, stacks: Sequence[Stack], numbers: Sequence[int], rounds: int, arms: Sequence[str]) -> None:
    """Let the arms take turns, and append what is found."""
    with tempfile.TemporaryDirectory() as scratch, file.open("a", newline="") as sink:
        writer = csv.writer(sink)
        order = random.Random(SEED + sink.tell())  # another one in each call that appends
        if sink.tell() == 0:
            writer.writerow(COLUMNS)
        for stack in stacks:
            program = compile_c(stack, Path(scratch))
            launch(stack, 2, "polympi", program)  # what is compiled and read from the disk once
            for ranks in numbers:
                for number in range(rounds):
                    for arm in order.sample(arms, len(arms)):
                        figures = launch(stack, ranks, arm, program)
                        writer.writerows((stack.name, ranks, number, arm, *line) for line in figures)
                        sink.flush()


def line_through(points: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The line of least squares: its value at 0, and its slope."""
    slope, intercept = statistics.linear_regression(*zip(*points, strict=True))
    return intercept, slope


def _row(cells: Sequence[object]) -> str:
    return "| " + " | ".join(map(str, cells)) + " |"


def memory_table(found: pl.DataFrame, numbers: Sequence[int]) -> list[str]:
    """Private memory of a rank in MiB, and what is beyond C in a line over the number of ranks."""
    head = ["after", "arm, MiB a rank", *numbers, "KiB a peer, last two", "beyond C: a rank + a peer"]
    lines = [_row(head), "|---|---|" + "---:|" * (len(numbers) + 2)]
    for step in (START, "all", COLLECTIVES, AT_ONCE):
        of = {
            (arm, ranks): kib
            for arm, ranks, kib in found.filter(step=step)
            .group_by("arm", "ranks")
            .agg(pl.col("private_kib").median())
            .iter_rows()
        }
        for arm in ARMS:
            if (arm, numbers[0]) not in of:
                continue
            beyond = [(ranks, of[arm, ranks] - of["c", ranks]) for ranks in numbers]
            (_, of_all), (_, last) = line_through(beyond), line_through(beyond[-2:])
            intercept, _ = line_through(beyond)
            said = (
                ["", ""]
                if arm in {"c", "python"}
                else [f"{last:.2f}", f"{intercept / 1024:.2f} MiB + {of_all:.2f} KiB"]
            )
            lines.append(_row([step, arm, *(f"{of[arm, ranks] / 1024:.2f}" for ranks in numbers), *said]))
    return lines


def host_table(found: pl.DataFrame, numbers: Sequence[int]) -> list[str]:
    """What all ranks of the machine take together after all steps, and of this the memory that polympi shares."""
    lines = [_row(["on the machine, MiB", *numbers]), "|---|" + "---:|" * len(numbers)]
    last = found.filter(step=AT_ONCE)
    for arm in ("c", "mpi4py", "polympi"):
        of = [last.filter(arm=arm, ranks=ranks)["pss_kib"].median() for ranks in numbers]
        lines.append(_row([arm, *(f"{kib / 1024:.0f}" for kib in of if isinstance(kib, float))]))
    for step in (START, "barrier", COLLECTIVES):
        shared = [found.filter(arm="polympi", ranks=ranks, step=step)["shared_bytes"].median() for ranks in numbers]
        cells = [f"{nbytes / 2**20:.2f}" for nbytes in shared if isinstance(nbytes, float)]
        lines.append(_row([f"shared by polympi's ranks, after {step}", *cells]))
    return lines


def start_table(found: pl.DataFrame, numbers: Sequence[int]) -> list[str]:
    """Time until all ranks have started MPI, and processor time of a rank: medians over rounds."""
    lines = [_row(["start", "arm", *numbers]), "|---|---|" + "---:|" * len(numbers)]
    start = found.filter(step=START)
    for title, column, factor, digits in (("ready, s", "since_s", 1, 1), ("processor, ms a rank", "cpu_s", 1e3, 0)):
        for arm in ARMS:
            of = [start.filter(arm=arm, ranks=ranks)[column].median() for ranks in numbers]
            lines.append(_row([title, arm, *(f"{factor * v:.{digits}f}" for v in of if isinstance(v, float))]))
    return lines


def tables(file: Path) -> None:
    """Show all that the file has."""
    raw = pl.read_csv(file, schema_overrides=dict.fromkeys(("shared_bytes", "pss_kib"), pl.Float64))
    for stack in map(str, raw["stack"].unique(maintain_order=True)):
        found = raw.filter(stack=stack)
        numbers = sorted(found["ranks"].unique())
        rounds = min(found.group_by("ranks", "arm", "step").len()["len"].to_list())
        print(f"\n{stack}: medians of at least {rounds} launches\n")
        for table in (memory_table, host_table, start_table):
            print("\n".join([*table(found, numbers), ""]))


def main() -> None:
    """Measure, or show what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["measure", "tables"])
    parser.add_argument("file", type=Path)
    parser.add_argument("--stacks", default="mpich,openmpi")
    parser.add_argument("--ranks", default="16,32,64,128,256")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--arms", default=",".join(ARMS))
    options = parser.parse_args()
    if options.action == "tables":
        tables(options.file)
        return
    stacks = chosen_stacks(options.stacks.split(","))
    numbers = [int(number) for number in options.ranks.split(",")]
    measure(options.file, stacks, numbers, options.rounds, options.arms.split(","))


if __name__ == "__main__":
    main()
