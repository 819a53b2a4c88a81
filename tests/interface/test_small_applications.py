"""The small applications in their styles: the values of each result, and what their programs say of them."""

import shutil
import subprocess
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from application_programs import FLAGS, FOLDER, launched
from snippets import EXAMPLE

from polympi.lab.stacks.stack import Stack

PROGRAMS = Path(__file__).parent / "programs"
STYLES = ("polympi", "mpi4py", "c")
# Sizes that no number of ranks divides, or as small as they can be; iterations; other kernels than NumPy's.
CASES = [
    ("inner_product", "InnerProduct", 1, 1, ""),
    ("inner_product", "InnerProduct", 1001, 2, ""),
    ("inner_product", "InnerProduct", 1001, 2, "numba"),
    ("matmul", "Matmul", 4, 1, ""),
    ("matmul", "Matmul", 37, 2, ""),
    ("matmul", "Matmul", 301, 1, ""),  # several panels
    ("sort", "Sort", 4, 1, ""),
    ("sort", "Sort", 1001, 1, ""),
    ("sort", "Sort", 1024, 2, ""),
]


@pytest.fixture(scope="session")
def stack(mpich: Stack) -> Stack:
    """One library is enough: what these tests check does not depend on it."""
    return mpich


def expected(name: str, size: int) -> np.ndarray:
    """The whole result, by NumPy on the whole data."""
    i = np.arange(size)
    if name == "inner_product":
        return np.array([[(1 / (i + 1)) @ ((i + 1.0) * (1 + i % 3))]])
    if name == "sort":
        return np.sort((i * 2654435761 + 12345) % size)[:, None]
    return np.add.outer(np.sin(i), np.cos(i)) @ np.add.outer(np.cos(i), np.sin(i))


def whole(lines: list[list[str]], shape: tuple[int, ...]) -> np.ndarray:
    """What the parts of the ranks are together; each element must be in one of them."""
    result = np.full(shape, np.nan)
    for line in lines:
        i, j, rows, columns = map(int, line[1:5])
        if rows * columns:
            place = result[i : i + rows, j : j + columns]
            assert np.isnan(place).all()
            place[...] = np.array(line[5:], float).reshape(rows, columns)
    return result


def check(name: str, size: int, lines: list[list[str]], ranks: int) -> None:
    right = expected(name, size)
    assert sorted(int(line[0]) for line in lines) == list(range(ranks))
    allowed = {"sort": 0, "inner_product": 1e-12 * right.max(), "matmul": 1e-12 * size}[name]
    assert (abs(whole(lines, right.shape) - right) <= allowed).all()


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory):
    """Makes the folder of the programs in C of a stack, once."""
    folders: dict[str, Path] = {}

    def make(stack: Stack) -> Path:
        if stack.name not in folders:
            folder = tmp_path_factory.mktemp("c") / "c"
            shutil.copytree(FOLDER / "c", folder)
            command = ["make", "-C", str(folder), "-j2", f"CC={stack.mpicc}", f"CFLAGS={' '.join(FLAGS)}"]
            subprocess.run(command, check=True, env=stack.variables(), capture_output=True)
            sources = [str(folder / f"{name}.c") for name in ("inner_product", "matmul", "sort")]
            sources += [str(PROGRAMS / "parts.c"), f"-I{folder}", "-o", str(folder / "parts"), "-lm"]
            subprocess.run([stack.mpicc, *FLAGS, *sources], check=True, env=stack.variables())
            folders[stack.name] = folder
        return folders[stack.name]

    return make


@pytest.fixture
def say(run, built, tmp_path):
    """Runs a program in one of the styles; gives its exit code, and what it wrote."""

    def launch(style: str, name: str, arguments: list[str], ranks: int, stack: Stack) -> tuple[int | None, str]:
        if style == "polympi":
            ended = run(FOLDER / f"{name}.py", ranks, stack, arguments=arguments)
            return ended.exit_code, ended.stdout + ended.stderr
        if style == "c":
            program = [str(built(stack) / name)]
        else:
            module = "hello_with_mpi4py" if name == "hello" else f"{name}_mpi4py"
            program = [stack.python, str(FOLDER / "with_mpi4py" / f"{module}.py")]
        said = launched([*program, *arguments], ranks, stack, tmp_path)
        return said.code, said.text

    return launch


