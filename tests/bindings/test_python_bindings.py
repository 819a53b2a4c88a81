"""The bindings for Python check what arrives, say what they do not do, and keep to the protocol."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from every_case import all_cases

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

# With the thread level that each asks for.
BINDINGS = {
    "mpi4py": "multiple",
    "mpi4py-object": "multiple",
    "mpi4py-pkl5": "multiple",
    "polympi": "serialized",
    "polympi-object": "serialized",
}
PROGRAMS = ("mpi4py", "polympi")  # a binding of each
COUNTS = {"warmup": 1, "batches": 3, "iterations": 2, "events": 4}
TIMEOUT_S = 60


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
def test_uncovered_cases_are_skipped_with_a_reason(mpich: Stack, name: str, tmp_path: Path) -> None:
    binding = load_bindings()[name]
    cases = [case for case in all_cases() if binding.why_not(case) is not None and case.size_bytes in (8, 24, 32)]
    found = run_cases(mpich, name, 2, cases, tmp_path)
    assert set(found.skipped) == set(range(len(cases)))
    assert all(found.skipped.values())


@pytest.mark.parametrize("name", BINDINGS)
def test_header_tells_of_the_launch(stack: Stack, name: str, tmp_path: Path) -> None:
    found = run_cases(stack, name, 2, [], tmp_path)
    assert found.binding == name
    assert found.ranks == 2
    assert found.threads == BINDINGS[name]
    assert {"mpich": "MPICH Version: ", "openmpi": "Open MPI v"}[stack.family] in found.library
    assert found.host
    assert found.clock_resolution_ns >= 1
    assert 1 < found.clock_cost_ns < 10_000
    assert min(found.ready_ns, found.import_ns, found.init_ns) > 0
    assert 0 < found.pss_bytes <= found.rss_bytes
    assert 0 < found.start_cost_ns < 100_000
    assert found.clock_error_ns == 0
    assert 0 <= found.huge_bytes <= found.buffer_bytes


@pytest.mark.parametrize(("name", "start"), [("mpi4py", "import mpi4py.MPI"), ("polympi", "from polympi import world")])
def test_numpy_is_not_in_the_memory_of_the_binding(mpich: Stack, name: str, start: str, tmp_path: Path) -> None:
    found = run_cases(mpich, name, 2, [], tmp_path)
    built = build(load_bindings()[name], mpich)
    code = f"{start}; import numpy; print(open('/proc/self/smaps_rollup').read())"
    told = subprocess.run(
        [mpich.python, "-c", code], cwd=built, env=mpich.variables(), capture_output=True, text=True, check=True
    ).stdout
    with_numpy = next(int(line.split()[1]) * 1024 for line in told.splitlines() if line.startswith("Rss:"))
    assert found.rss_bytes < with_numpy


@pytest.mark.parametrize("name", BINDINGS)
def test_collectives_run_on_one_rank_and_point_to_point_does_not(mpich: Stack, name: str, tmp_path: Path) -> None:
    cases = [Case("allgather", "standard", "bytes", 8), Case("latency", "standard", "bytes", 8)]
    found = run_cases(mpich, name, 1, cases, tmp_path)
    assert found.valid == {0}
    assert set(found.skipped) == {1}


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
    """No machine has 2^60 bytes: the traceback says so, and no rank waits for ever."""
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


def test_what_is_measured_is_the_interface_alone(mpich: Stack) -> None:
    package = build(load_bindings()["polympi"], mpich) / "polympi"
    assert (package / "__init__.py").is_file()
    assert not (package / "lab").exists()
    assert [core.name.split(".")[0] for core in package.rglob("*.so")] == ["core_mpich"]
