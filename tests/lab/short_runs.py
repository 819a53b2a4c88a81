"""Whole runs with short batches, for tests of what a run does and not of its figures."""

import dataclasses
from collections.abc import Callable
from pathlib import Path

from polympi.lab.bindings.manifest import load_bindings
from polympi.lab.plan.profiles import PROFILES
from polympi.lab.records import Environment, Outcome
from polympi.lab.run.asked import record
from polympi.lab.run.experiment import Experiment
from polympi.lab.run.request import Request, prepare
from polympi.lab.run.watcher import Watcher
from polympi.lab.samples.store import RunDirectory
from polympi.lab.stacks.stack import Stack

# The shortest run that a user can type: C's launches alone.
ONE_CASE = ["--profile", "glance", "--bench", "latency/standard/bytes", "--sizes", "8", "--binding", "c"]
TEST_BINDINGS = Path(__file__).parents[1] / "bindings"
SHORT = dataclasses.replace(
    PROFILES["quick"],
    minimum_blocks=6,
    maximum_blocks=6,
    batches=2,
    batch_ns=1e5,
    events=5,
    launch_timeout_s=300,
    demands=False,
)
FEW_BLOCKS = dataclasses.replace(SHORT, minimum_blocks=3, maximum_blocks=3)  # where six, for an interval, tell no more


def short_request(path: Path, stacks: list[Stack], wanted: list[str], benches: list[str], **changes: object) -> Request:
    """A request of two ranks and two small sizes, with these fields changed."""
    fields: dict[str, object] = {
        "output": path,
        "stacks": stacks,
        "bindings": load_bindings([TEST_BINDINGS]),
        "wanted": wanted,
        "benches": benches,
        "sizes": [8, 1024],
        "ranks": [2],
        "profile": SHORT,
        "seed": 1,
    }
    return Request(**{**fields, **changes})  # type: ignore[arg-type]


class Counting(Watcher):
    def __init__(self) -> None:
        self.begun = self.ended = 0

    def launching(self, progress: object) -> None:
        self.begun += 1

    def launched(self, progress: object, record: object) -> None:
        self.ended += 1


def measured(
    request: Request, asked_to_stop: Callable[[], bool] = lambda: False, watcher: Watcher | None = None
) -> tuple[RunDirectory, Outcome]:
    plans, watcher = prepare(request), watcher or Watcher()
    directory = RunDirectory.create(request.output, record(request, plans), Environment())
    experiment = Experiment(request, plans, directory, processors=2, watcher=watcher, asked_to_stop=asked_to_stop)
    return directory, experiment.run()
