"""How many iterations make a batch: chosen from two launches of C for every binding, and fewer where one is slow.

The first launch times single iterations. They are cold and coarse, but tell microseconds from milliseconds: where
ranks share a processor, an iteration can take a thousand times as long as elsewhere. The second times batches as
long as that allows.

Then each binding makes a trial launch. Where it takes several times as long as C, it makes as many iterations as last
as long as a batch of C: what a batch tells depends on how long it lasts, and a run would spend most of its time on the
slowest binding.
"""

import math
from collections.abc import Mapping, Sequence

import msgspec

from polympi.lab.catalogue import BENCHMARKS, Case
from polympi.lab.plan.profiles import Profile
from polympi.lab.records import Counts, PlannedCase

CALIBRATION_BATCH_NS = 5e5  # 20,000 readings of a clock, and still hardly longer than the start of the launch
CALIBRATION_BATCHES = 3
CLOCK_RESOLUTIONS = 1000  # a batch lasts at least this many resolutions of the clock: an error of 0.1 %
WARMUP_SHARE = 4  # a quarter of a batch: caches, branch predictors and CPython's specialised bytecode have settled
MINIMUM_WARMUP = 2  # both ranks have touched every buffer and every path once, and once more

# Calls that are timed one by one wait for a common start, some 4 us after an agreement that takes a message or two, and
# three untimed calls are made before; the start is agreed on for when those have ended, so that in all an iteration
# takes about five calls and this. The clock is read every time, so that a batch may be short. Five times as many, of
# a fifth each, give a median that one disturbed call does not reach.
START_NS = 1e4
START_CALLS = 5
SINGLY_BATCHES = 5

# A trial has the whole warm-up, in which runtimes compile, and then an eighth of the iterations: together less than
# half a batch, and still enough for the fastest of three to tell four times from twice.
TRIAL_SHARE = 8
TRIAL_BATCHES = 3
# A binding is slow if it takes this many times as long as C. Buffers sent from Python take up to three times as long
# and so are compared with C over the same iterations; objects that are pickled take 5 to 1000 times as long.
SLOW = 4
LONGEST_WARMUP = 20  # batches: a call of 10 us is still made as often as runtimes want it before they compile

Timed = Mapping[Case, tuple[int, Sequence[int]]]  # for each case the iterations of a batch, and the batch times in ns


def first_plan(cases: Sequence[Case]) -> list[PlannedCase]:
    """The plan of the first launch: single iterations."""
    return [_planned(case, 1, CALIBRATION_BATCHES, 0) for case in cases]


def second_plan(timed: Timed) -> list[PlannedCase]:
    """The plan of the second launch: batches of about half a millisecond, from the times of the first."""
    return [
        _planned(
            case,
            max(1, round(CALIBRATION_BATCH_NS / _iteration_ns(case.benchmark, times, slowest=True))),
            CALIBRATION_BATCHES,
            0,
        )
        for case, times in timed.items()
    ]


def choose_iterations(
    profile: Profile, timed: Timed, clock_resolution_ns: int, *, oversubscribed: bool
) -> list[PlannedCase]:
    """The plan of the run, from the times of the second launch, for the length and number of batches of the profile.

    If ranks outnumber processors the slowest batch counts, because a lucky one, in which no rank waited for its turn,
    would choose batches that last for seconds; else the fastest, because a disturbed one would choose batches that are
    too short.
    """
    batch_ns = max(profile.batch_ns, CLOCK_RESOLUTIONS * clock_resolution_ns)
    planned = []
    for case, times in timed.items():
        iteration_ns = _iteration_ns(case.benchmark, times, slowest=oversubscribed)
        parts = SINGLY_BATCHES if BENCHMARKS[case.benchmark].timed_singly else 1
        iterations = math.ceil(batch_ns / iteration_ns / parts)
        planned.append(_planned(case, iterations, profile.batches * parts, _events(profile, iteration_ns)))
    return planned


def same_counts(planned: Mapping[str, Sequence[PlannedCase]]) -> dict[str, list[PlannedCase]]:
    """The plans of what is compared with each other, with the same counts wherever that is possible.

    Each was calibrated by itself. What makes the most iterations of a case gives its counts to all that need no
    fewer than a quarter of them, as slow bindings keep C's up to there (:data:`SLOW`); what needs fewer keeps its own.
    """
    most: dict[Case, PlannedCase] = {}
    for cases in planned.values():
        for one in cases:
            case = Case(one.benchmark, one.mode, one.payload, one.size_bytes)
            if case not in most or most[case].iterations < one.iterations:
                most[case] = one

    def chosen(one: PlannedCase) -> PlannedCase:
        largest = most[Case(one.benchmark, one.mode, one.payload, one.size_bytes)]
        return largest if SLOW * one.iterations >= largest.iterations else one

    return {name: [chosen(one) for one in cases] for name, cases in planned.items()}


