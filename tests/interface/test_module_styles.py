"""The wave and conjugate gradients whose ranks communicate by older modules: the same values as with polympi."""

import pytest
from application_programs import FOLDER

from polympi.lab.stacks.stack import Stack
from polympi.native import build

PATHS = f"{build.SOURCES.parents[1]}:{FOLDER}"
COMPAT = FOLDER.parents[1] / "bindings" / "compat"
NONBLOCKING = ("boostmpi", "pympi", "scientific")
BLOCKING = ("mympi", "pypar")
SCRIPT = f"""
import sys
sys.path[:0] = [{str(FOLDER)!r}, {str(COMPAT)!r}]
import numpy as np
import polympi as mpi
import poisson_cg, poisson_cg_modules, wave, wave_modules
from polympi.compat import mympi
mympi.mpi_init(0, [])

def after(solver, iterations):
    solver.advance(iterations)
    part = solver.part()[0].copy()
    assert mpi.world.size == 1 or solver.communication_ns > 0
    solver.free()
    return part
"""


@pytest.fixture(scope="session")
def stack(mpich: Stack) -> Stack:
    """One library is enough: what these tests check does not depend on it."""
    return mpich


@pytest.mark.parametrize("module", NONBLOCKING + BLOCKING)
def test_solvers_compute_the_same_in_the_style_of_each_module(run_in_job, stack: Stack, module: str) -> None:
    script = f"""{SCRIPT}
for overlapped in (False, True)[:{2 if module in NONBLOCKING else 1}]:
    own = after(wave.Wave(mpi.world, 13, overlapped), 7)
    assert (after(wave_modules.Wave(mpi.world, 13, overlapped, module={module!r}), 7) == own).all()
for variant in {("blocking", "merged", "overlapped")[: 3 if module in NONBLOCKING else 2]}:
    own = after(poisson_cg.PoissonCG(mpi.world, 13, variant), 7)
    found = after(poisson_cg_modules.PoissonCG(mpi.world, 13, variant, module={module!r}), 7)
    assert abs(found - own).max() <= 1e-12 * abs(own).max()
"""
    for ranks in (3, 4):  # three in a row, of which the middle one has two neighbours; four in a square
        run_in_job(script, ranks, stack)


@pytest.mark.parametrize("module", BLOCKING)
def test_a_module_without_nonblocking_calls_overlaps_nothing(run_in_job, stack: Stack, module: str) -> None:
    script = f"""{SCRIPT}
from prelude import raises
for make in (lambda: wave_modules.Wave(mpi.world, 13, True, module={module!r}),
             lambda: poisson_cg_modules.PoissonCG(mpi.world, 13, "overlapped", module={module!r})):
    with raises(ValueError, "{module} has no nonblocking calls"):
        make()
"""
    run_in_job(script, 2, stack)


@pytest.mark.parametrize("module", ["mympi", "scientific"])
def test_they_run_from_the_command_line(run, mpich: Stack, module: str) -> None:
    given = ["--module", module, "--mesh", "33"]
    said = run(COMPAT / "poisson_cg_modules.py", 2, mpich, arguments=given, env={"PYTHONPATH": PATHS}).succeeded()
    assert "the solution is found" in said


def test_an_unknown_module_is_one_sentence(run, mpich: Stack) -> None:
    ended = run(COMPAT / "wave_modules.py", 2, mpich, arguments=["--module", "mpi5py"], env={"PYTHONPATH": PATHS})
    assert ended.exit_code == 2
    assert "wave_modules.py: there is no module mpi5py, but boostmpi, mympi, pympi, pypar, scientific." in ended.stderr