def test_make_builds_every_program(stack: Stack, built) -> None:
    mains = [source.name.removesuffix("_main.c") for source in (FOLDER / "c").glob("*_main.c")]
    assert {"wave", "sort", "hello"} <= set(mains)
    assert [name for name in mains if not (built(stack) / name).is_file()] == []


def check_lines(said: str, cases: list[tuple[str, str, int, int, str]], ranks: int) -> None:
    """Check what programs/parts.py wrote."""
    lines = defaultdict(list)
    for line in map(str.split, said.splitlines()):
        lines[tuple(line[:3])].append(line[3:])
    for name, _, size, _, kernel in cases:
        check(name, size, lines.pop((name, str(size), kernel or "-")), ranks)
    assert not lines


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_each_value_is_right_with_polympi(run_in_job, stack: Stack, ranks: int) -> None:
    words = [str(word) for case in CASES for word in case]
    check_lines(run_in_job("parts.py", ranks, stack, arguments=[str(FOLDER), "", *words]), CASES, ranks)


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_each_value_is_right_with_mpi4py(stack: Stack, tmp_path, ranks: int) -> None:
    cases = [case for case in CASES if not case[-1]]
    program = [stack.python, str(PROGRAMS / "parts.py"), str(FOLDER / "with_mpi4py"), "_mpi4py"]
    ended = launched([*program, *(str(word) for case in cases for word in case)], ranks, stack, tmp_path)
    assert ended.code == 0, ended.text
    check_lines(ended.text, cases, ranks)


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_each_value_is_right_in_c(stack: Stack, built, tmp_path, ranks: int) -> None:
    for name, _, size, iterations, kernel in CASES:
        if not kernel:
            said = launched([str(built(stack) / "parts"), name, str(size), str(iterations)], ranks, stack, tmp_path)
            assert said.code == 0, said.text
            check(name, size, [file.read_text().split() for file in tmp_path.glob("part.*")], ranks)


def test_what_cannot_be_divided_is_refused_in_c(stack: Stack, built, tmp_path) -> None:
    for name, size in (("inner_product", 0), ("matmul", 1), ("sort", 1), ("sort", 2654435761)):
        said = launched([str(built(stack) / "parts"), name, str(size), "1"], 2, stack, tmp_path)
        assert said.text.split() == ["none"] * 2


@pytest.mark.parametrize("style", STYLES)
def test_programs_tell_their_figures(say, stack: Stack, style: str) -> None:
    for name, arguments, figures in [
        ("inner_product", ["--length", "1000"], ["1000 elements", "million elements a second", "product: 1999, rel"]),
        ("matmul", ["--edge", "50"], ["50^2 elements", "ranks 3 x 1", "billion operations a second", "largest error"]),
        ("sort", ["--length", "256"], ["256 keys", "million keys a second", "largest part:"]),
        ("ring", ["--laps", "20"], ["20 laps of 3 ranks: the number is 60, a hop takes"]),
    ]:
        code, said = say(style, name, arguments, 3, stack)
        assert code == 0, said
        assert [figure for figure in figures if figure not in said] == [], said
        assert name == "ring" or "%" in said


