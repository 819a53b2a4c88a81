"""The part of a program that follows its first barrier: header, plan, cases, exit code."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NamedTuple

from clock import cost_ns, resolution_ns
from plan import PlanError, read_plan
from runner import run_plan
from samples import SampleError, SampleFile

if TYPE_CHECKING:
    from collections.abc import Callable

    from operation import World
    from plan import Plan
    from runner import Prepare

DONE = 0
CANNOT_READ_OR_WRITE = 3  # docs/protocol.md, Exit codes


class Header(NamedTuple):
    """What the samples say about a launch before its cases (``docs/protocol.md``, The samples)."""

    binding: str
    library: str
    ranks: int
    threads: str
    host: str
    startup_ns: tuple[int, int, int]
    memory_bytes: tuple[int, int]


def run_program(
    plan_path: str, samples_path: str, header: Header, world: World, interface: Callable[[Plan], Prepare]
) -> int:
    """Run a plan on all ranks.

    Args:
        plan_path: where the plan is.
        samples_path: where rank 0 writes the samples.
        header: what is known of the launch.
        world: all ranks.
        interface: given the plan, what makes an operation of each case.

    Returns:
        The exit code, the same on every rank.
    """
    plan, samples, trouble = None, None, ""
    try:
        plan = read_plan(plan_path)
        if world.rank == 0:
            samples = SampleFile(samples_path)
    except (PlanError, SampleError) as error:
        trouble = str(error)
    troubles = [text for text in world.collect(trouble) if text]
    if troubles or plan is None:
        if world.rank == 0:
            print(troubles[0], file=sys.stderr, flush=True)
        return CANNOT_READ_OR_WRITE
    try:
        if samples:
            _write_header(samples, header)
        run_plan(plan, interface(plan), world, samples)
        if samples:
            samples.close()
    except SampleError as error:
        print(error, file=sys.stderr, flush=True)
        world.abort(CANNOT_READ_OR_WRITE)  # the other ranks are in the middle of a case
    return DONE


def _write_header(samples: SampleFile, header: Header) -> None:
    samples.record("binding", header.binding)
    samples.record("mpi", header.library)
    samples.record("ranks", header.ranks)
    samples.record("threads", header.threads)
    samples.record("clock", resolution_ns(), f"{cost_ns():.1f}")
    samples.record("host", header.host)
    samples.record("startup", *header.startup_ns)
    samples.record("memory", *header.memory_bytes)
