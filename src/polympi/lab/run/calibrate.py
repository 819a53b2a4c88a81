"""Carry out a calibration: two launches of the reference, from which the iterations of all bindings follow."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from polympi.lab.catalogue import Case
from polympi.lab.launch.launcher import Launched, planned_case
from polympi.lab.plan.calibration import Timed, choose_iterations, first_plan, second_plan
from polympi.lab.plan.profiles import Profile
from polympi.lab.records import PlannedCase

Reference = Callable[[dict[int, PlannedCase]], Launched]


def calibrate(
    profile: Profile, cases: Sequence[Case], reference: Reference, *, crowded: bool
) -> tuple[dict[int, PlannedCase], Launched]:
    """Choose the iterations of each case.

    Args:
        profile: gives the length and number of batches.
        cases: what will be measured.
        reference: launches the reference on a plan; whatever it raises is passed on.
        crowded: whether ranks outnumber processors (see :func:`polympi.lab.plan.calibration.choose_iterations`).

    Returns:
        The cases with their counts, numbered as in the plans of the run, and the second launch.
    """
    _, timed = _timed(reference, first_plan(cases))
    launched, timed = _timed(reference, second_plan(timed))
    chosen = choose_iterations(profile, timed, launched.samples.clock_resolution_ns, crowded=crowded)
    return dict(enumerate(chosen)), launched


def _timed(reference: Reference, planned: list[PlannedCase]) -> tuple[Launched, Timed]:
    numbered = dict(enumerate(planned))
    launched = reference(numbered)
    return launched, {
        planned_case(numbered[number]): (numbered[number].iterations, times_ns)
        for number, times_ns in launched.samples.batches.items()
    }