@pytest.mark.parametrize("ranks", [1, 3])
def test_a_triad_is_exact_and_tells_the_bandwidth(say, stack: Stack, ranks: int) -> None:
    for passes, place in ((4, []), (4, ["--in-place"]), (5, ["--in-place"])):
        code, said = say("c", "triad", ["--length", "1000", "--passes", str(passes), *place], ranks, stack)
        assert code == 0, said
        many = f"{ranks} rank{'s' * (ranks > 1)}"
        assert f"1000 elements, {passes} passes, {many}, {'in place' if place else 'three arrays'}" in said
        assert "GB/s" in said


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--length 0", "usage: triad"),
        ("--passes", "usage: triad"),
        ("--inplace", "usage: triad"),
        ("--length 1", "less than one for each rank"),
        ("--length 100000000000000", "do not fit in memory"),
    ],
)
def test_a_triad_that_cannot_be_made_is_one_sentence(say, stack: Stack, words: str, sentence: str) -> None:
    code, said = say("c", "triad", words.split(), 2, stack)
    assert code == 2, said
    assert said.count(sentence) == 1, said


@pytest.mark.parametrize("style", STYLES)
def test_every_rank_says_hello(say, stack: Stack, style: str) -> None:
    for ranks in (1, 4):
        code, said = say(style, "hello", [], ranks, stack)
        assert code == 0
        assert sorted(said.splitlines()) == [f"Hello, world! I'm process {rank} of {ranks}." for rank in range(ranks)]


@pytest.mark.parametrize("style", STYLES)
def test_a_ring_of_one_rank(say, stack: Stack, style: str) -> None:
    code, said = say(style, "ring", ["--laps", "5"], 1, stack)
    assert code == 0, said
    assert "the number is 5," in said


MISTAKES = {
    "inner_product": [["--length", "0"], ["--iterations", "x"], ["--kernel", "fast"]],
    "matmul": [["--edge", "1"], ["--iterations", "0"]],
    "sort": [["--length", "2654435761"], ["--length", "1"]],
    "ring": [["--laps", "0"], ["--lap", "1"]],
}


@pytest.mark.parametrize("style", STYLES)
def test_what_cannot_be_done_is_one_sentence(say, stack: Stack, style: str) -> None:
    for name, arguments in [(name, arguments) for name, several in MISTAKES.items() for arguments in several]:
        code, said = say(style, name, arguments, 2, stack)
        assert code == 2, said
        assert "Traceback" not in said
        sentences = {
            "polympi": [f"{name}.py: "],
            "mpi4py": [f"{name}_mpi4py.py: "],
            "c": [f"usage: {name} ", "each rank needs one.", "keys cannot be sorted:"],
        }
        assert sum(said.count(sentence) for sentence in sentences[style]) == 1, said


TOO_LARGE = ["inner_product --length 1000000000000000", "matmul --edge 10000000"]
TOO_LARGE_FOR_MPI4PY = [*TOO_LARGE, "wave --mesh 3000000", "poisson_cg --mesh 30000000"]


@pytest.mark.parametrize(
    ("style", "words"),
    [("polympi", words) for words in TOO_LARGE] + [("mpi4py", words) for words in TOO_LARGE_FOR_MPI4PY],
)
def test_a_lack_of_memory_is_one_sentence(say, stack: Stack, style: str, words: str) -> None:
    name, *arguments = words.split()
    code, said = say(style, name, arguments, 2, stack)
    assert code == 2, said
    assert "Traceback" not in said
    file = f"{name}.py" if style == "polympi" else f"{name}_mpi4py.py"
    assert said.count(f"{file}: there is no memory for the ") == 1, said


SMALL = """
import resource, sys
sys.path.insert(0, {folder!r})
from sort import Sort
import polympi as mpi
resource.setrlimit(resource.RLIMIT_AS, (2**33, 2**33))  # 2^31 keys would take 17 GB
try:
    Sort(mpi.world, 2**31)
except ValueError as error:
    print(error)
"""


def test_a_lack_of_memory_for_keys_is_one_sentence(run, stack: Stack, tmp_path: Path) -> None:
    script = tmp_path / "small.py"
    script.write_text(SMALL.format(folder=str(FOLDER)))
    said = run(script, 2, stack).succeeded()
    assert said.count("there is no memory for the keys on one of the ranks: ") == 2, said


