"""Programs of several languages: the recorder counts their calls as an independent library does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from recorded import compiled, record

from polympi.lab.bindings.build import build, program_command, why_not_ready
from polympi.lab.bindings.harness import start_library
from polympi.lab.bindings.manifest import load_bindings
from polympi.lab.catalogue import FIXED_SIZES, Case, halo_bytes, problem_bytes
from polympi.lab.stacks.stack import Stack

SHIPPED = load_bindings()
LANGUAGES = {
    "mpich": "c csharp-mono csharp-netcore31-mcs cxx fortran-mpi go java mpi4py mpi4py-object polympi rust",
    "openmpi": "boost boost-serialized r rust",
}
CASES = (  # with the applications of examples/; what a binding lacks is left out
    Case("latency", "standard", "bytes", 1024),
    Case("latency", "standard-persistent", "bytes", 8),
    Case("bandwidth", "standard", "bytes", 69632),
    Case("allreduce", "standard", "float64", 1024),
    Case("bcast", "standard", "dict", 24),
    Case("alltoall", "standard", "float64", 8),
    Case("object", "standard", "map", FIXED_SIZES["map"]),
    Case("halo", "standard", "float64", halo_bytes(9)),
    *(Case("wave", mode, "problem", problem_bytes(12, 3)) for mode in ("blocking", "overlapped")),
    *(Case("poisson-cg", mode, "problem", problem_bytes(12, 2)) for mode in ("blocking", "merged")),
    *(Case(name, "standard", "problem", problem_bytes(1000, 1)) for name in ("inner-product", "sort")),
    Case("matmul", "standard", "problem", problem_bytes(12, 2)),
)
FEWEST = 50  # calls of a rank in these cases, far below what any binding makes


def counter(stack: Stack, folder: Path) -> Path:
    """The library that counts."""
    large = ["-DLARGE"] if stack.name == "mpich" else []
    return compiled(stack, "counter.c", folder, "-O2", "-shared", "-fPIC", "-ldl", *large)


@pytest.mark.system
@pytest.mark.parametrize(
    ("library", "name"), [(library, name) for library in LANGUAGES for name in LANGUAGES[library].split()]
)
def test_all_calls_of_a_language_are_counted(
    request: pytest.FixtureRequest, library: str, name: str, tmp_path: Path
) -> None:
    stack: Stack = request.getfixturevalue(library)
    binding = SHIPPED[name]
    if missing := why_not_ready(binding, stack):
        pytest.skip(missing)
    cases = [case for case in CASES if binding.why_not(case) is None]
    lines = [f"case {n} {c.benchmark} {c.mode} {c.payload} {c.size_bytes} 1 2 5 2" for n, c in enumerate(cases)]
    plan, counts = tmp_path / "plan", tmp_path / "counts"
    plan.write_text("\n".join(["polympi-plan 2", "window 4", f"start {start_library(stack)}", *lines, "end", ""]))
    counts.mkdir()
    command = program_command(binding, stack, build(binding, stack), plan, tmp_path / "samples")
    job = record(
        stack, 2, command, tmp_path / "audit", before=counter(stack, tmp_path), variables={"COUNTS": str(counts)}
    )
    assert (job.code, len(job.ranks)) == (0, 2), job.stderr
    for one in job.ranks:
        counted = json.loads((counts / f"{one.header['pid']}.json").read_text())
        assert {procedure: one.count(procedure) for procedure in counted} == counted
        assert sum(counted.values()) > FEWEST
