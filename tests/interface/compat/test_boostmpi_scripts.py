"""The facade of boostmpi and boost.mpi runs scripts: the examples, and what ends a job."""

from pathlib import Path

import pytest

from polympi.lab.stacks.stack import Stack


@pytest.mark.mpi
def test_a_script_imports_any_of_the_names_and_ends_mpi_itself(run_as, stack: Stack, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import boost\n"
        "early = boost.mpi.rank\n"
        "import boost.mpi as one, boostmpi as two, mpi as three, boost.parallel.mpi as four\n"
        "from boost.parallel import mpi as five\n"
        "assert four is five is boost.parallel.mpi is one\n"
        "from boost import mpi\n"
        "from boostmpi import *\n"
        "assert one is two is three is mpi is boost.mpi and early == rank and broadcast(rank, 0) == 0\n"
        "assert issubclass(Error, Exception) and Exception is not mpi.Exception\n"
        "mpi.finalize()\n"
        "finalize()\n"
        "assert (finalized(), initialized(), rank < size) == (True, True, True)\n"
        "try:\n    world.send(0)\nexcept mpi.Exception as error:\n    print(error)\n"
    )
    ended = run_as(["--as", "auto", str(script)], 2, stack)
    assert ended.succeeded() == 2 * "MPI is finalised: no call is possible any more\n"
    assert f"{script} runs as one for boostmpi (boostmpi 1.38 or boost.mpi 1.74): it imports boost," in ended.stderr


@pytest.mark.mpi
@pytest.mark.parametrize("call", ["mpi.abort(3)", "mpi.world.abort(3)", "mpi.abort(0)", "1 / 0"])
def test_one_rank_ends_the_whole_job(run_as, mpich: Stack, tmp_path: Path, call: str) -> None:
    script = tmp_path / "script.py"
    script.write_text(f"import boostmpi as mpi\nif mpi.rank:\n    {call}\nmpi.world.recv(1)\n")
    ended = run_as(["--as", "boostmpi", str(script)], 2, mpich)
    assert ended.exit_code == (3 if "3" in call else 1), str(ended)


@pytest.mark.mpi
def test_a_script_without_a_launcher_is_alone(run_as, stack: Stack, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import mpi\nmpi.world.send(0, 1, 'to myself')\n"
        "print(mpi.world.recv(0, 1), mpi.size, mpi.all_reduce(mpi.world, 5, max), mpi.gather(mpi.world, 'a', 0))\n"
    )
    assert run_as(["--as", "boostmpi", str(script)], None, stack).succeeded() == "to myself 1 5 ('a',)\n"
