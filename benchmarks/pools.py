"""Tasks per second of pools: polympi against mpi4py.futures and schwimmbad, in interleaved launches.

    python benchmarks/pools.py --stack mpich --workers 1,2 --rounds 6 --csv pools.csv

Each round launches each pool with each number of workers, in random order. The tables have the median over rounds and
the range: tasks per second of tiny tasks (a function that adds 1, by ``map`` with its default arguments, so that
mpi4py sends each alone); and how much longer 200 uneven tasks of 10 ms on average take than if all workers ended at
the same moment. Lines below the table say how much longer list scheduling of these tasks takes without any overhead: in
their order, as by a pool that doesn't know how long they take, and from the longest to the shortest. A rank more than
workers is launched, for the root. schwimmbad is installed from the package index into the tests' folder. With fewer
processors than ranks, figures of tiny tasks say how the ranks share them.
"""

import argparse
import csv
import heapq
import json
import os
import random
import statistics
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path

from mpi4py_suite import FURTHER, SCHWIMMBAD, TIMEOUT_S
from pools_rank import durations

from polympi.lab.bindings.core import build_core
from polympi.lab.bindings.made_once import made_once
from polympi.lab.home import home
from polympi.lab.process import run_tree
from polympi.lab.stacks.command import mpiexec_command
from polympi.lab.stacks.stack import Stack, get_stack

HERE = Path(__file__).parent
PROGRAM = HERE / "pools_rank.py"
ARMS = {"polympi": (), "mpi4py": ("-m", "mpi4py.futures"), "schwimmbad": ()}

Times = dict[tuple[int, str, str], list[float]]  # of workers, case and arm, by rounds


def packages(stack: Stack) -> Path:
    """A folder with schwimmbad."""
    folder = home() / "tests" / f"packages-of-{SCHWIMMBAD.folder}"
    with made_once(folder) as made:
        if made:
            command = [stack.python, "-m", "pip", "install", "--quiet", "--no-deps", "--root-user-action=ignore"]
            wanted = [f"{SCHWIMMBAD.name}=={SCHWIMMBAD.version}", *FURTHER]
            subprocess.run([*command, "--target", str(made), *wanted], check=True, timeout=TIMEOUT_S)
    return folder


def launch(arm: str, workers: int, stack: Stack, tasks: str, uneven: int) -> dict[str, float]:
    """The figures of one launch."""
    words = [stack.python, *ARMS[arm], str(PROGRAM), arm, tasks, str(uneven)]
    command = mpiexec_command(stack, workers + 1, words, processors=len(os.sched_getaffinity(0)))
    path = os.pathsep.join([str(HERE.parent / "src"), str(packages(stack))])
    variables = {**stack.variables(), "PYTHONPATH": path, "POLYMPI_CORE_FOLDER": str(build_core(stack))}
    with tempfile.TemporaryDirectory() as scratch:
        output = Path(scratch, "output")
        ended = run_tree(command, environment=variables, timeout_s=TIMEOUT_S, output=output)
        line = next((line for line in output.read_text().splitlines() if line.startswith("{")), "")
    if not line:  # schwimmbad's workers may be killed at the end, after the figures
        raise SystemExit(f"{arm} with {workers} workers ended with {ended.exit_code}:\n{ended.tail}")
    found: dict[str, float] = json.loads(line)
    return found


def text(values: list[float], workers: int, case: str) -> str:
    """The median and the range, of tasks per second, or of the time beyond the ideal."""
    number, _, kind = case.partition(" ")
    if kind == "tiny tasks":
        shown = sorted(int(number) / value for value in values)
        return f"{statistics.median(shown):,.0f} ({shown[0]:,.0f} to {shown[-1]:,.0f})"
    shown = sorted(100 * (value * workers - 1) for value in values)
    return f"{statistics.median(shown):.1f} % ({shown[0]:.1f} to {shown[-1]:.1f} %)"


def beyond_ideal(tasks: list[float], workers: int) -> float:
    """Percent that list scheduling takes longer than if all workers ended at once: each task goes to the first free."""
    busy_until = [0.0] * workers
    for task in tasks:
        heapq.heapreplace(busy_until, busy_until[0] + task)
    return 100 * (max(busy_until) * workers / sum(tasks) - 1)


def main() -> None:
    """Launch all rounds, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stack", default="mpich")
    parser.add_argument("--workers", default="1,2", help="numbers of workers")
    parser.add_argument("--tasks", default="1000,100000", help="numbers of tiny tasks")
    parser.add_argument("--uneven", type=int, default=200, help="how many uneven tasks")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--csv", type=Path, help="where to keep the figures of each launch")
    options = parser.parse_args()
    stack, times, order = (
        get_stack(options.stack),
        defaultdict[tuple[int, str, str], list[float]](list),
        random.Random(),
    )
    launches = [(arm, int(workers)) for arm in ARMS for workers in options.workers.split(",")]
    rows: list[tuple[object, ...]] = []
    for number in range(options.rounds):
        for arm, workers in order.sample(launches, len(launches)):
            for case, value in launch(arm, workers, stack, options.tasks, options.uneven).items():
                times[workers, case, arm].append(value)
                rows.append((number, workers, case, arm, value))
    if options.csv:
        with options.csv.open("w", newline="") as file:
            csv.writer(file).writerows([("round", "workers", "case", "pool", "value"), *rows])
    print(f"| workers | case | {' | '.join(ARMS)} |\n|{'---|' * (2 + len(ARMS))}")
    for workers, case in dict.fromkeys((workers, case) for workers, case, _ in sorted(times)):
        cells = [text(times[workers, case, arm], workers, case) for arm in ARMS]
        print(f"| {workers} | {case} | {' | '.join(cells)} |")
    tasks = durations(options.uneven)
    for workers in map(int, options.workers.split(",")):
        unknown, known = beyond_ideal(tasks, workers), beyond_ideal(sorted(tasks, reverse=True), workers)
        print(f"{workers} workers without overhead: {unknown:.1f} % in order, {known:.1f} % from the longest task")


if __name__ == "__main__":
    main()
