"""The examples of the facades on one rank to four: each facade's in one job, one after another."""

import re
from pathlib import Path

import pytest

from polympi.lab.stacks.stack import Stack

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parents[3] / "examples" / "compat"
# On how many ranks some run alone: on others they say so, and end.
RANKS = {
    "network_timing.py": {2},
    "pypar/objects.py": {2},
    "pypar/master_slave.py": {2, 3, 4},
    "mympi/master_slave.py": {2, 3, 4},
    "boostmpi/hello.py": {2, 3, 4},
    "scientific/master_slave.py": {2, 3, 4},
    "scientific/send_receive.py": {2, 3, 4},
    "mpi4py/objects.py": {2, 3, 4},
}
RUNNER = """
import os
import sys
import polympi
from polympi.compat import command, mympi, pypar
pypar.finalize = mympi.mpi_finalize = lambda: None  # there is a next script
facade, folder, *paths = sys.argv[1:]
os.chdir(folder)
for path in paths:
    assert command.main(["--as", facade, path, "log.txt"]) == 0
    print(f"ran {os.path.basename(path)} on {polympi.world.rank}")
    polympi.world.barrier()  # a master that receives from any rank must not meet messages of the next script
"""

ALONE = [name for name in RANKS if "/" in name and 1 not in RANKS[name]]


def can_run(facade: str, example: Path, ranks: int) -> bool:
    return all(ranks in RANKS.get(name, {ranks}) for name in (example.name, f"{facade}/{example.name}"))


# The facades are Python, so what depends on the number of ranks is the same on both libraries.
@pytest.mark.parametrize(
    ("stack", "ranks"), [*(("mpich", ranks) for ranks in (1, 2, 3, 4)), ("openmpi", 2)], indirect=["stack"]
)
@pytest.mark.parametrize("facade", ["pypar", "pympi", "mympi", "scientific", "boostmpi", "mpi4py"])
def test_the_examples_of_a_facade_run(run, stack: Stack, tmp_path: Path, facade: str, ranks: int) -> None:
    examples = sorted((EXAMPLES / facade).glob("*.py"))
    chosen = [example for example in examples if can_run(facade, example, ranks)]
    ended = run(RUNNER, ranks, stack, arguments=[facade, str(tmp_path), *map(str, chosen)])
    ran = sorted(line for line in ended.succeeded().splitlines() if line.startswith("ran "))
    assert ran == sorted(f"ran {example.name} on {rank}" for example in chosen for rank in range(ranks))
    assert ended.stderr == ""


@pytest.mark.parametrize("name", [*ALONE, "pypar/network_timing.py"])
def test_an_example_says_how_many_ranks_it_needs(run_as, mpich: Stack, name: str) -> None:
    ended = run_as(["--as", name.partition("/")[0], str(EXAMPLES / name)], 1, mpich, timeout=30)
    assert ended.exit_code == 1, ended
    assert re.search(r"needs (two|a master)", ended.stderr), ended
