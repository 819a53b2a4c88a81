"""The application poisson_cg in its styles: against SciPy, in all variants, with the same iterations on any ranks."""

import numpy as np
import pytest
from application_programs import FOLDER, compiled, launched
from scipy.sparse import diags_array, eye_array, kron
from scipy.sparse.linalg import cg, spsolve

from polympi.lab.stacks.stack import Stack

PROGRAM = FOLDER / "poisson_cg.py"
ITERATIONS = r"(\d+) iterations, the solution is found"
ERROR = r"largest error (\S+) of the solution"
VARIANTS = ("blocking", "overlapped", "merged")


@pytest.fixture(scope="session")
def stack(mpich: Stack) -> Stack:
    """One library is enough: what these tests check does not depend on it."""
    return mpich


def system(edge: int):
    """The matrix and the right side, made by SciPy."""
    line = diags_array([-np.ones(edge - 1), 2 * np.ones(edge), -np.ones(edge - 1)], offsets=[-1, 0, 1])
    h = 1 / (edge + 1)
    x = h * np.arange(1, edge + 1)
    right = h**2 * 2 * np.add.outer(x * (1 - x), x * (1 - x)).ravel()
    return (kron(line, eye_array(edge)) + kron(eye_array(edge), line)).tocsr(), right


def iterations_of_scipy(edge: int) -> int:
    matrix, right = system(edge)
    made = []
    start = np.linalg.norm(right - matrix @ right)
    _, code = cg(matrix, right, x0=right, rtol=0, atol=1e-4 * start, callback=made.append)
    assert code == 0
    return len(made)


@pytest.mark.parametrize("kernel", ["numpy", "numba"])
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.slow
def test_it_takes_as_many_iterations_as_scipy(run, stack: Stack, variant: str, kernel: str) -> None:
    for ranks, edge in [(3, 34)] if kernel == "numba" else [(1, 33), (4, 17)]:
        ended = run(PROGRAM, ranks, stack, arguments=["--mesh", str(edge), "--variant", variant, "--kernel", kernel])
        said = ended.succeeded()
        made = int(said.split(" iterations, the solution is found")[0].split()[-1])
        assert abs(made - iterations_of_scipy(edge)) <= 1, said
        assert ended.stderr == ""


def test_the_result_is_that_of_a_direct_solver(run_in_job, stack: Stack) -> None:
    script = f"""
import sys
sys.path.insert(0, {str(FOLDER)!r})
import numpy as np
from poisson_cg import PoissonCG
import polympi as mpi
solver = PoissonCG(mpi.world, 21, "overlapped")
first = solver.first
while solver.rho > 1e-24 * first:
    solver.first = 0.0  # further than usual
    solver.advance(1)
part, start = solver.part()
whole = solver.cart.gather_blocks(np.ascontiguousarray(part))
solver.free()
if mpi.world.rank == 0:
    print(repr(whole.ravel().tolist()))
"""
    said = run_in_job(script, 4, stack)
    result = np.array(eval(said.strip().splitlines()[0]))
    matrix, right = system(21)
    assert np.abs(result - spsolve(matrix, right)).max() < 1e-12


def test_after_the_solution_it_begins_again(run_in_job, stack: Stack) -> None:
    script = f"""
import sys
sys.path.insert(0, {str(FOLDER)!r})
from methods.poisson_cg import SMALLEST
from poisson_cg import PoissonCG
import polympi as mpi
for variant in ("blocking", "merged"):
    solver = PoissonCG(mpi.world, 12, variant)
    count = 0
    while solver.rho > SMALLEST * solver.first:
        solver.advance(1)
        count += 1
    rho = []
    for _ in range(2):
        solver.advance(1)
        rho.append(solver.rho)
        solver.advance(count - 1)
        assert solver.rho <= SMALLEST * solver.first
    assert rho[0] == rho[1], rho
    assert solver.communication_ns > 0
    solver.free()
"""
    run_in_job(script, 2, stack)


@pytest.mark.parametrize("variant", VARIANTS)
def test_other_styles_find_the_same(stack: Stack, tmp_path, variant: str) -> None:
    python = [stack.python, str(FOLDER / "with_mpi4py" / "poisson_cg_mpi4py.py")]
    for command in ([str(compiled("poisson_cg", stack, tmp_path))], python):
        for ranks in (1, 4):
            said = launched([*command, "--mesh", "33", "--variant", variant], ranks, stack, tmp_path)
            assert said.code == 0, said.text
            assert abs(said.number(ITERATIONS) - iterations_of_scipy(33)) <= 1
            assert said.number(ERROR) < 1e-4


@pytest.mark.parametrize("variant", VARIANTS)
def test_one_unknown_is_found_at_once(run, mpich: Stack, tmp_path, variant: str) -> None:
    given = ["--mesh", "1", "--variant", variant]
    said = run(PROGRAM, None, mpich, arguments=given, env={"POLYMPI_BACKEND": "serial"}).succeeded()
    assert "1 iterations, the solution is found" in said
    other = launched([str(compiled("poisson_cg", mpich, tmp_path)), *given], 1, mpich, tmp_path)
    assert other.number(ITERATIONS) == 1


def test_what_c_cannot_do_is_one_sentence(mpich: Stack, tmp_path) -> None:
    program = str(compiled("poisson_cg", mpich, tmp_path))
    for given, sentence in [
        (["--mesh", "3000000000"], "There is no memory for the mesh"),
        (["--variant", "lazy"], "usage: poisson_cg"),
    ]:
        said = launched([program, *given], 2, mpich, tmp_path)
        assert said.code == 2
        assert said.text.count(sentence) == 1


def test_a_picture_of_the_residual(run, mpich: Stack, tmp_path) -> None:
    picture = tmp_path / "residual.png"
    run(PROGRAM, 2, mpich, arguments=["--mesh", "17", "--plot", str(picture)]).succeeded()
    assert picture.read_bytes().startswith(b"\x89PNG")
