"""Record what a binding asks of MPI: one launch of all its cases with the audit's recorder, which is not timed."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from polympi.lab.audit.job import read_job
from polympi.lab.audit.recorder import recorder_library, recorder_variables
from polympi.lab.catalogue import BENCHMARKS, Case
from polympi.lab.demand.windows import Window, windows_of
from polympi.lab.demands import Demand, RankDemand
from polympi.lab.errors import BuildError, ResultError
from polympi.lab.launch.launcher import Arm, Launched, Place, Setting, launch, planned_case
from polympi.lab.records import PlannedCase
from polympi.lab.stacks.stack import Stack

# A few iterations tell whether every one asks the same; no events, which other ranks than rank 0 make as batches.
_COUNTS = {"warmup": 2, "batches": 1, "iterations": 2, "events": 0}
_CALLS_OF_A_START = 4  # the timed one, and UNTIMED_CALLS of common_start.h before it


@dataclass(frozen=True)
class Recorded:
    """What a launch has shown."""

    demands: list[Demand]
    seconds: float  # from the start of the launcher to its end
    problem: str = ""  # why nothing was recorded: the end of a sentence


def recordable(cases: Sequence[Case]) -> list[Case]:
    """The cases whose iterations consist of calls of MPI; an application computes."""
    return [case for case in cases if not BENCHMARKS[case.benchmark].application]


def record_demands(
    place: Place,
    arm: Arm,
    stack: Stack,
    cases: Sequence[Case],
    setting: Setting,
    *,
    timeout_s: float,
    on_tick: Callable[[], None] = lambda: None,
) -> Recorded:
    """Launch a binding once with its ranks recorded."""
    try:
        recorder_library()
    except BuildError as error:
        return Recorded([], 0.0, str(error))
    plan = {
        number: PlannedCase(
            benchmark=case.benchmark, mode=case.mode, payload=case.payload, size_bytes=case.size_bytes, **_COUNTS
        )
        for number, case in enumerate(recordable(cases))
    }
    with tempfile.TemporaryDirectory(prefix="demand-", dir=setting.folder) as scratch:
        folder = Path(scratch)
        environment = {**stack.environment, **recorder_variables(folder, python=False)}
        recorded = msgspec.structs.replace(stack, environment=environment)
        launched = launch(
            place, arm, recorded, plan, replace(setting, folder=folder), timeout_s=timeout_s, on_tick=on_tick
        )
        seconds = launched.record.wall_ns / 1e9
        if launched.record.outcome != "ok":
            return Recorded([], seconds, launched.record.detail)
        try:
            return Recorded(_demands(folder, launched, plan), seconds)
        except ResultError as error:
            return Recorded([], seconds, str(error))


def _demands(folder: Path, launched: Launched, plan: Mapping[int, PlannedCase]) -> list[Demand]:
    job = read_job(folder)
    if job.missing:
        raise ResultError(f"rank {job.missing[0]} was not recorded")
    numbers = [number for number in plan if number in launched.samples.valid]
    ranks = [windows_of(file) for file in job.files]
    if any(len(windows) != len(numbers) for windows in ranks):
        raise ResultError("its program doesn't mark its cases, as common_start_mark does")
    found = []
    for place, number in enumerate(numbers):
        case = planned_case(plan[number])
        iterations = _iterations(plan[number], launched.samples.repeated.get(number, 0))
        windows = [windows[place] for windows in ranks]
        found.append(
            Demand(
                stack=launched.record.stack,
                binding=launched.record.binding,
                benchmark=case.benchmark,
                mode=case.mode,
                payload=case.payload,
                size_bytes=case.size_bytes,
                ranks=[_per_iteration(window, iterations) for window in windows],
                same=all(_is_same(window, iterations) for window in windows),
            )
        )
    return found


def _iterations(case: PlannedCase, repeated: int) -> int:
    """Iterations between the marks of a case, with the starts that were repeated (``docs/protocol.md``)."""
    benchmark = BENCHMARKS[case.benchmark]
    if benchmark.timed_singly:
        return _CALLS_OF_A_START * (case.warmup + case.batches * case.iterations + repeated)
    if benchmark.from_common_start:
        return case.warmup + (case.batches + repeated) * case.iterations
    return case.warmup + case.batches * case.iterations


def _per_iteration(window: Window, iterations: int) -> RankDemand:
    return RankDemand(
        calls={name: number / iterations for name, number in window.calls.items()},
        messages={size: number / iterations for size, number in sorted(window.messages.items())},
        collective_bytes={name: number / iterations for name, number in window.collective_bytes.items() if number},
    )


def _is_same(window: Window, iterations: int) -> bool:
    counts = (*window.calls.values(), *window.messages.values(), *window.collective_bytes.values())
    return all(number % iterations == 0 for number in counts)
