"""Carry out a calibration: two launches of the reference, from which the iterations of all bindings follow."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from polympi.lab.catalogue import Case
from polympi.lab.launch.launcher import Launched, planned_case
from polympi.lab.plan.calibration import Timed, choose_iterations, first_plan, reference_times, second_plan
from polympi.lab.plan.profiles import Profile
from polympi.lab.records import PlannedCase
from polympi.lab.run.patience import left_out_reason, needed_seconds, too_long

Reference = Callable[[dict[int, PlannedCase]], Launched]


@dataclass(frozen=True)
class Calibration:
    """What two launches of the reference have shown."""

    cases: dict[int, PlannedCase]  # the cases with their counts, numbered as in the plans of the run
    reference_ns: dict[int, float]  # how long an iteration of the reference takes, by the number of the case
    launched: Launched  # the second launch
    too_slow: tuple[Case, ...] = ()  # cases that did not end within the time of a launch
    left_out: dict[str, str] = field(default_factory=dict)  # what is not measured because it takes too long, and why


def calibrate(profile: Profile, cases: Sequence[Case], reference: Reference, *, oversubscribed: bool) -> Calibration:
    """Choose the iterations of each case for the batches of the profile; what the reference raises is passed on."""
    launched, timed, slow = _timed(reference, first_plan(cases))
    if timed or not cases:  # else the first launch says why nothing can be timed, and a second would say less
        launched, timed, slower = _timed(reference, second_plan(timed))
        slow += slower
    chosen = choose_iterations(profile, timed, launched.samples.clock_resolution_ns, oversubscribed=oversubscribed)
    times_ns = reference_times(timed, oversubscribed=oversubscribed)
    return Calibration(dict(enumerate(chosen)), dict(enumerate(times_ns)), launched, tuple(slow))


def fitting(found: Calibration, timeout_s: float, longest_s: float) -> Calibration:
    """The same calibration without the cases for which no launch, in at most `longest_s`, has time enough."""
    needed = needed_seconds(found.cases, found.reference_ns)
    gone = too_long(needed, longest_s)
    kept = [number for number in found.cases if number not in gone]
    return replace(
        found,
        cases=dict(enumerate(found.cases[number] for number in kept)),
        reference_ns=dict(enumerate(found.reference_ns[number] for number in kept)),
        left_out={
            **{str(case): left_out_reason(None, timeout_s) for case in found.too_slow},
            **{str(planned_case(found.cases[n])): left_out_reason(needed[n], longest_s) for n in sorted(gone)},
        },
    )


def _timed(reference: Reference, planned: list[PlannedCase]) -> tuple[Launched, Timed, list[Case]]:
    """Launch the reference, in several parts where one launch is too short for all cases, some of which are left out.

    A part begins with the case that the one before it has not finished; a case that does not end although it is the
    first is left out, with the larger ones of its kind.
    """
    left = dict(enumerate(planned))
    timed: dict[Case, tuple[int, list[int]]] = {}
    slow: list[Case] = []
    while True:
        launched = reference(left)
        found = launched.samples if launched.cut is None else launched.cut
        for number, times_ns in found.batches.items():
            timed[planned_case(left[number])] = (left[number].iterations, times_ns)
        if launched.cut is None:
            return launched, timed, slow
        seen = {*found.batches, *found.skipped, *found.invalid}
        if not seen and found.last_case is not None:
            gone = {number for number, case in left.items() if _as_slow(case, left[found.last_case])}
            slow += [planned_case(left[number]) for number in sorted(gone)]
            seen = gone
        left = {number: case for number, case in left.items() if number not in seen}
        if not left:
            return launched, timed, slow


def _as_slow(case: PlannedCase, slow: PlannedCase) -> bool:
    """Whether a case takes at least as long as one that is too slow."""
    alike = (case.benchmark, case.mode, case.payload) == (slow.benchmark, slow.mode, slow.payload)
    return alike and case.size_bytes >= slow.size_bytes
