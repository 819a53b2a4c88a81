"""Memory and start-up of the interface with many ranks on this machine, beside those of MPI alone.

    python benchmarks/many_ranks.py --stack mpich,openmpi 16 64 128 256

Each number of ranks is launched in four ways, `--launches` times each, in turn: a Python program that only starts MPI
(`polympi.plain_world`), the same with `polympi.world`, with its first barrier, and with one call of each collective.
Start-up is from the start of the launcher until the last rank is that far. Then all ranks stay, and each reads its
proportional set size (PSS: what several processes share counts in equal parts), of which the mean is shown, so that the
number of ranks times the figure is what the machine needs. Where ranks outnumber processors, they start one after the
other for the most part.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from one_of_many_ranks import WAYS

from polympi.lab.process import run_tree
from polympi.lab.stacks.command import mpiexec_command
from polympi.lab.stacks.stack import installed_stacks

LIMIT_S = 300.0  # for a launch; the slowest of 256 ranks on two processors took a tenth of it
PROGRAM = Path(__file__).with_name("one_of_many_ranks.py")
SOURCES = Path(__file__).parents[1] / "src"


class Launched(NamedTuple):
    """Figures of a launch: seconds of start-up, and MiB of a rank."""

    seconds: float
    mib: float


def launched(stack_name: str, ranks: int, way: str) -> Launched:
    """Launch once."""
    stack = installed_stacks()[stack_name]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        figures: dict[str, list[float]] = {"came": [], "memory": []}
        word = {"came": "all", "memory": "end"}

        def look() -> None:
            for name, values in figures.items():
                if not values and len(files := list(folder.glob(f"{name}-*"))) == ranks:
                    values.extend(float(file.read_text()) for file in files)
                    (folder / word[name]).touch()

        program = [stack.python, str(PROGRAM), way, place]
        command = mpiexec_command(stack, ranks, program, processors=len(os.sched_getaffinity(0)))
        environment = {**stack.variables(), "PYTHONPATH": str(SOURCES), "OMPI_MCA_btl": "^ofi"}
        began = time.monotonic()
        ended = run_tree(
            command, environment=environment, timeout_s=LIMIT_S, output=folder / "output", on_tick=look, folder=folder
        )
        if ended.exit_code != 0 or not figures["memory"]:
            raise SystemExit(f"{ranks} ranks of {stack_name} ({way}) ended with {ended.exit_code}:\n{ended.tail}")
    return Launched(max(figures["came"]) - began, statistics.mean(figures["memory"]) / 1024)


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ranks", nargs="*", type=int, default=[16, 64], help="numbers of ranks")
    parser.add_argument("--stack", default="mpich,openmpi")
    parser.add_argument("--launches", type=int, default=3, help="of each way; the median is shown")
    arguments = parser.parse_args()
    print(f"| stack | ranks | {' | '.join(WAYS)} | {' | '.join(WAYS)} |")
    print(f"|---|---:|{'---:|' * 2 * len(WAYS)}")
    for stack in arguments.stack.split(","):
        for ranks in arguments.ranks:
            rounds = [{way: launched(stack, ranks, way) for way in WAYS} for _ in range(arguments.launches)]
            seconds = [f"{statistics.median(made[way].seconds for made in rounds):.2f} s" for way in WAYS]
            memory = [f"{statistics.median(made[way].mib for made in rounds):.1f} MiB" for way in WAYS]
            print(f"| {stack} | {ranks} | {' | '.join([*seconds, *memory])} |")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