LIMITED = """
import resource, sys
sys.path.insert(0, {folder!r})
from {module} import {solver}
from mpi4py import MPI
if MPI.COMM_WORLD.rank == 1:
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + 2**24,) * 2)  # an array takes twice as much
try:
    {solver}(MPI.COMM_WORLD, {size})
except ValueError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("module", "solver", "size"),
    [
        ("inner_product", "InnerProduct", 2**23),
        ("matmul", "Matmul", 2897),
        ("poisson_cg", "PoissonCG", 2897),
        ("sort", "Sort", 2**23),
        ("wave", "Wave", 203),
    ],
)
def test_a_lack_of_memory_on_one_rank_is_known_to_all(
    stack: Stack, tmp_path: Path, module: str, solver: str, size: int
) -> None:
    script = tmp_path / "limited.py"
    folder = str(FOLDER / "with_mpi4py")
    script.write_text(LIMITED.format(folder=folder, module=f"{module}_mpi4py", solver=solver, size=size))
    said = launched([stack.python, str(script)], 2, stack, tmp_path)
    assert said.code == 0, said.text
    assert said.text.count("there is no memory for the ") == said.text.count("on one of the ranks") == 2, said.text


def test_without_a_launcher_a_program_is_one_rank(run, mpich: Stack) -> None:
    for name, arguments in (("inner_product", []), ("matmul", ["--edge", "9"]), ("sort", []), ("ring", [])):
        run(FOLDER / f"{name}.py", None, mpich, arguments=arguments, env={"POLYMPI_BACKEND": "serial"}).succeeded()


def test_the_index_shows_how_a_solver_is_used_and_names_each_program(run_in_job, stack: Stack) -> None:
    page = (FOLDER / "README.md").read_text()
    (example,) = EXAMPLE.findall(page)
    said = run_in_job(f"import sys\nsys.path.insert(0, {str(FOLDER)!r})\n{example}", 2, stack)
    assert said.count("(33, 65, 65) points from (0, 0, 0)") == said.count("(32, 65, 65) points from (33, 0, 0)") == 1
    assert [program.name for program in FOLDER.glob("*.py") if f"[{program.name}]({program.name})" not in page] == []


@pytest.mark.parametrize("name", ["inner_product", "poisson_cg"])
def test_without_numba_it_says_what_to_install(run, mpich: Stack, tmp_path, name: str) -> None:
    (tmp_path / "numba.py").write_text("raise ImportError('not here')\n")
    program = FOLDER / f"{name}.py"
    script = f"import sys, runpy\nsys.path[:0] = [{str(tmp_path)!r}, {str(FOLDER)!r}]\nsys.argv[0] = {str(program)!r}\n"
    script += f"runpy.run_path({str(program)!r}, run_name='__main__')\n"
    ended = run(script, 2, mpich, arguments=["--kernel", "numba"])
    assert ended.exit_code == 2
    assert ended.stderr.count("pip install numba") == 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("poisson_cg --mesh 1", "a mesh of 1 unknowns along each axis is too small for 2 x 1 ranks"),
        ("poisson_cg --mesh 30000000", "there is no memory for the mesh"),
        ("poisson_cg --mesh 0", "--mesh 0 is not a positive number"),
        ("poisson_cg --variant lazy", "invalid choice: 'lazy'"),
        ("wave --mesh 5", "a mesh of 5 points along each axis is too small for 2 x 1 x 1 ranks"),
        ("wave --mesh 3000000", "there is no memory for the mesh"),
        ("wave --mesh 2", "--mesh 2 is too small"),
        ("wave --steps 0", "--steps 0 is not a positive number"),
        ("wave --kernel fast", "invalid choice: 'fast'"),
    ],
)
def test_what_a_solver_cannot_do_is_one_sentence(run, stack: Stack, words: str, sentence: str) -> None:
    name, *arguments = words.split()
    ended = run(FOLDER / f"{name}.py", 2, stack, arguments=arguments)
    assert ended.exit_code == 2
    assert ended.stderr.count(f"{name}.py:") == 1
    assert sentence in ended.stderr
    assert "Traceback" not in ended.stderr
