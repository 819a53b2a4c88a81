"""Writing a parallel program: the page shows its programs as they are, and these run on any number of ranks."""

import re
from pathlib import Path

import pytest
from snippets import EXAMPLE

pytestmark = pytest.mark.any_library

REPOSITORY = Path(__file__).parents[2]
PAGE = REPOSITORY / "docs" / "writing-a-parallel-program.md"
STEPS = sorted((REPOSITORY / "examples" / "steps").glob("step*.py"))
COMMAND = re.compile(r"^    (?:mpiexec -n (\d) )?python (examples/steps/\w+\.py)$", re.MULTILINE)


def test_the_page_shows_each_step_as_it_is() -> None:
    page = PAGE.read_text()
    assert len(STEPS) == 5
    assert EXAMPLE.findall(page) == [step.read_text() for step in STEPS]
    assert re.findall(r"^\[(\w+\.py)\]\(\.\./examples/steps/\1\):$", page, re.MULTILINE) == [s.name for s in STEPS]


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.stem)
def test_a_step_runs_with_the_command_it_gives(run, stack, step: Path) -> None:
    ((ranks, name),) = COMMAND.findall(step.read_text())
    assert REPOSITORY / name == step
    ended = run(step, int(ranks) if ranks else None, stack)
    assert re.search(r"inner product is 2000005\.000000|largest error is \S+e-1\d\b", ended.succeeded())
    assert ended.stderr == ""


@pytest.mark.parametrize("ranks", [1, 3, 4])
def test_a_step_is_exact_on_other_numbers_of_ranks(run_in_job, stack, ranks: int) -> None:
    for step in STEPS:
        assert run_in_job(step, ranks, stack)


def test_without_the_second_exchange_two_ranks_are_wrong_and_one_is_right(run, mpich) -> None:
    program = next(step for step in STEPS if "ghost" in step.stem).read_text()
    line = "    world.sendrecv(u[-2:-1], dest=right, source=left, into=u[:1])\n"
    assert line in program
    run(program.replace(line, ""), 1, mpich).succeeded()
    assert "AssertionError" in run(program.replace(line, ""), 2, mpich).stderr
