"""Our side of ``against_others.py``: what reports show of C, and the same computed as other programs compute theirs.

``as reported``: the batches of the standard profile; the median over the batches of a launch, after
:mod:`polympi.lab.statistics.operations` has taken off what the clock and the common start cost.

``as OSU``: the test binding ``c-as-osu`` makes as many iterations as OSU and takes the time of each alone;
collectives behind ``MPI_Barrier``, averaged over the ranks. The mean, nothing taken off.

``as IMB``: the mean over all batches of the reported launch.

``as NetPIPE``: the fastest of three batches of 0.1 s.
"""

import math
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import polars as pl

from polympi import __version__
from polympi.lab.bindings.build import build
from polympi.lab.bindings.manifest import load_bindings
from polympi.lab.catalogue import BENCHMARKS, WINDOW, Case
from polympi.lab.errors import StackError
from polympi.lab.launch.launcher import Arm, Launched, Place, Setting, launch
from polympi.lab.plan.profiles import get_profile
from polympi.lab.plan.schedule import case_order
from polympi.lab.records import REFERENCE, Environment, PlannedCase, RunRecord
from polympi.lab.run.calibrate import calibrate
from polympi.lab.samples.store import RunDirectory
from polympi.lab.stacks.stack import Stack
from polympi.lab.statistics.operations import operation_times

REPORTED, AS_OSU, AS_IMB, AS_NETPIPE = "as reported", "as OSU", "as IMB", "as NetPIPE"

RANKS = 2
PAGES = "plain"  # none of the others asks for huge ones
PROFILE = "standard"
LAUNCH_TIMEOUT_S = 180.0  # ten times what any of the programs takes for 1 B to 1 MiB
TEST_BINDINGS = Path(__file__).parents[1] / "tests" / "bindings"

TRIALS, TRIAL_NS = 3, 1e8  # of NetPIPE: what it aims at

# By kind of benchmark: warm-up and timed iterations, for all sizes those that OSU makes of small messages (osu_util.h
# of version 7.4). Above 8 KiB it would make a fifth or a tenth of them, and the average of 20 moves with each.
OSU_SERIES = {"latency": (100, 10_000), "window": (10, 100), "collective": (100, 1000)}

Times = Mapping[int, Sequence[int]]  # by the number of a case, in ns


@dataclass(frozen=True)
class Figure:
    """The time of one operation in a figure: ``as reported``, ``as OSU``, ..., or the name of another program."""

    figure: str
    benchmark: str
    size_bytes: int
    time_ns: float


class OurPrograms:
    """Our programs on one stack, ready to be launched in turn with others; `alike` are the figures those compute."""

    def __init__(
        self,
        stack: Stack,
        cases: Sequence[Case],
        alike: Collection[str],
        *,
        seed: int,
        folder: Path,
        on_tick: Callable[[], None],
    ) -> None:
        self._stack, self._seed, self._folder, self._on_tick = stack, seed, folder, on_tick
        self._setting = Setting(RANKS, None, len(os.sched_getaffinity(0)), folder, PAGES)
        self._launches = 0
        bindings = load_bindings([TEST_BINDINGS])
        reference = self._reference = Arm(bindings[REFERENCE], build(bindings[REFERENCE], stack))
        profile = get_profile(PROFILE)
        planned = calibrate(
            profile, cases, lambda cases: self._launch(reference, cases, None), oversubscribed=False
        ).cases
        plans = {REPORTED: (reference, planned)}
        if AS_OSU in alike:
            as_osu = bindings["c-as-osu"]
            plans[AS_OSU] = (Arm(as_osu, build(as_osu, stack)), plan_as_osu(planned))
        if AS_NETPIPE in alike:
            plans[AS_NETPIPE] = (reference, plan_as_netpipe(planned, profile.batch_ns))
        self._plans = {
            f"{figure}, {benchmark}": (figure, arm, cases)
            for figure, (arm, all_cases) in plans.items()
            for benchmark, cases in by_benchmark(all_cases).items()
        }

    @property
    def names(self) -> list[str]:
        """The launches that belong into a round: one for each figure (but the mean over batches) and benchmark."""
        return list(self._plans)

    def measure(self, name: str, number: int) -> list[Figure]:
        """Launch one of :attr:`names` in a round; StackError if that failed, or pages were others than asked for."""
        figure, arm, planned = self._plans[name]
        order = case_order(sorted(planned), number, self._seed, self._stack.name)
        launched = self._launch(arm, {n: planned[n] for n in order}, number)
        if figure == AS_OSU:
            return list(mean_events(planned, launched.samples.events))
        if figure == AS_NETPIPE:
            return list(fastest_batches(planned, launched.samples.batches))
        folder = self._folder / f"launch-{self._launches}"
        return [*reported(launched, folder), *mean_batches(planned, launched.samples.batches)]

    def _launch(self, arm: Arm, cases: Mapping[int, PlannedCase], block: int | None) -> Launched:
        launched = launch(
            Place(self._launches, block),
            arm,
            self._stack,
            cases,
            self._setting,
            timeout_s=LAUNCH_TIMEOUT_S,
            on_tick=self._on_tick,
        )
        self._launches += 1
        record = launched.record
        if record.outcome != "ok" or record.invalid:
            reason = record.detail or f"wrong bytes arrived in {record.invalid[0].case}"
            raise StackError(f"'{arm.name}' failed on stack '{self._stack.name}': {reason}.\n{record.stderr_tail}")
        if record.huge_bytes:
            raise StackError(
                f"Buffers of '{arm.name}' lay on huge pages although plain ones were asked for: what is compared "
                "would not be equal. Set /sys/kernel/mm/transparent_hugepage/enabled to madvise."
            )
        return launched


