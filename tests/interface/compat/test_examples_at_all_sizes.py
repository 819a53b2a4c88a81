"""The examples of the facades on one rank to four: each facade's in one job, one after another."""

from __future__ import annotations

from pathlib import Path

import pytest

from polympi.lab.stacks.stack import Stack

pytestmark = [pytest.mark.mpi, pytest.mark.large]

EXAMPLES = Path(__file__).parents[3] / "examples" / "compat"
# On how many ranks some run alone: on others they say so, and end.
RANKS = {
    "network_timing.py": {2},
    "pypar/objects.py": {2},
    "pypar/master_slave.py": {2, 3, 4},
    "mympi/master_slave.py": {2, 3, 4},
    "boostmpi/hello.py": {2, 3, 4},
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


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
@pytest.mark.parametrize("facade", ["pypar", "pympi", "mympi", "scientific", "boostmpi", "mpi4py"])
def test_the_examples_of_a_facade_run(run, stack: Stack, tmp_path: Path, facade: str, ranks: int) -> None:
    examples = sorted((EXAMPLES / facade).glob("*.py"))
    chosen = [
        example
        for example in examples
        if ranks in RANKS.get(example.name, {ranks}) & RANKS.get(f"{facade}/{example.name}", {ranks})
    ]
    ended = run(RUNNER, ranks, stack, arguments=[facade, str(tmp_path), *map(str, chosen)])
    ran = sorted(line for line in ended.succeeded().splitlines() if line.startswith("ran "))
    assert ran == sorted(f"ran {example.name} on {rank}" for example in chosen for rank in range(ranks))
    assert ended.stderr == ""
