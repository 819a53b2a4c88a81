"""Communicators from mpi4py and C in the same process, and for them."""

import subprocess
import sysconfig
from pathlib import Path

import pytest
from rank_programs import PRELUDE

PROGRAMS = Path(__file__).parent / "programs" / "partners"


@pytest.fixture
def total(stack, tmp_path: Path) -> str:
    """A library of C whose functions take a communicator."""
    library = str(tmp_path / "libtotal.so")
    command = [stack.mpicc, "-shared", "-fPIC", "-Wall", "-Werror", "-o", library, str(PROGRAMS / "total.c")]
    subprocess.run(command, env=stack.variables(), check=True)
    return library


@pytest.mark.parametrize("first", ["mpi4py", "polympi"])
def test_communicators_go_to_mpi4py_and_back(run, stack, total: str, first: str) -> None:
    ended = run("partners/wraps.py", 2, stack, arguments=[first, total])
    ended.ends(0, "done done")
    assert ended.left <= 1  # what rank 0 told rank 1 in the call that it makes alone
    assert ended.stderr == ""


@pytest.mark.slow
def test_cython_takes_the_handle(run, stack, tmp_path: Path) -> None:
    source, made = tmp_path / "cython_total.pyx", tmp_path / "cython_total.c"
    source.write_text((PROGRAMS / source.name).read_text())
    subprocess.run([stack.python, "-m", "cython", str(source), "-o", str(made)], check=True)
    module = tmp_path / f"cython_total{sysconfig.get_config_var('EXT_SUFFIX')}"
    command = [stack.mpicc, "-shared", "-fPIC", f"-I{sysconfig.get_path('include')}", str(made), "-o", str(module)]
    subprocess.run(command, env=stack.variables(), check=True)
    script = f"""
import sys
sys.path.insert(0, {str(tmp_path)!r})
import cython_total
import polympi as mpi
for comm in (mpi.world, mpi.world.dup(), mpi.world.split(0), mpi.world.raw):
    assert cython_total.total(comm, 1.5) == 3
print("done")
"""
    assert run(script, 2, stack).succeeded().split() == ["done"] * 2


def test_without_mpi4py_a_sentence_says_so(run_in_job, stack) -> None:
    script = """
sys.modules["mpi4py"] = None
try:
    with raises(mpi.LibraryError, f"rank {rank}, to_mpi4py(): mpi4py cannot be imported ("):
        c.to_mpi4py()
finally:
    del sys.modules["mpi4py"]
"""
    run_in_job(PRELUDE + script, 2, stack)


def test_an_mpi4py_of_another_library_is_refused(run_in_job, stack) -> None:
    script = """
import types
class Theirs:
    def py2f(self):
        return 0
kept = sys.modules.get("mpi4py.MPI")
other = types.SimpleNamespace(Get_library_version=lambda: "Other MPI 1.0", Is_initialized=lambda: True)
sys.modules["mpi4py.MPI"] = other
try:
    with raises(mpi.LibraryError, "wrap(): mpi4py runs on another MPI library (Other MPI 1.0) than polympi ("):
        mpi.wrap(Theirs())
finally:
    del sys.modules["mpi4py.MPI"]
    if kept:
        sys.modules["mpi4py.MPI"] = kept
"""
    run_in_job(PRELUDE + script, 2, stack)
