"""Scripts written for the older modules: how they are recognised and checked, and how they start and end MPI."""

import textwrap
from pathlib import Path

import pytest
from hosts import codes_of_failure

from polympi.compat.check import report
from polympi.compat.choice import choose
from polympi.compat.facades import FACADES
from polympi.compat.script import ScriptError, read
from polympi.lab.stacks.stack import Stack

pytestmark = pytest.mark.any_library


def written(folder: Path, text: str) -> str:
    """The path of a script with this text."""
    path = folder / "script.py"
    path.write_text(textwrap.dedent(text))
    return str(path)


# ---- without MPI ----

# Of each module a script, and what the check says of its lines; {name} is the sentence about a difference.
CHECKED = {
    "pympi": (
        "import mpi\nif mpi.testall([]):\n    mpi.map(abs, [1])\nmpi.barrier()\n",
        ["map (line 3): {map}", "testall (line 2): {testall}", "All other names"],
    ),
    "mympi": (
        "from mpi import *\nfrom Numeric import *\nmpi_isend(zeros(3))\nmpi_barrier(MPI_COMM_WORLD)\n",
        ["MPI_COMM_WORLD (line 4): {MPI_COMM_WORLD}", "mpi_isend (line 3): {mpi_isend}", "All other names"],
    ),
    "boostmpi": (
        "import boost.mpi\nfrom boost.mpi import *\nboost.mpi.finalize()\ntry:\n    rank\n"
        "except Exception:\n    boost.mpi.bsend(1)\n",
        [
            "Exception (line 6): {Exception}",
            "bsend (line 7): is not there.",
            "finalize (line 3): {finalize}",
            "All other names",
        ],
    ),
    "scientific": (  # the check reports on the module, not on its arrays
        "from Scientific import MPI, N\nfrom Scientific.MPI import world\nx = N.zeros(2, N.Float)\n"
        "MPI.world.reduce(x, x, MPI.replace, 0)\nMPI.none\n",
        ["none (line 5): is not there.", "replace (line 4): {replace}", "world (lines 2, 4): {world}"],
    ),
    "mpi4py": (
        "from mpi4py import MPI\nMPI.COMM_WORLD.send(1, 0)\nMPI.Nosuch\n",
        ["COMM_WORLD (line 2): {COMM_WORLD}", "Nosuch (line 3): is not there."],
    ),
}


@pytest.mark.parametrize("name", CHECKED)
def test_the_check_names_what_differs(tmp_path: Path, name: str) -> None:
    text, lines = CHECKED[name]
    script = read(written(tmp_path, text))
    facade, _ = choose("auto", script)
    first, *found = report(script, facade)
    assert first == f"{tmp_path / 'script.py'} is written for {facade.of}: --as {name}"
    expected = [f"  {line.format(**facade.differences())}" for line in lines]
    assert found == [line.replace("names", "names that it uses are as before.") for line in expected]


def test_a_script_is_recognised_by_its_names(tmp_path: Path) -> None:
    def chosen(text: str) -> str:
        return choose("auto", read(written(tmp_path, text)))[0].name

    for imported in (
        "import boostmpi as mpi", "import boost.mpi as mpi", "from boost import mpi", "from boost.parallel import mpi",
        "import boost.parallel.mpi as mpi",
    ):  # fmt: skip
        assert chosen(f"{imported}\nmpi.rank\n") == "boostmpi"
    assert chosen("import boost.mpi\nboost.mpi.rank\n") == "boostmpi"
    assert chosen("import mpi\nmpi.all_reduce(mpi.world, mpi.rank, max)\n") == "boostmpi"
    assert chosen("import mpi\nmpi.allreduce(mpi.rank, mpi.MAX)\n") == "pympi"
    with pytest.raises(ScriptError, match=r"may be written for pympi and .*boostmpi: say which with --as\."):
        chosen("import mpi\nmpi.rank\n")


# ---- on ranks ----

FINALISED = "MPI is finalised: no call is possible any more"
# Of each module a script that starts and ends MPI itself, what it imports, and what each rank writes.
STARTED = {
    "pympi": (
        """
        import sys
        from mpi import *
        import mpi
        assert list(map(abs, [-1])) == [1] and sys.argv[1:] == ["a", "b c"]
        total = allreduce(1, SUM)
        mpi.finalize(); finalize()
        assert (finalized(), initialized(), total, rank < size) == (1, 1, mpi.size, True)
        try:
            send(1, 0)
        except RuntimeError as error:
            print(error)
        """,
        "mpi",
        [FINALISED],
    ),
    "mympi": (
        """
        import sys
        import mpi, mympi
        from mpi import *
        from Numeric import *
        assert mpi is mympi
        try:
            mpi_comm_rank(MPI_COMM_WORLD)
        except mpi.error as failure:
            print(failure)
        sys.argv = mpi_init(len(sys.argv), sys.argv)
        assert sys.argv[1:] == ("a", "b c"), sys.argv
        myid = mpi_comm_rank(MPI_COMM_WORLD)
        data = mpi_reduce(zeros(3, "i") + ones(3), 3, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD)
        assert data.tolist() == [2, 2, 2] * (myid == 0)
        assert mpi_finalize() == mpi_finalize() == 0
        assert (mpi_comm_rank(MPI_COMM_WORLD), mpi_comm_size(MPI_COMM_WORLD)) == (myid, 2)
        try:
            mpi_barrier(MPI_COMM_WORLD)
        except mpi.error as failure:
            print(failure)
        """,
        "Numeric, mpi, mympi",
        ["mpi_comm_rank(): MPI does not run yet: call mpi_init(len(sys.argv), sys.argv) first", FINALISED],
    ),
    "boostmpi": (
        """
        import boost
        early = boost.mpi.rank
        import boost.mpi as one, boostmpi as two, mpi as three, boost.parallel.mpi as four
        from boost.parallel import mpi as five
        assert four is five is boost.parallel.mpi is one
        from boost import mpi
        from boostmpi import *
        assert one is two is three is mpi is boost.mpi and early == rank and broadcast(rank, 0) == 0
        assert issubclass(Error, Exception) and Exception is not mpi.Exception
        mpi.finalize()
        finalize()
        assert (finalized(), initialized(), rank < size) == (True, True, True)
        try:
            world.send(0)
        except mpi.Exception as error:
            print(error)
        """,
        "boost,",
        [FINALISED],
    ),
}


