"""What a history of runs says, in sentences, and what changed around the programs from one run to the next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from polympi.lab.conclusions.changes import relative
from polympi.lab.conclusions.phrases import count, first_few, listing, percent
from polympi.lab.records import REFERENCE
from polympi.lab.statistics.history.model import History, Step
from polympi.lab.statistics.history.runs import Run
from polympi.lab.statistics.verdicts import SLOWER


class Difference(msgspec.Struct, frozen=True):
    """Something that a run recorded otherwise than the run before it."""

    what: str
    before: str  # `–` where it was not recorded
    after: str
    stack: str = ""  # the installation that it is about; empty for the machine
    binding: str = ""  # the only arm that it is about; empty for all

    def __str__(self) -> str:
        """In words: ``kernel 6.1 → 6.2``."""
        return f"{self.what} {self.before} → {self.after}"


_What = tuple[str, str, str]  # what it is, its stack, and its binding


def differences(before: Run, after: Run) -> list[Difference]:
    """What changed between two runs, as they recorded it."""
    old, new = _recorded(before), _recorded(after)
    return [
        Difference(what, old.get((what, stack, binding), "–"), new.get((what, stack, binding), "–"), stack, binding)
        for what, stack, binding in dict.fromkeys((*old, *new))
        if old.get((what, stack, binding)) != new.get((what, stack, binding))
    ]


def at_step(step: Step, runs: Sequence[Run]) -> list[Difference]:
    """What changed where a step is, as far as it may have to do with it: the machine, its stack, its binding, and C."""
    found = differences(runs[step.previous - 1], runs[step.run - 1])
    return [
        one
        for one in found
        if (not one.stack or step.stack == one.stack or step.stack.startswith(f"{one.stack},"))
        and one.binding in ("", REFERENCE, step.binding)
    ]


def _recorded(run: Run) -> dict[_What, str]:
    """What a run recorded of the machine and its programs."""
    metadata = run.environment.metadata
    machine = {
        "host": metadata.get("host"),
        "processor": run.processor,
        "clock governor": _of(metadata, "cpu", "governor"),
        "kernel": _of(metadata, "kernel", "release"),
        "operating system": _of(metadata, "os", "name"),
        "C library": _of(metadata, "os", "c_library"),
        "polympi": run.run.polympi,
        "commit of polympi": str(_of(metadata, "source", "commit") or "")[:12],
    }
    found = {(what, "", ""): str(value) for what, value in machine.items() if value}
    for name, stack in run.environment.stacks.items():
        of_stack = {"compiler": stack.compiler, "Python": stack.python.removeprefix("Python ")}
        of_stack |= {package: version for package, _, version in (one.partition("==") for one in stack.packages)}
        found |= {(what, name, ""): value for what, value in of_stack.items() if value}
    for planned in run.run.stacks:
        if planned.library:
            found["MPI library", planned.installation, ""] = planned.library
        for arm, build in planned.builds.items():
            if "again" not in arm:
                found[f"build of {arm}", planned.installation, arm] = build.removeprefix(f"{arm}-")
    return found


def _of(metadata: Mapping[str, object], section: str, name: str) -> object:
    found = metadata.get(section)
    return found.get(name) if isinstance(found, Mapping) else None


def answer(history: History, runs: Sequence[Run]) -> str:
    """The overall answer, in one sentence."""
    where = f"{count(len(runs), 'run')} from {day(runs[0])} to {day(runs[-1])}"
    if not history.steps:
        return f"No change of {percent(history.threshold)} or more was found in {where}."
    slower = [step for step in history.steps if step.verdict == SLOWER]
    named = first_few([f"{one.binding} in {one.benchmark} ({relative(one.change)}, run {one.run})" for one in slower])
    faster = len(history.steps) - len(slower)
    said = [f"{named} became slower"] if slower else []
    said += [f"{count(faster, 'time')} a binding became faster in a benchmark"] if faster else []
    return f"In {where}, {listing(said)}."


def sentences(history: History, runs: Sequence[Run], left_out: Mapping[str, str]) -> list[str]:
    """The answer, then what is new, where to look, and which runs say nothing."""
    said = [answer(history, runs)]
    new = [step for step in history.steps if step.run == len(runs) and step.verdict == SLOWER]
    if new:
        names = first_few([f"{one.binding} in {one.benchmark}" for one in new])
        said.append(f"Only the newest run shows it for {names}: measure once more before you look for a reason.")
    said += [_advice(history.steps, runs)] if history.steps else []
    said += [f"'{path}' is left out: {reason}" for path, reason in left_out.items()]
    return said


def _advice(steps: Iterable[Step], runs: Sequence[Run]) -> str:
    largest = max(steps, key=lambda step: max(step.change, 1 / step.change))
    places = [runs[number - 1].path for number in (largest.previous, largest.run)]
    return f"'polympi diff {places[0]} {places[1]}' shows the rows of the largest change."


def step_words(step: Step, runs: Sequence[Run]) -> str:
    """What changed around a step, in the words of a table."""
    return "; ".join(map(str, at_step(step, runs))) or "nothing that a run records"


def day(run: Run) -> str:
    """When a run began, to the day."""
    return run.run.created[:10]


RATES = (
    "A change is shown where launches before and after a run differ more than chance explains, and by more than the "
    "threshold, than C differs from itself, and than runs differ from each other. A history without any change shows "
    "one with a probability of at most 5 %, over all its series and runs together."
)
