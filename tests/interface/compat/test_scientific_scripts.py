"""The facade of Scientific.MPI runs scripts: the examples, and what imports it in any way."""

from pathlib import Path

import pytest

from polympi.lab.stacks.stack import Stack


@pytest.mark.mpi
def test_every_way_to_import_it_finds_the_same_module(run_as, stack: Stack, tmp_path: Path) -> None:
    program = tmp_path / "imports.py"
    program.write_text("""
import Scientific.MPI
from Scientific import MPI, N
from Scientific.MPI import world
from Scientific.MPI.IO import LogFile
import Scientific.MPI.IO, Scientific.N
assert Scientific.MPI is MPI and MPI.world is world and MPI.IO.LogFile is LogFile and Scientific.N is N
from polympi.compat.scientific import MPI as facade
assert facade is MPI
def stars():
    names = {}
    exec("from Scientific.MPI import *; from Scientific.N import *", names)
    return names
names = stars()
try:
    from Scientific.BSP import ParData
except NotImplementedError as error:
    assert "Scientific.BSP of ScientificPython is not in polympi.compat.scientific" in str(error)
else:
    raise AssertionError
assert names["max"] is MPI.max and names["world"] is world and names["sum"] is N.sum
world.send(N.zeros(3, N.Float), (world.rank + 1) % world.size, 0)
print(len(world.receive(N.Float)[0]), world.size)
world.barrier()
if world.rank == 0:
    world.abort(3)
world.receiveString()
""")
    ended = run_as(["--as", "scientific", str(program)], 2, stack)
    assert ended.exit_code == 3
    assert sorted(ended.stdout.splitlines()) in (["3 2"] * 2, ["3 2"], []), ended  # what is not flushed is lost


@pytest.mark.mpi
def test_a_script_without_a_launcher_is_one_rank(run_as, stack: Stack, tmp_path: Path) -> None:
    program = tmp_path / "alone.py"
    program.write_text("""
from Scientific.MPI import world
from Scientific import N
assert (world.rank, world.size) == (0, 1)
world.send(N.arange(1000000), 0, 1)
world.send("text", 0, 2)
print(world.receiveString(0, 2)[0], len(world.receive(N.Int)[0]))
""")
    ended = run_as(["--as", "auto", str(program)], None, stack)
    assert ended.succeeded() == "text 1000000\n"
    assert "runs as one for scientific (Scientific.MPI of ScientificPython 2.9)" in ended.stderr