@pytest.mark.parametrize("name", STARTED)
def test_a_script_starts_and_ends_mpi_itself(run_as, stack: Stack, tmp_path: Path, name: str) -> None:
    text, imported, lines = STARTED[name]
    script = written(tmp_path, text)
    ended = run_as(["--as", "auto", script, "a", "b c"], 2, stack)
    assert sorted(ended.succeeded().splitlines()) == sorted(lines * 2)
    assert f"{script} runs as one for {name} ({FACADES[name].of}): it imports {imported}" in ended.stderr


# How one rank ends the job, with which code, and what it writes to standard error.
ABORTS = [
    ("pypar", "import pypar\nif pypar.rank() == 1:\n    {}['missing']\npypar.receive(1)\n", 1, "KeyError: 'missing'"),
    ("pypar", "import pypar\nif pypar.rank() == 1:\n    raise SystemExit(3)\npypar.receive(1)\n", 3, ""),
    ("pypar", "import pypar\nif pypar.rank() == 1:\n    pypar.abort()\npypar.receive(1)\n", 1, ""),
    ("pympi", "import mpi\nmpi.abort(3)\n", 3, ""),
    ("pympi", "import mpi\nif mpi.rank:\n    1 / 0\nmpi.recv()\n", 1, "ZeroDivisionError"),
    (
        "mympi",
        "import mpi\nmpi.mpi_init(0, [])\nW = mpi.MPI_COMM_WORLD\nif mpi.mpi_comm_rank(W):\n"
        "    mpi.mpi_send([1], 2, mpi.MPI_INT, 0, 0, W)\nmpi.mpi_recv(1, mpi.MPI_INT, 1, 0, W)\n",
        1,
        "error: rank 1, mpi_send(): the count is 2, but the buffer has 1 elements",
    ),
    *(
        ("boostmpi", f"import boostmpi as mpi\nif mpi.rank:\n    {call}\nmpi.world.recv(1)\n", code, "")
        for call, code in [("mpi.abort(3)", 3), ("mpi.world.abort(3)", 3), ("mpi.abort(0)", 1), ("1 / 0", 1)]
    ),
]


@pytest.mark.parametrize("end", ABORTS)
def test_one_rank_ends_the_whole_job(run_as, stack: Stack, tmp_path: Path, end: tuple[str, str, int, str]) -> None:
    name, text, code, said = end
    script = written(tmp_path, text)
    ended = run_as(["--as", name, script], 2, stack)
    assert ended.exit_code in codes_of_failure(code, stack.family), str(ended)
    assert said in ended.stderr
    if name == "pypar" and said:
        assert f'[rank 1]   File "{script}", line 3, in <module>' in ended.stderr


ALONE = {
    "scientific": (
        """
        from Scientific.MPI import world
        from Scientific import N
        assert (world.rank, world.size) == (0, 1)
        world.send(N.arange(1000000), 0, 1)
        world.send("text", 0, 2)
        print(world.receiveString(0, 2)[0], len(world.receive(N.Int)[0]))
        """,
        "text 1000000\n",
    ),
    "boostmpi": (
        """
        import mpi
        mpi.world.send(0, 1, "to myself")
        print(mpi.world.recv(0, 1), mpi.size, mpi.all_reduce(mpi.world, 5, max), mpi.gather(mpi.world, "a", 0))
        """,
        "to myself 1 5 ('a',)\n",
    ),
}


@pytest.mark.parametrize("name", ALONE)
def test_a_script_without_a_launcher_is_one_rank(run_as, stack: Stack, tmp_path: Path, name: str) -> None:
    text, written_by_it = ALONE[name]
    ended = run_as(["--as", "auto", written(tmp_path, text)], None, stack)
    assert ended.succeeded() == written_by_it
    assert f"runs as one for {name} ({FACADES[name].of})" in ended.stderr


def test_every_way_to_import_scientific_finds_the_same_module(run_as, stack: Stack, tmp_path: Path) -> None:
    text = """
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
    """
    ended = run_as(["--as", "scientific", written(tmp_path, text)], 2, stack)
    assert ended.exit_code == 3
    assert sorted(ended.stdout.splitlines()) in (["3 2"] * 2, ["3 2"], []), ended  # what is not flushed is lost