def reported(launched: Launched, folder: Path) -> Iterator[Figure]:
    """What a report of one finished launch alone would show of it; its result directory is made in the folder."""
    run = RunRecord(
        polympi=__version__, created="", profile=PROFILE, seed=0, ranks=RANKS, window=WINDOW, pages=PAGES,
        minimum_blocks=1, maximum_blocks=1,
    )  # fmt: skip
    directory = RunDirectory.create(folder, run, Environment())
    directory.append_launch(launched.record, launched.frame)
    times, _ = operation_times(directory, directory.launches())
    of_cases = times.filter(pl.col("benchmark") != "startup")
    for benchmark, size, median_ns in of_cases.select("benchmark", "size_bytes", "median_ns").iter_rows():
        yield Figure(REPORTED, benchmark, size, median_ns)


def by_benchmark(planned: Mapping[int, PlannedCase]) -> dict[str, dict[int, PlannedCase]]:
    """The cases of each benchmark."""
    parts: dict[str, dict[int, PlannedCase]] = {}
    for n, case in planned.items():
        parts.setdefault(case.benchmark, {})[n] = case
    return parts


def plan_as_osu(planned: Mapping[int, PlannedCase]) -> dict[int, PlannedCase]:
    """The cases with the iterations of OSU as single events; the fewest batches that a plan may have."""
    return {n: _case_as_osu(case) for n, case in planned.items()}


def osu_series(benchmark: str) -> tuple[int, int]:
    """Warm-up and timed iterations of a benchmark of our catalogue."""
    facts = BENCHMARKS[benchmark]
    return OSU_SERIES["collective" if facts.collective else "window" if facts.windowed else "latency"]


def _case_as_osu(case: PlannedCase) -> PlannedCase:
    warmup, timed = osu_series(case.benchmark)
    return msgspec.structs.replace(case, warmup=warmup, batches=1, iterations=1, events=timed)


def plan_as_netpipe(planned: Mapping[int, PlannedCase], batch_ns: float) -> dict[int, PlannedCase]:
    """The calibrated cases of NetPIPE's benchmark, of batches of `batch_ns`, with batches as long as its trials."""
    return {
        n: msgspec.structs.replace(
            case, batches=TRIALS, iterations=math.ceil(case.iterations * TRIAL_NS / batch_ns), events=0
        )
        for n, case in planned.items()
        if case.benchmark == "latency"
    }


def mean_events(cases: Mapping[int, PlannedCase], events: Times) -> Iterator[Figure]:
    """The mean of the single events of a launch, nothing taken off."""
    for n, times in events.items():
        yield _figure(AS_OSU, cases[n], sum(times) / len(times))


def mean_batches(cases: Mapping[int, PlannedCase], batches: Times) -> Iterator[Figure]:
    """The mean over the batches of a launch, nothing taken off."""
    for n, times in batches.items():
        yield _figure(AS_IMB, cases[n], sum(times) / len(times) / cases[n].iterations)


def fastest_batches(cases: Mapping[int, PlannedCase], batches: Times) -> Iterator[Figure]:
    """The fastest batch of a launch."""
    for n, times in batches.items():
        yield _figure(AS_NETPIPE, cases[n], min(times) / cases[n].iterations)


def _figure(name: str, case: PlannedCase, iteration_ns: float) -> Figure:
    operations = BENCHMARKS[case.benchmark].operations(case.mode)
    return Figure(name, case.benchmark, case.size_bytes, iteration_ns / operations)
