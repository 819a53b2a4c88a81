import shutil
import sys
from pathlib import Path

import msgspec
import pytest

from polympi.lab.errors import StackError
from polympi.lab.stacks.add import add_stack, probe
from polympi.lab.stacks.describe import describe
from polympi.lab.stacks.home import home
from polympi.lab.stacks.stack import Stack, forget, get_stack, installed_stacks, remember


@pytest.fixture
def empty_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("POLYMPI_HOME", str(tmp_path))
    return tmp_path


def _fake(tmp_path: Path, **changes: str) -> Stack:
    fields = {"name": "fake", "family": "mpich", "origin": "system", "mpiexec": "x", "mpicc": "x", "python": "x"}
    return Stack(**{**fields, **changes})


@pytest.mark.mpi
def test_a_wheel_stack_is_installed_and_runs(stack: Stack) -> None:
    assert stack.name in installed_stacks()
    assert get_stack(stack.name) == stack
    probed = probe(stack)
    assert ("MPICH" if stack.name == "mpich" else "Open MPI") in probed.library
    assert Path(probed.libmpi).is_relative_to(stack.folder)
    facts = describe(stack)
    assert any(str(p).startswith("mpi4py==") for p in facts["packages"])
    assert "-lmpi" in str(facts["compiles as"])


@pytest.mark.mpi
def test_a_launcher_of_another_mpi_is_told(mpich: Stack, openmpi: Stack) -> None:
    mixed = msgspec.structs.replace(mpich, mpiexec=openmpi.mpiexec, family="openmpi")
    with pytest.raises(StackError, match=r"does not belong to the MPI of .*: every rank was 0 of 1|ended with code"):
        probe(mixed)


@pytest.mark.mpi
def test_the_machines_own_mpi_is_a_stack(empty_home: Path) -> None:
    if shutil.which("mpicc") is None:
        pytest.skip("this machine has no MPI of its own")
    stack = add_stack("system", ["mpi4py>=4.1", "numpy>=2.0"])
    assert stack.origin == "system"
    assert stack.name in installed_stacks()
    assert not Path(stack.libmpi).is_relative_to(empty_home)


def test_home_follows_the_variable_then_the_environment(empty_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert home() == empty_home
    monkeypatch.delenv("POLYMPI_HOME")
    if sys.prefix != sys.base_prefix:
        assert home() == Path(sys.prefix) / "share" / "polympi"


def test_unknown_and_missing_stacks_are_told(empty_home: Path) -> None:
    with pytest.raises(StackError, match=r"no stack 'mpich' \(none is installed\).*polympi stack add mpich"):
        get_stack("mpich")
    with pytest.raises(StackError, match="'mvapich' is not a stack polympi knows"):
        add_stack("mvapich", [])
    with pytest.raises(StackError, match="cannot name a stack"):
        add_stack("../x", [], mpicc="mpicc")
    with pytest.raises(StackError, match="There is no stack 'fake' to remove"):
        forget("fake")


def test_a_missing_mpiexec_is_told(empty_home: Path) -> None:
    remember(_fake(empty_home, mpiexec="/nowhere/mpiexec", mpicc=sys.executable, python=sys.executable))
    with pytest.raises(StackError, match=r"mpiexec of stack 'fake' is missing \(/nowhere/mpiexec\)"):
        get_stack("fake")
    forget("fake")
    assert installed_stacks() == {}


def test_a_missing_mpicc_is_told(empty_home: Path) -> None:
    with pytest.raises(StackError, match="There is no 'mpicc-nobody-has' on PATH"):
        add_stack("mine", [], mpicc="mpicc-nobody-has")


def test_a_damaged_record_is_told(empty_home: Path) -> None:
    remember(_fake(empty_home))
    (empty_home / "stacks" / "fake" / "stack.json").write_text("{")
    with pytest.raises(StackError, match="is damaged"):
        installed_stacks()


def test_variables_of_an_outer_launcher_do_not_reach_the_ranks(
    empty_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PMI_RANK", "3")
    monkeypatch.setenv("OMPI_COMM_WORLD_RANK", "3")
    variables = _fake(empty_home, mpiexec="/opt/mpi/bin/mpiexec").variables()
    assert "PMI_RANK" not in variables
    assert "OMPI_COMM_WORLD_RANK" not in variables
    assert variables["PATH"].startswith("/opt/mpi/bin:")
