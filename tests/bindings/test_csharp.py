"""The C# library Polympi.Net: its own tests, on both runtimes and both stacks, and what its examples write."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from polympi.lab.bindings.manifest import shipped_folder
from polympi.lab.stacks.stack import Stack

pytestmark = [
    pytest.mark.system,
    pytest.mark.skipif(shutil.which("mcs") is None, reason="there is no C# compiler (mcs)"),
]

FOLDER = shipped_folder() / "csharp"
TESTS = Path(__file__).with_name("csharp")
EXAMPLES = sorted((FOLDER / "examples").glob("*.cs"))
STACK_OF_EXAMPLES = "mpich"
# The library is the same program on both runtimes, so one of them on each stack runs on any number of ranks.
LAUNCHES = [
    (stack, runtime, ranks) for stack, runtime in (("mpich", "mono"), ("openmpi", "coreclr")) for ranks in (1, 2, 3, 4)
]
LAUNCHES += [("mpich", "coreclr", 3), ("openmpi", "mono", 3)]
TIMES = 20
Built = Callable[[Stack, str], Path]
STARTS = {"mono": ("mono", ".exe"), "coreclr": ("{into}/dotnet/dotnet", ".dll")}


def command(runtime: str, into: Path, program: str) -> list[str]:
    """What starts a program of the folder."""
    start, suffix = STARTS[runtime]
    return [start.format(into=into), str(into / f"{program}{suffix}")]


@pytest.fixture(scope="session", params=STARTS)
def runtime(request: pytest.FixtureRequest) -> str:
    """Each runtime of C#."""
    name: str = request.param
    if name == "mono" and shutil.which("mono") is None:
        pytest.skip("there is no mono")
    return name


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The folder of all programs for a stack and a runtime, which are built when it is first asked for."""

    made: dict[tuple[str, str], Path] = {}

    def build(stack: Stack, runtime: str) -> Path:
        if (stack.name, runtime) not in made:
            into = tmp_path_factory.mktemp(f"{runtime}-{stack.name}")
            programs = ["--program", "Tests", *sorted(TESTS.glob("*.cs"))]
            for example in EXAMPLES if stack.name == STACK_OF_EXAMPLES else []:
                programs += ["--program", example.stem, example]
            done = subprocess.run(
                [stack.python, FOLDER / "build_csharp.py", runtime, "--mpicc", stack.mpicc, "--into", into, *programs],
                env=stack.variables(), capture_output=True, text=True, check=False, timeout=300,
            )  # fmt: skip
            assert done.returncode == 0, done.stdout + done.stderr
            made[stack.name, runtime] = into
        return made[stack.name, runtime]

    return build


def launch(stack: Stack, ranks: int, words: list[str]) -> subprocess.CompletedProcess[str]:
    """Run this many ranks."""
    more = ["--oversubscribe"] if stack.family == "openmpi" else []
    return subprocess.run(
        [stack.mpiexec, *more, "-n", str(ranks), *words],
        env=stack.variables(), capture_output=True, text=True, check=False, timeout=240,
    )  # fmt: skip


def names_of_tests() -> set[str]:
    """The tests that the sources have, by their lists `All`."""
    found = set()
    for path in TESTS.glob("*.cs"):
        for listed in re.findall(r"\bAll =\s*\{([^}]*)\}", path.read_text(encoding="utf-8")):
            found |= {f"{path.stem}.{name}" for name in re.findall(r"\w+", listed)}
    return found


@pytest.mark.parametrize(("stack", "runtime", "ranks"), LAUNCHES, indirect=["stack", "runtime"])
def test_the_library_does_what_it_says(stack: Stack, runtime: str, built: Built, ranks: int) -> None:
    into = built(stack, runtime)
    done = launch(stack, ranks, command(runtime, into, "Tests"))
    assert done.returncode == 0, done.stdout + done.stderr
    passed = re.findall(r"^passed (\S+)$", done.stdout, re.MULTILINE)
    assert set(passed) == names_of_tests()
    assert f"done {len(passed)} on {ranks}" in done.stdout
    assert {"mpich": "MPICH", "openmpi": "Open MPI"}[stack.family] in done.stdout


def test_both_runtimes_carry_the_same_classes(mpich: Stack, built: Built) -> None:
    fates = []
    for runtime in STARTS if shutil.which("mono") else []:
        done = launch(mpich, 1, command(runtime, built(mpich, runtime), "Tests"))
        fates.append({name: fate for fate, name in re.findall(r"^(carried|refused) (\S+)$", done.stdout, re.MULTILINE)})
    if not fates:
        pytest.skip("there is no mono")
    common = fates[0].keys() & fates[1].keys()
    assert len(common) > 300
    assert [name for name in sorted(common) if fates[0][name] != fates[1][name]] == []


def test_threads_of_a_rank_receive_every_message_once(stack: Stack, runtime: str, built: Built) -> None:
    into = built(stack, runtime)
    done = launch(stack, 2, [*command(runtime, into, "Tests"), "threads"])
    assert done.returncode == 0, done.stdout + done.stderr
    assert "done threads" in done.stdout


def test_messages_keep_their_order_time_and_again(stack: Stack, runtime: str, built: Built) -> None:
    done = launch(stack, 2, [*command(runtime, built(stack, runtime), "Tests"), "again", str(TIMES)])
    assert done.returncode == 0, done.stdout + done.stderr
    assert "done again" in done.stdout


def test_ranks_start_others(stack: Stack, runtime: str, built: Built) -> None:
    words = command(runtime, built(stack, runtime), "Tests")
    done = launch(stack, 2, [*words, "spawn", *words])
    assert done.returncode == 0, done.stdout + done.stderr
    assert "done spawn" in done.stdout


def test_an_uncaught_exception_ends_the_job_and_says_on_which_rank(stack: Stack, runtime: str, built: Built) -> None:
    into = built(stack, runtime)
    done = launch(stack, 3, [*command(runtime, into, "Tests"), "fail"])
    assert done.returncode != 0
    assert "[rank 2] System.InvalidOperationException: this rank fails on purpose" in done.stderr
    assert "[rank 0] System" not in done.stderr


def test_a_rank_that_ends_the_job_goes_no_further(stack: Stack, runtime: str, built: Built) -> None:
    into = built(stack, runtime)
    done = launch(stack, 2, [*command(runtime, into, "Tests"), "abort"])
    assert done.returncode == 3, done.stderr
    assert "still there" not in done.stdout


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_examples_write_what_their_first_lines_say(mpich: Stack, runtime: str, built: Built, example: Path) -> None:
    into = built(mpich, runtime)
    done = launch(mpich, 3, command(runtime, into, example.stem))
    expected = re.findall(r"^// writes: (.*)$", example.read_text(encoding="utf-8"), re.MULTILINE)
    assert done.returncode == 0, done.stderr
    assert expected
    assert sorted(done.stdout.splitlines()) == sorted(expected)
