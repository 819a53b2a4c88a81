"""Running the cases of a plan: validation pass, warm-up, batches, events (``docs/protocol.md``)."""

from __future__ import annotations

import gc
from array import array
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from callbacks import UnsupportedCaseError
from catalogue import PAYLOADS, SMALLEST_EDGE
from clock import clock
from plan import APPLICATIONS, POINT_TO_POINT, ROOTED, TIMED_ON_ROOT, problem_edge

if TYPE_CHECKING:
    from collections.abc import Callable

    from callbacks import Callbacks, Times, World
    from common_start import CommonStart
    from plan import Case, Plan
    from samples import SampleFile

    Prepare = Callable[[Case], Callbacks]


def run_plan(plan: Plan, prepare: Prepare, world: World, start: CommonStart, samples: SampleFile | None) -> None:
    """Run all cases in the order of the plan.

    Args:
        plan: what to run.
        prepare: makes this rank's callbacks for a case, or raises UnsupportedCaseError on all ranks.
        world: all ranks.
        start: the common start of collective calls.
        samples: where results go; on rank 0 only.
    """
    for case in plan.cases:
        if samples:
            samples.record("case", case.number)
        try:
            callbacks = _prepare(case, prepare, world)
        except UnsupportedCaseError as reason:
            if samples:
                samples.record("skip", case.number, reason)
            continue
        _run_case(case, callbacks, world, start, samples)
        callbacks.release()
        start.agree()  # ranks without a part in the case wait here for those that have one


def _prepare(case: Case, prepare: Prepare, world: World) -> Callbacks:
    if case.benchmark in POINT_TO_POINT and world.size < 2:
        raise UnsupportedCaseError("point to point needs two ranks")
    if case.benchmark in APPLICATIONS and problem_edge(case) < SMALLEST_EDGE * world.size:
        raise UnsupportedCaseError("the mesh is too small for so many ranks")
    if case.payload not in PAYLOADS[case.benchmark]:
        raise UnsupportedCaseError(f"{case.benchmark} does not have the payload {case.payload}")
    return prepare(case)


def _run_case(case: Case, callbacks: Callbacks, world: World, start: CommonStart, samples: SampleFile | None) -> None:
    if case.benchmark not in TIMED_ON_ROOT:
        start.next_case()
    failure = validate(case, callbacks, world)
    if samples:
        samples.record("valid", case.number, *(["failed", failure] if failure else ["ok"]))
    if failure:
        return
    # The collector stays on: what a binding leaves for it to do is part of what the binding costs. But it shall not
    # walk over the harness, so all that exists by now is put out of its sight.
    gc.collect()
    gc.freeze()
    repeated = start.repeated()
    batches, events, communication = measure(case, callbacks, world, start)
    if samples:
        if start.repeated() > repeated:
            samples.record("repeated", case.number, start.repeated() - repeated)
        samples.times("batch", case.number, batches)
        samples.times("communication", case.number, communication)
        samples.times("event", case.number, events)


def validate(case: Case, callbacks: Callbacks, world: World) -> str:
    """Check one exchange of each kind the case makes; the first failure of any rank in words, empty if none.

    The very loops that are timed later run here, one iteration each, so that what is checked is what is timed.
    """
    verdict = ""
    for exchange in _exchanges(case, callbacks, world.rank):
        callbacks.clear()
        callbacks.begin()
        received = exchange()
        callbacks.finish()
        found = callbacks.check(received)  # on all ranks, whatever was found before: some checks take all of them
        verdict = verdict or found
    verdicts = world.collect(verdict)
    return next((f"rank {rank}: {verdict}" for rank, verdict in enumerate(verdicts) if verdict), "")


def _exchanges(case: Case, callbacks: Callbacks, rank: int) -> list[Callable[[], object]]:
    """One iteration as a batch runs it, and one as an event; other ranks answer both in the same way."""
    batched = partial(callbacks.batch, 1)
    once = callbacks.keep_all or batched
    alone = partial(callbacks.events, _places(1))
    if case.benchmark in ROOTED:
        return [alone]
    if case.benchmark in TIMED_ON_ROOT and rank > 0:
        return [once, once if case.benchmark in POINT_TO_POINT else batched]
    return [once, alone]


class Measured(NamedTuple):
    """Times in ns, of meaning on rank 0; communication is what an application spent of each batch in such calls."""

    batches: Times
    events: Times
    communication: Times = array("q")


def measure(case: Case, callbacks: Callbacks, world: World, start: CommonStart) -> Measured:
    """Warm up, time the batches, then the events."""
    if case.benchmark in TIMED_ON_ROOT:
        return _measure_on_root(case, callbacks, world.rank, start)
    if case.benchmark in ROOTED:
        return _measure_rooted(case, callbacks, world, start)
    return _measure_held_together(case, callbacks, world, start)


def _measure_on_root(case: Case, callbacks: Callbacks, rank: int, start: CommonStart) -> Measured:
    """Rank 0 holds the clock; the others only run as many iterations in a row as rank 0 in all."""
    batches, events = _places(case.batches), _places(case.events)
    spent = callbacks.communication
    communication = _places(case.batches if spent else 0)
    batch, iterations = callbacks.batch, case.iterations
    if rank > 0:
        start.mark()
        batch(case.iterations_in_all)
        start.mark()
    else:
        callbacks.begin()
        start.mark()
        batch(case.warmup)
        for k in range(case.batches):
            so_far = spent() if spent else 0
            before = clock()
            batch(iterations)
            batches[k] = clock() - before
            if spent:
                communication[k] = spent() - so_far
        callbacks.events(events)
        start.mark()
        callbacks.finish()
    return Measured(batches, events, communication)


def _measure_held_together(case: Case, callbacks: Callbacks, world: World, start: CommonStart) -> Measured:
    """Collectives that hold all ranks together: a batch is many calls from a common start.

    One that a rank began too late is made again.
    """
    batches, events = _places(case.batches), _places(case.events)
    batch, iterations = callbacks.batch, case.iterations
    start.mark()
    batch(case.warmup)
    k = 0
    start.agree()
    while k < case.batches:
        begun = start.wait()
        batch(iterations)
        batches[k] = clock() - begun
        k += start.agree()
    start.mark()
    callbacks.events(events)
    return Measured(world.maxima(batches), world.maxima(events))


def _measure_rooted(case: Case, callbacks: Callbacks, world: World, start: CommonStart) -> Measured:
    """Collectives that would run ahead: every iteration alone, its time that of the last rank, a batch their sum."""
    events, single = _places(case.events), _places(case.batches * case.iterations)
    start.mark()
    callbacks.events(_places(case.warmup))
    callbacks.events(single)
    start.mark()
    spent = callbacks.communication_in_events
    communication = _sums(spent(), case) if spent else _places(0)
    batches = _sums(world.maxima(single), case)
    callbacks.events(events)
    return Measured(batches, world.maxima(events), communication)


def _sums(single: Times, case: Case) -> Times:
    """What single iterations make of batches."""
    return array("q", (sum(single[k : k + case.iterations]) for k in range(0, len(single), case.iterations)))


def _places(count: int) -> Times:
    """Room for this many times."""
    return array("q", bytes(8 * count))
