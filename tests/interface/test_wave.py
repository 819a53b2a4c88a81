"""The application wave in its styles: exact, the same on any number of ranks, and with an error that falls as dx^2."""

import numpy as np
import pytest
from application_programs import FOLDER, compiled, launched

from polympi.lab.stacks.stack import Stack

PROGRAM = FOLDER / "wave.py"
SCHEME = r"largest error: (\S+) against the closed form"
ITSELF = r"closed form of the scheme, (\S+) "
LOAD = f"""
import sys
sys.path.insert(0, {str(FOLDER)!r})
import numpy as np
from wave import Wave
import polympi as mpi
"""


@pytest.fixture(scope="session")
def stack(mpich: Stack) -> Stack:
    """One library is enough: what these tests check does not depend on it."""
    return mpich


def wave_of(run_in_job, stack: Stack, ranks: int, kernel: str) -> np.ndarray:
    """The whole field after 12 steps, the same blocking and overlapped."""
    script = f"""{LOAD}
found = []
for overlapped in (False, True):
    wave = Wave(mpi.world, 19, overlapped, {kernel!r})
    wave.advance(5)
    wave.restart()
    wave.advance(12)
    part, _ = wave.part()
    assert abs(part - wave.exact(True)).max() < 1e-13
    found.append(wave.cart.gather_blocks(np.ascontiguousarray(part)))
    assert wave.communication_ns > 0
    wave.free()
if mpi.world.rank == 0:
    assert abs(found[0] - found[1]).max() <= 1e-13
    print(found[0].tobytes().hex())
"""
    (said,) = run_in_job(script, ranks, stack).split()
    return np.frombuffer(bytes.fromhex(said)).reshape(19, 19, 19)


@pytest.mark.parametrize("kernel", ["numpy", "numba"])
@pytest.mark.slow
def test_it_is_exact_and_the_same_on_any_number_of_ranks(run_in_job, stack: Stack, kernel: str) -> None:
    alone = wave_of(run_in_job, stack, 1, kernel)
    for ranks in (2, 3, 4, 8):  # of eight, each has neighbours along all axes
        assert np.abs(wave_of(run_in_job, stack, ranks, kernel) - alone).max() <= 1e-13


@pytest.mark.slow
def test_numba_compiles_the_kernel_once(run, mpich: Stack, tmp_path) -> None:
    for _ in range(2):
        given = ["--mesh", "9", "--steps", "2", "--kernel", "numba"]
        run(PROGRAM, None, mpich, arguments=given, env={"NUMBA_CACHE_DIR": str(tmp_path)}).succeeded()
    assert len(list(tmp_path.rglob("*.nbc"))) == 1


def test_the_error_falls_with_the_square_of_the_spacing(run, mpich: Stack) -> None:
    errors = []
    for edge in (17, 33):  # as many steps as reach the same time
        said = run(PROGRAM, 2, mpich, arguments=["--mesh", str(edge), "--steps", str((edge - 1) * 2)]).succeeded()
        errors.append(float(said.split("closed form of the scheme, ")[1].split()[0]))
    assert 3.6 < errors[0] / errors[1] < 4.4


@pytest.mark.parametrize("overlapped", [[], ["--overlapped"]], ids=["blocking", "overlapped"])
@pytest.mark.slow
def test_other_styles_compute_the_same(stack: Stack, tmp_path, overlapped: list[str]) -> None:
    python = [stack.python, str(FOLDER / "with_mpi4py" / "wave_mpi4py.py")]
    for command in ([str(compiled("wave", stack, tmp_path))], python):
        for ranks in (1, 4, 8):
            said = launched([*command, "--mesh", "19", "--steps", "20", *overlapped], ranks, stack, tmp_path)
            assert said.code == 0, said.text
            assert said.number(SCHEME) < 1e-13
            assert said.number(ITSELF) < 1e-4


def test_it_runs_without_a_launcher_and_draws(run, mpich: Stack, tmp_path) -> None:
    picture = tmp_path / "wave.png"
    given = ["--mesh", "17", "--steps", "9", "--plot", str(picture)]
    for environment in ({}, {"POLYMPI_BACKEND": "serial"}):
        said = run(PROGRAM, None, mpich, arguments=given, env=environment).succeeded()
        assert "ranks 1 x 1 x 1" in said
        assert picture.read_bytes().startswith(b"\x89PNG")
        picture.unlink()
