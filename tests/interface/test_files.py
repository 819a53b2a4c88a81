"""Files that all ranks read and write: `comm.open`, `save_npy`, `load_npy`, and what goes wrong with them."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from file_programs import ANY, BEGIN, END, NPY, TWO
from rank_programs import PRELUDE, Case, cases, on_ranks

pytestmark = pytest.mark.sanitize


@on_ranks({1: {**ANY, **NPY}, 2: {**ANY, **TWO, **NPY}, 4: NPY})
def test_files(run_in_job, stack, ranks: int, script: str) -> None:
    run_in_job(BEGIN + script + END, ranks, stack)


def test_hints_reach_the_library(run, stack, tmp_path: Path) -> None:
    script = """
import sys
import polympi as mpi
w = mpi.world
with w.open(sys.argv[1], "w", hints={"cb_buffer_size": 12345, "of_no_library": "x"}) as file:
    file.write_at_all(w.rank, b"a")
try:
    w.open(sys.argv[1], hints={"of_no_library": "with\\0in it"})
except ValueError:
    print("refused")
try:
    w.open(sys.argv[1], hints={"cb_nodes": w.rank})
except mpi.MismatchError:
    print("refused")
"""
    ended = run(script, 2, stack, arguments=[str(tmp_path / "data")], env={"ROMIO_PRINT_HINTS": "1"})
    assert ended.succeeded().count("refused") == 4
    if stack.family == "mpich":  # whose part for files, ROMIO, can print them
        assert "12345" in ended.stdout


@pytest.fixture(scope="module")
def full_disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A disk of 1 MiB."""
    folder = tmp_path_factory.mktemp("disk")
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(folder)]
    if subprocess.run(command, check=False, timeout=60, capture_output=True).returncode:
        pytest.skip("a small disk is mounted, which needs root")
    yield folder
    subprocess.run(["umount", str(folder)], check=True, timeout=60)


FULL = """
path = sys.argv[1] + "/data"
@contextlib.contextmanager
def full():
    try:
        yield
    except mpi.FileError as error:
        assert path in str(error) and "\\n" not in str(error)
        print("consequence" if error.consequence else "space" if "space" in str(error) else str(error))
    else:
        print("nothing", file=sys.stderr)
"""


@pytest.mark.parametrize("call", ["write_at_all", "write_at", "strided"])
def test_a_full_disk(run, stack, full_disk: Path, call: str) -> None:
    script = (
        FULL
        + {
            "write_at_all": "with full(), c.open(path, 'w') as f: f.write_at_all(rank << 20, bytes(1 << 20))",
            "write_at": "with c.open(path, 'w') as f:\n  with full(): f.write_at(rank << 21, bytes(2 << 20))",
            "strided": "with full(), c.open(path, 'w') as f:"
            " f.write_at_all(8 * rank, np.ones(1 << 17), strides=[8 * size])",
        }[call]
    )
    ended = run(PRELUDE + script, 2, stack, arguments=[str(full_disk)])
    assert "nothing" not in ended.stderr, str(ended)
    assert "space" in ended.succeeded()


@pytest.mark.parametrize("call", ["write_at_all", "write_at"])
def test_a_limit_of_file_sizes(run, stack, tmp_path: Path, call: str) -> None:
    script = f"""
import resource
path = sys.argv[1] + "/data"
with c.open(path, "w") as file:
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, -1))
    try:
        file.{call}(800 * rank, bytes(800))
    except mpi.FileError as error:
        assert "\\\\n" not in str(error), error
        print("failed", error.consequence)
    resource.setrlimit(resource.RLIMIT_FSIZE, (-1, -1))
"""
    said = run(PRELUDE + script, 2, stack, arguments=[str(tmp_path)]).succeeded()
    assert said.count("failed") == (2 if call == "write_at_all" else 1), said


ENDS = {
    "a file that nobody closes": Case(
        "file = c.open(sys.argv[1], 'w')\nfile.write_at_all(rank, b'x')\nfile.sync()\n"
        "print(os.path.getsize(sys.argv[1]))",
        words="2 2",
    ),
    "a file that is dropped": Case(
        "import warnings\nwarnings.simplefilter('error')\nsaid = []\nsys.unraisablehook = said.append\n"
        "c.open(sys.argv[1], 'w')\ngc.collect()\n"
        "assert 'was never closed' in str(said[0].exc_value), said\nprint(rank)",
        words="0 1",
    ),
    "a rank that is late": Case(
        "from polympi.native import core\nfile = c.open(sys.argv[1], 'w')\nif rank == 0:\n    core.set_timeout(0.3)\n"
        "    with raises(mpi.Timeout, 'waited 0.3 s in write_at_all()', 'nothing came from rank 1'):\n"
        "        file.write_at_all(0, b'x')\nin_turn()\nprint(rank)",
        words="0 1",
    ),
    "one rank raises": Case(
        "with c.open(sys.argv[1], 'w') as file:\n    if rank: raise RuntimeError('mine')\n"
        "    file.write_at_all(0, b'x')",
        code=1,
    ),
    "one rank raises and goes on": Case(
        "with contextlib.suppress(KeyError) if rank else raises(mpi.FileError, 'write_at_all() of ',\n"
        "        'rank 1 has left this file by an exception, so that it can\\'t be closed: KeyError: \\'mine\\'',\n"
        "        consequence=True, operation='write_at_all'), c.open(sys.argv[1], 'w') as file:\n"
        "    file.write_at_all(rank, b'x')\n    if rank: raise KeyError('mine')\n"
        "    file.write_at_all(rank, b'y')\n"
        "assert file.closed\nfile.close()\nwith raises(mpi.StateError): file.sync()\n"
        "with contextlib.suppress(KeyError), c.open(sys.argv[1], 'r') as file: raise KeyError(rank)  # on all\n"
        "with contextlib.suppress(KeyError, mpi.FileError), c.open(sys.argv[1], 'r') as file:\n"
        "    if rank: raise KeyError  # which rank 0 learns when it closes the file\n"
        "c.barrier()\nprint(open(sys.argv[1]).read())",
        words="xx xx",
        said=[],
    ),
    "one rank ends": Case(
        "file = c.open(sys.argv[1], 'w')\nif rank == 0:\n    file.write_at_all(0, b'x')",
        code=1,
    ),
    "atexit": Case(
        "import atexit\nfile = c.open(sys.argv[1], 'w')\n"
        "@atexit.register\ndef write():\n    file.write_at_all(rank, b'x')\n    file.close()\n    print(rank)",
        words="0 1",
    ),
    "after the end": Case(
        "file = c.open(sys.argv[1], 'w')\nmpi.finalize()\n"
        "with raises(mpi.StateError): file.write_at(0, b'x')\nwith raises(mpi.StateError): file.close()\nprint(rank)",
        words="0 1",
    ),
}


@cases(ENDS)
def test_how_programs_with_files_end(run, stack, tmp_path: Path, case: Case) -> None:
    path = tmp_path / "data"
    case.check(lambda *given, **options: run(*given, **{**options, "arguments": [str(path)]}), stack)
