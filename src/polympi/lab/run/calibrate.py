"""Carry out a calibration: two launches of the reference, from which the iterations of all bindings follow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from polympi.lab.catalogue import Case
from polympi.lab.launch.launcher import Launched, planned_case
from polympi.lab.plan.calibration import Timed, choose_iterations, first_plan, reference_times, second_plan
from polympi.lab.plan.profiles import Profile
from polympi.lab.records import PlannedCase

Reference = Callable[[dict[int, PlannedCase]], Launched]


@dataclass(frozen=True)
class Calibration:
    """What two launches of the reference have shown.

    Attributes:
        cases: the cases with their counts, numbered as in the plans of the run.
        reference_ns: how long an iteration of the reference takes, by the number of the case.
        launched: the second launch.
    """

    cases: dict[int, PlannedCase]
    reference_ns: dict[int, float]
    launched: Launched


def calibrate(profile: Profile, cases: Sequence[Case], reference: Reference, *, crowded: bool) -> Calibration:
    """Choose the iterations of each case.

    Args:
        profile: gives the length and number of batches.
        cases: what will be measured.
        reference: launches the reference on a plan; whatever it raises is passed on.
        crowded: whether ranks outnumber processors (see :func:`polympi.lab.plan.calibration.choose_iterations`).
    """
    launched, timed = _timed(reference, first_plan(cases))
    if timed or not cases:  # else the first launch says why nothing can be timed, and a second would say less
        launched, timed = _timed(reference, second_plan(timed))
    chosen = choose_iterations(profile, timed, launched.samples.clock_resolution_ns, crowded=crowded)
    times_ns = reference_times(timed, crowded=crowded)
    return Calibration(dict(enumerate(chosen)), dict(enumerate(times_ns)), launched)


def _timed(reference: Reference, planned: list[PlannedCase]) -> tuple[Launched, Timed]:
    numbered = dict(enumerate(planned))
    launched = reference(numbered)
    return launched, {
        planned_case(numbered[number]): (numbered[number].iterations, times_ns)
        for number, times_ns in launched.samples.batches.items()
    }
