"""The largest published meshes fit in 4 GB on two ranks in each style. The library adds little: one is enough."""

import re
from pathlib import Path

import pytest
from application_programs import FOLDER, compiled, launched

pytestmark = [pytest.mark.slow, pytest.mark.exclusive]

LARGEST = {"wave": ["--mesh", "257", "--steps", "4"], "poisson_cg": ["--mesh", "2049", "--iterations", "8"]}
ALLOWED = 4 * 10**9  # bytes of both ranks together
PEAK = Path(__file__).parent / "programs" / "peak.py"


def peak(text: str) -> int:
    """The bytes of both ranks at the time when each had the most."""
    peaks = [int(number) for number in re.findall(r"^peak (\d+)$", text, re.MULTILINE)]
    assert len(peaks) == 2, text
    return sum(peaks)


def least(name: str) -> int:
    """The bytes of the arrays that no program can do without: two fields of the wave, four vectors of the other."""
    return {"wave": 2 * 257**3, "poisson_cg": 4 * 2049**2}[name] * 8


@pytest.mark.parametrize("name", LARGEST)
@pytest.mark.parametrize("kernel", ["numpy", "numba"])
def test_with_polympi(run, mpich, name: str, kernel: str) -> None:
    command = [mpich.python, str(FOLDER / f"{name}.py"), *LARGEST[name], "--kernel", kernel]
    said = run(PEAK, 2, mpich, arguments=command, timeout=120).succeeded()
    assert least(name) < peak(said) < ALLOWED


@pytest.mark.parametrize("name", LARGEST)
@pytest.mark.parametrize("style", ["c", "mpi4py"])
def test_in_other_styles(mpich, tmp_path, name: str, style: str) -> None:
    with_mpi4py = [mpich.python, str(FOLDER / "with_mpi4py" / f"{name}_mpi4py.py")]
    command = with_mpi4py if style == "mpi4py" else [str(compiled(name, mpich, tmp_path))]
    said = launched([mpich.python, str(PEAK), *command, *LARGEST[name]], 2, mpich, tmp_path)
    assert said.code == 0, said.text
    assert least(name) < peak(said.text) < ALLOWED
