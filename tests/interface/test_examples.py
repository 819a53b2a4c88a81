"""The examples, run as they say they are run: each asserts what it shows."""

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.any_library

FOLDER = Path(__file__).parents[2] / "examples"
EXAMPLES = sorted(FOLDER.glob("*.py"))
COMMAND = re.compile(r"^    mpiexec -n (\d) python examples/(\w+\.py)$", re.MULTILINE)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_an_example_runs_with_the_command_it_gives_and_says_something(run, stack, example: Path) -> None:
    program = example.read_text()
    ((ranks, name),) = COMMAND.findall(program)
    assert name == example.name
    room = {"PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe"}  # for ranks that are spawned, with Open MPI
    ended = run(program, int(ranks), stack, env=room)
    assert ended.succeeded()
    assert ended.stderr == ""


def test_the_index_lists_each_example_with_what_it_shows() -> None:
    listed = re.findall(r"^\| \[(\w+\.py)\]\((\w+\.py)\) \| .+ \|$", (FOLDER / "README.md").read_text(), re.MULTILINE)
    assert sorted(listed) == [(example.name, example.name) for example in EXAMPLES]


def test_the_example_of_meshes_says_how_many_ranks_it_wants(run, stack) -> None:
    ended = run((FOLDER / "meshes.py").read_text(), 2, stack)
    assert ended.exit_code != 0
    assert "This example wants 4 ranks" in ended.stderr
    assert "Traceback" not in ended.stderr
