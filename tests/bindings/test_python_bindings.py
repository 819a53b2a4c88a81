"""The bindings for Python say what they cannot do: on one rank, with a bad plan, in trouble."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from polympi.lab.bindings.build import build, program_command
from polympi.lab.bindings.harness import start_library
from polympi.lab.bindings.manifest import Binding, load_bindings
from polympi.lab.catalogue import Case
from polympi.lab.plan.text import plan_text
from polympi.lab.protocol import LaunchSamples, read_samples
from polympi.lab.records import PlannedCase
from polympi.lab.stacks.command import mpiexec_command
from polympi.lab.stacks.stack import Stack

pytestmark = pytest.mark.mpi

BINDINGS = ("mpi4py", "mpi4py-object", "mpi4py-pkl5", "polympi", "polympi-object")
FACADES = ("pypar", "pympi", "mympi", "scientific", "boostmpi-compat")
PROGRAMS = ("mpi4py", "polympi", "scientific")  # a binding of each
COUNTS = {"warmup": 1, "batches": 3, "iterations": 2, "events": 4}
TIMEOUT_S = 300


def plan_of(cases: list[Case]) -> dict[int, PlannedCase]:
    return {
        number: PlannedCase(benchmark=c.benchmark, mode=c.mode, payload=c.payload, size_bytes=c.size_bytes, **COUNTS)
        for number, c in enumerate(cases)
    }


def run_program(
    stack: Stack, binding: Binding, ranks: int, plan: Path, samples: Path, **variables: str
) -> subprocess.CompletedProcess[str]:
    program = program_command(binding, stack, build(binding, stack), plan, samples)
    command = mpiexec_command(stack, ranks, program, processors=len(os.sched_getaffinity(0)))
    return subprocess.run(
        command,
        env=stack.variables() | variables,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=TIMEOUT_S,
        check=False,
    )


def run_cases(stack: Stack, name: str, ranks: int, cases: list[Case], folder: Path, **variables: str) -> LaunchSamples:
    plan, samples = folder / "plan", folder / "samples"
    plan.write_text(plan_text(plan_of(cases), pages="huge", start=start_library(stack)))
    ended = run_program(stack, load_bindings()[name], ranks, plan, samples, **variables)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    text = samples.read_text(encoding="ascii")
    assert text.endswith("\nend\n")
    assert "  " not in text
    assert "\t" not in text
    return read_samples(text, frozenset(range(len(cases))))


@pytest.mark.parametrize("name", BINDINGS)
def test_collectives_run_on_one_rank_and_point_to_point_does_not(mpich: Stack, name: str, tmp_path: Path) -> None:
    cases = [Case("allgather", "standard", "bytes", 8), Case("latency", "standard", "bytes", 8)]
    found = run_cases(mpich, name, 1, cases, tmp_path)
    assert found.valid == {0}
    assert set(found.skipped) == {1}


@pytest.mark.parametrize("name", FACADES)
def test_facades_run_on_one_rank_what_needs_no_other(mpich: Stack, name: str, tmp_path: Path) -> None:
    alone = [Case("bcast", "standard", "bytes", 8), Case("barrier", "standard", "none", 0)]
    product = Case("inner-product", "standard", "problem", 8 * 100)
    found = run_cases(mpich, name, 1, [*alone, product, Case("latency", "standard", "bytes", 8)], tmp_path)
    assert (found.valid, set(found.skipped)) == ({0, 1, 2}, {3})


@pytest.mark.parametrize(
    ("plan", "complaint"),
    [
        ("polympi-plan 3\nend\n", "polympi-plan"),
        ("polympi-plan 2\nwindow 64\nstart /s.so\ncase 0 gossip standard bytes 8 1 1 1 1\nend\n", "gossip"),
        ("polympi-plan 2\nwindow 64\nend\n", "does not name the library"),
        ("polympi-plan 2\nwindow 64\nstart /nowhere/s.so\nend\n", "cannot be loaded"),
        (None, "cannot be read"),
    ],
)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_plan_that_cannot_be_run_exits_with_3(
    stack: Stack, name: str, plan: str | None, complaint: str, tmp_path: Path
) -> None:
    if plan is not None:
        (tmp_path / "plan").write_text(plan)
    ended = run_program(stack, load_bindings()[name], 2, tmp_path / "plan", tmp_path / "samples")
    assert ended.returncode == 3
    assert len([line for line in ended.stderr.splitlines() if complaint in line]) == 1
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_rank_in_trouble_ends_the_others(stack: Stack, name: str, tmp_path: Path) -> None:
    """No machine has 2^60 bytes: the traceback says so, and no rank waits forever."""
    case = f"case 0 latency standard bytes {2**60} 1 1 1 1"
    start = start_library(stack)
    (tmp_path / "plan").write_text(f"polympi-plan 2\nwindow 64\nstart {start}\n{case}\nend\n")
    ended = run_program(stack, load_bindings()[name], 2, tmp_path / "plan", tmp_path / "samples")
    assert ended.returncode not in (0, 3)
    assert "Traceback" in ended.stderr
    assert not (tmp_path / "samples").read_text().endswith("end\n")


@pytest.mark.parametrize("samples", ["missing/samples", "/dev/full"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_samples_that_cannot_be_written_exit_with_3(stack: Stack, name: str, samples: str, tmp_path: Path) -> None:
    (tmp_path / "plan").write_text(plan_text({}, pages="huge", start=start_library(stack)))
    ended = run_program(stack, load_bindings()[name], 2, tmp_path / "plan", tmp_path / samples)
    assert ended.returncode == 3
    assert len([line for line in ended.stderr.splitlines() if "cannot be written" in line]) == 1
    assert "Traceback" not in ended.stderr


def test_polympi_runs_on_the_stack_whatever_the_user_chose_for_programs(stack: Stack, tmp_path: Path) -> None:
    chosen = {
        "POLYMPI_MPI": "abi",
        "POLYMPI_LIBMPI": "/nowhere/libmpi.so",
        "POLYMPI_CORE_FOLDER": "/nowhere",
        "POLYMPI_TIMEOUT": "soon",
        "POLYMPI_THREADS": "multiple",
    }
    assert run_cases(stack, "polympi", 2, [], tmp_path, **chosen).threads == "multiple"


@pytest.mark.parametrize("name", ["polympi", "pypar"])
def test_what_is_measured_is_the_interface_alone(mpich: Stack, name: str) -> None:
    package = build(load_bindings()[name], mpich) / "polympi"
    assert (package / "__init__.py").is_file()
    assert (package / "compat" / "pypar" / "__init__.py").is_file() == (name == "pypar")
    assert not (package / "lab").exists()
    assert [core.name.split(".")[0] for core in package.rglob("*.so")] == ["core_mpich"]
