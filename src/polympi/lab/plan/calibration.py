"""How many iterations make a batch: chosen from one launch of C, then the same for every binding."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from polympi.lab.catalogue import BENCHMARKS, Case
from polympi.lab.plan.profiles import Profile
from polympi.lab.samples.records import PlannedCase

# A first guess of the time of one operation on today's machines, good to a factor of ten, which is all that the
# calibration launch needs to time something measurable without taking long.
GUESS_CALL_NS = 1000.0
GUESS_NS_PER_BYTE = 0.2  # 5 GB/s
CALIBRATION_BATCH_NS = 5e5
CALIBRATION_BATCHES = 3
CLOCK_RESOLUTIONS = 1000  # a batch lasts at least so many resolutions of the clock: an error of 0.1 %
MINIMUM_WARMUP = 2  # both ranks have touched every buffer and every path once, and once more


def calibration_plan(cases: Sequence[Case]) -> list[PlannedCase]:
    """The plan of the launch from which iterations are chosen."""
    return [
        _planned(case, max(1, round(CALIBRATION_BATCH_NS / _guess_ns(case))), CALIBRATION_BATCHES, 0) for case in cases
    ]


def choose_iterations(
    profile: Profile, timed: Mapping[Case, tuple[int, Sequence[int]]], clock_resolution_ns: int
) -> list[PlannedCase]:
    """The plan of the run.

    Args:
        profile: gives the length and number of batches.
        timed: for each case, the iterations and the batch times in ns of the calibration launch.
        clock_resolution_ns: resolution of the program's clock.
    """
    batch_ns = max(profile.batch_ns, CLOCK_RESOLUTIONS * clock_resolution_ns)
    planned = []
    for case, (iterations, batches_ns) in timed.items():
        iteration_ns = max(min(batches_ns) / iterations, 1.0)  # the fastest: a disturbed batch would choose too few
        planned.append(
            _planned(case, math.ceil(batch_ns / iteration_ns), profile.batches, _events(profile, iteration_ns))
        )
    return planned


def _planned(case: Case, iterations: int, batches: int, events: int) -> PlannedCase:
    return PlannedCase(
        benchmark=case.benchmark,
        mode=case.mode,
        payload=case.payload,
        size_bytes=case.size_bytes,
        warmup=max(MINIMUM_WARMUP, iterations // 2),
        batches=batches,
        iterations=iterations,
        events=events,
    )


def _events(profile: Profile, iteration_ns: float) -> int:
    """Events of a case: the profile's number, but in all no longer than a batch, and no fewer than the batches."""
    return max(profile.batches, min(profile.events, math.floor(profile.batch_ns / iteration_ns)))


def _guess_ns(case: Case) -> float:
    operations = BENCHMARKS[case.benchmark].operations(case.mode)
    return operations * (GUESS_CALL_NS + GUESS_NS_PER_BYTE * case.size_bytes)
