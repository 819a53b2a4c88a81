"""Objects of every kind arrive at the other rank as they were; what is sent and compared is in programs/."""

import importlib.metadata
from pathlib import Path

import pytest

from polympi.lab.stacks.stack import Stack
from polympi.native import build

pytestmark = pytest.mark.sanitize

PROGRAMS = Path(__file__).parent / "programs"
SAMPLES = Path(__file__).parents[1] / "native"
OBJECTS = 25_000  # on each stack


def run_program(run, name: str, stack: Stack, *arguments: str, further: Path = SAMPLES) -> None:
    paths = ":".join(map(str, (build.SOURCES.parents[1], PROGRAMS, SAMPLES, further)))
    program = PROGRAMS / f"{name}.py"
    run(program, 2, stack, env={"PYTHONPATH": paths}, arguments=arguments).succeeded()


@pytest.fixture
def hypothesis_folder(tmp_path: Path) -> Path:
    """A folder with nothing but hypothesis and what it needs, for the ranks, which run in other environments."""
    folder = tmp_path / "hypothesis"
    folder.mkdir()
    for name in ("hypothesis", "sortedcontainers"):
        distribution = importlib.metadata.distribution(name)
        for top in {file.parts[0] for file in distribution.files or ()} - {".."}:
            if not top.endswith(".dist-info"):
                (folder / top).symlink_to(Path(str(distribution.locate_file(top))))
    return folder


def test_values_and_arrays_of_every_kind_arrive_as_they_are(run, stack: Stack) -> None:
    run_program(run, "payloads", stack, str(OBJECTS))


def test_generated_values_come_back_as_they_were(run, stack: Stack, hypothesis_folder: Path) -> None:
    run_program(run, "generated", stack, further=hypothesis_folder)
