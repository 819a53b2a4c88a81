"""The applications in R alone: exact on any number of ranks, and one sentence about what cannot be done."""

import subprocess
import sys
from collections.abc import Callable, Sequence

import msgspec
import pytest
from application_programs import FOLDER, Said, launched

from polympi.lab.bindings.build import why_not_ready
from polympi.lab.bindings.manifest import load_bindings
from polympi.lab.stacks.stack import Stack

pytestmark = pytest.mark.system

BINDING = load_bindings()["r"]
FIND = "import sys; from build_r import *; print(':'.join(folders_to_search(Path(sys.argv[1]), sys.argv[2])))"
# On rank 1 R does not take more memory for vectors than this.
SMALL_RANK = 'test "$OMPI_COMM_WORLD_RANK" = 1 && export R_MAX_VSIZE=100M; exec "$@"'

Run = Callable[..., Said]


@pytest.fixture(scope="module")
def run(openmpi: Stack, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Runs a program on this many ranks of Open MPI, whose library Rmpi finds."""
    if missing := why_not_ready(BINDING, openmpi):
        pytest.skip(missing)
    folder = tmp_path_factory.mktemp("r")
    find = [sys.executable, "-c", FIND, str(folder), openmpi.mpicc]
    found = subprocess.run(find, cwd=BINDING.folder, check=True, capture_output=True, text=True).stdout.strip()
    search = {"R_LD_LIBRARY_PATH": f"{folder}:{found}"} if found else {}
    stack = msgspec.structs.replace(openmpi, environment=openmpi.environment | search)

    def made(name: str, arguments: Sequence[str], ranks: int, before: Sequence[str] = ()) -> Said:
        command = [*before, "Rscript", str(FOLDER / "r" / f"{name}_main.R"), *arguments]
        return launched(command, ranks, stack, folder)

    return made


@pytest.mark.parametrize("mode", [[], ["--overlapped"]], ids=["blocking", "overlapped"])
def test_waves_follow_the_scheme_on_any_number_of_ranks(run: Run, mode: list[str]) -> None:
    away = set()
    for ranks in (1, 2, 4):
        said = run("wave", ["--mesh", "14", "--steps", "60", *mode], ranks)
        assert said.code == 0, said.text
        first = f"14^3 points, 60 steps, {ranks} rank{'s' * (ranks > 1)}, {'overlapped' if mode else 'blocking'}\n"
        assert first in said.text
        assert said.number(r"largest error: (\S+) against the closed form") < 1e-12
        away.add(said.number(r"scheme, (\S+) "))
    assert len(away) == 1  # from the wave itself, as much on any number of ranks


def test_waves_converge_as_dx_squared(run: Run) -> None:
    errors = [
        run("wave", ["--mesh", str(edge), "--steps", str(steps)], 2).number(r"scheme, (\S+) ")
        for edge, steps in ((17, 40), (33, 80))
    ]
    assert 3.5 < errors[0] / errors[1] < 4.5


@pytest.mark.parametrize("length", [1, 3, 100001])
def test_inner_products_are_exact(run: Run, length: int) -> None:
    exact = sum(1 + i % 3 for i in range(length))
    for ranks in (1, 2, 4):
        said = run("inner_product", ["--length", str(length), "--iterations", "3"], ranks)
        assert said.code == 0, said.text
        assert said.number(r"inner product: (\S+),") == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("wave --mesh 3", "The mesh is too small: each rank needs 3 points along each axis."),
        ("wave --mesh 1000000", "The mesh is too large: "),
        ("wave --mesh 12x", "usage: wave_main.R"),
        ("wave --mesh", "usage: wave_main.R"),
        ("wave --steps -1", "usage: wave_main.R"),
        ("wave --speed 1", "usage: wave_main.R"),
        ("inner_product --length 0", "usage: inner_product_main.R"),
        ("inner_product --length 1000000000000000", "A rank has more elements of a vector than BLAS counts."),
        ("inner_product fast", "usage: inner_product_main.R"),
    ],
)
def test_bad_options_are_one_sentence(run: Run, words: str, sentence: str) -> None:
    name, *arguments = words.split()
    said = run(name, arguments, 2)
    assert said.code == 2, said.text
    assert said.text.count(sentence) == 1, said.text
    assert "Error" not in said.text


@pytest.mark.parametrize(
    ("words", "part"), [("wave --mesh 260 --steps 1", "mesh"), ("inner_product --length 20000000", "vectors")]
)
def test_a_lack_of_memory_on_one_rank_is_one_sentence_of_all(run: Run, words: str, part: str) -> None:
    name, *arguments = words.split()
    said = run(name, arguments, 2, before=["sh", "-c", SMALL_RANK, "sh"])
    assert said.code == 2, said.text
    assert said.text.count(f"A rank has no memory for its part of the {part}.") == 1, said.text
    assert "Error" not in said.text