def trial_plan(planned: Mapping[int, PlannedCase]) -> dict[int, PlannedCase]:
    """The plan of a binding's trial: few iterations, the warm-up of the run, no events."""
    return {
        number: msgspec.structs.replace(
            case, iterations=math.ceil(case.iterations / TRIAL_SHARE), batches=TRIAL_BATCHES, events=0
        )
        for number, case in planned.items()
    }


def reference_times(timed: Timed, *, oversubscribed: bool) -> list[float]:
    """How long an iteration of C takes in ns, case by case in the order of `timed`, waits for a start included."""
    return [_iteration_ns(case.benchmark, times, slowest=oversubscribed) for case, times in timed.items()]


def fewer_iterations(
    profile: Profile,
    planned: Mapping[int, PlannedCase],
    reference_ns: Mapping[int, float],
    batches: Mapping[int, Sequence[int]],
    *,
    oversubscribed: bool,
) -> dict[int, Counts]:
    """What a binding does of the cases in which it is slow: as many iterations as last as long as a batch of C.

    `reference_ns` is how long an iteration of C takes, by the number of the case, and `batches` the times in ns of the
    binding's trial; what it did not time is missing. `oversubscribed` is as in :func:`choose_iterations`.
    """
    fewer = {}
    for number, times in batches.items():
        case, of_c_ns = planned[number], reference_ns[number]
        trial = (math.ceil(case.iterations / TRIAL_SHARE), times)
        iteration_ns = _iteration_ns(case.benchmark, trial, slowest=oversubscribed)
        if iteration_ns <= SLOW * of_c_ns:
            continue
        batch_ns = max(profile.batch_ns, of_c_ns)
        parts = SINGLY_BATCHES if BENCHMARKS[case.benchmark].timed_singly else 1
        fewer[number] = Counts(
            warmup=min(case.warmup, max(1, math.floor(LONGEST_WARMUP * batch_ns / iteration_ns))),
            iterations=min(case.iterations, max(1, math.ceil(batch_ns / iteration_ns / parts))),
            events=min(case.events, max(1, math.floor(batch_ns / iteration_ns))),
        )
    return fewer


def with_counts(case: PlannedCase, counts: Counts | None) -> PlannedCase:
    """A case as a binding does it: with its own counts, or as it is where there are none."""
    if counts is None:
        return case
    return msgspec.structs.replace(case, warmup=counts.warmup, iterations=counts.iterations, events=counts.events)


def at_most(planned: PlannedCase, iterations: int) -> PlannedCase:
    """A case with at most this many iterations per batch, and proportionally fewer warm-ups and events."""
    if planned.iterations <= iterations:
        return planned
    return msgspec.structs.replace(
        planned,
        iterations=iterations,
        warmup=min(planned.warmup, max(MINIMUM_WARMUP, iterations // WARMUP_SHARE)),
        events=min(planned.events, max(planned.batches, iterations)),
    )


def _iteration_ns(benchmark: str, times: tuple[int, Sequence[int]], *, slowest: bool) -> float:
    """How long an iteration takes in all, the wait for its start included."""
    iterations, batches_ns = times
    chosen = max(batches_ns) if slowest else min(batches_ns)
    call_ns = max(chosen / iterations, 1.0)
    return START_CALLS * call_ns + START_NS if BENCHMARKS[benchmark].timed_singly else call_ns


def _planned(case: Case, iterations: int, batches: int, events: int) -> PlannedCase:
    return PlannedCase(
        benchmark=case.benchmark,
        mode=case.mode,
        payload=case.payload,
        size_bytes=case.size_bytes,
        warmup=max(MINIMUM_WARMUP, iterations // WARMUP_SHARE),
        batches=batches,
        iterations=iterations,
        events=events,
    )


def _events(profile: Profile, iteration_ns: float) -> int:
    """Events of a case: the profile's number, but in all no longer than a batch, and no fewer than the batches."""
    return max(profile.batches, min(profile.events, math.floor(profile.batch_ns / iteration_ns)))
