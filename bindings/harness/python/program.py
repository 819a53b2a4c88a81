"""The part of a program that follows its first barrier: header, plan, cases, exit code."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NamedTuple

from arena import choose_pages
from clock import clock, cost_ns, resolution_ns
from common_start import LoadedStart, StartError, start_cost_ns
from footprint import allowed_cpus
from last_words import tell
from plan import PlanError, read_plan
from runner import run_plan
from samples import SampleError, SampleFile

if TYPE_CHECKING:
    from collections.abc import Callable

    from callbacks import Cases, World
    from common_start import CommonStart
    from plan import Plan

DONE = 0
CANNOT_READ_OR_WRITE = 3  # docs/protocol.md, Exit codes


class Header(NamedTuple):
    """What the samples say about a launch before its cases (``docs/protocol.md``, The samples)."""

    binding: str
    library: str
    ranks: int
    threads: str
    host: str  # the processor name of this rank
    startup_ns: tuple[int, int, int]
    memory_bytes: tuple[int, int]  # PSS and RSS of this rank


def run_program(
    plan_path: str, samples_path: str, header: Header, world: World, interface: Callable[[CommonStart, Plan], Cases]
) -> int:
    """Run a plan on all ranks.

    Args:
        plan_path: where the plan is.
        samples_path: where rank 0 writes the samples.
        header: what is known of the launch.
        world: all ranks.
        interface: given the common start and the plan, what makes callbacks for each case.

    Returns:
        The exit code, the same on every rank.
    """
    plan, start, samples, trouble = None, None, None, ""
    try:
        plan = read_plan(plan_path)
        start = LoadedStart(plan.start)
        if world.rank == 0:
            samples = SampleFile(samples_path)
    except (PlanError, StartError, SampleError) as error:
        trouble = str(error)
    troubles = [text for text in world.collect(trouble) if text]
    if troubles or plan is None or start is None:
        if world.rank == 0:
            print(troubles[0], file=sys.stderr, flush=True)
        return CANNOT_READ_OR_WRITE
    start.begin()
    try:
        _write_header(samples, header, world, start)
        choose_pages(plan.pages)
        _write_places(samples, header.host, world)
        cases = interface(start, plan)
        _write_pages(samples, cases, world)
        run_plan(plan, cases.prepare, world, start, samples)
        if samples:
            if start.clock_error():
                samples.record("clocks", start.clock_error())
            samples.close()
    except SampleError as error:
        tell(str(error))
        world.abort(CANNOT_READ_OR_WRITE)  # the other ranks are in the middle of a case
    start.end()
    return DONE


def _write_header(samples: SampleFile | None, header: Header, world: World, start: CommonStart) -> None:
    ready, *others = header.startup_ns
    ready, ready_error = start.latest(ready), start.clock_error()  # by all ranks, as the next two
    start_cost = start_cost_ns(start, clock)
    told = [text.split() for text in world.collect(f"{header.memory_bytes[0]} {header.memory_bytes[1]}")]
    pss, rss = ([int(words[place]) for words in told] for place in (0, 1))
    if not samples:
        return
    samples.record("binding", header.binding)
    samples.record("mpi", header.library)
    samples.record("ranks", header.ranks)
    samples.record("threads", header.threads)
    samples.record("clock", resolution_ns(), f"{cost_ns():.1f}")
    samples.record("host", header.host)
    samples.record("startup", ready, *others)
    samples.record("memory", max(pss), max(rss), sum(pss) // len(pss))
    samples.record("start", start_cost, ready_error)


def _write_places(samples: SampleFile | None, host: str, world: World) -> None:
    for rank, text in enumerate(world.collect(f"{allowed_cpus()} {host}")):
        if samples:
            samples.record("place", rank, text)


def _write_pages(samples: SampleFile | None, cases: Cases, world: World) -> None:
    told = world.collect(f"{cases.arena.huge_bytes()} {cases.arena.size}")
    if samples:
        samples.record("pages", *(sum(int(text.split()[place]) for text in told) for place in (0, 1)))
