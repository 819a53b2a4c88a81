"""How long launches may take: what the reference needs, which cases that leaves out, and what a time-out means."""

import math
from collections.abc import Mapping

from polympi.lab.environment.competition import busy_words
from polympi.lab.launch.launcher import Launched
from polympi.lab.plan.profiles import LONGEST_LAUNCH_S
from polympi.lab.records import PlannedCase
from polympi.lab.units import format_duration

# A launch gets this many times what the reference needs: bindings are slower, and a machine is sometimes busy.
PATIENCE = 4
_LEAST_PATIENCE = 2  # with less, launches of bindings would time out: cases are left out instead


def got_on(launched: Launched) -> bool:
    """Whether a launch that timed out has finished a case."""
    cut = launched.cut
    return cut is not None and bool(cut.batches or cut.skipped or cut.invalid)


def needed_seconds(cases: Mapping[int, PlannedCase], iteration_ns: Mapping[int, float]) -> dict[int, float]:
    """Seconds of a launch of the reference that each case takes."""
    return {
        number: (case.warmup + case.batches * case.iterations + case.events) * iteration_ns[number] / 1e9
        for number, case in cases.items()
    }


def too_long(needed: Mapping[int, float], longest_s: float) -> list[int]:
    """The cases that do not fit into a launch of at most this many seconds: those that take longest."""
    left, gone = dict(needed), []
    while left and _LEAST_PATIENCE * sum(left.values()) > longest_s:
        longest = max(left, key=lambda number: left[number])
        gone.append(longest)
        del left[longest]
    return gone


def launch_seconds(usual_s: float, needed_s: float) -> float:
    """The time-out of a launch: the usual one, or more where the reference takes long."""
    return max(usual_s, min(PATIENCE * needed_s, LONGEST_LAUNCH_S))


def needed_after_time_out(timeout_s: float) -> float:
    """The seconds that C is taken to need where it was ended after these: the next launch gets twice them."""
    return 2 * timeout_s / PATIENCE


def left_out_reason(needed_s: float | None, timeout_s: float) -> str:
    """Why a case is left out, and what to do; `needed_s` is None if it did not end at all."""
    if needed_s is None:
        return f"C did not finish it in {timeout_s:.0f} s. More time for it: {_longer(timeout_s)}"
    took = f"C needs about {format_duration(needed_s)} in each launch, and launches end after {timeout_s:.0f} s"
    return f"{took}. More time: {_longer(PATIENCE * needed_s + timeout_s)}"


def timed_out_sentence(stack: str, detail: str, timeout_s: float, ranks: int) -> str:
    """What to say where the reference times out twice and has measured nothing."""
    if busy := busy_words(ranks):
        return (
            f"C is slow on stack '{stack}', and probably not broken ({busy}): {detail}, twice. Wait until the machine "
            f"is idle, or give launches more time: {_longer(timeout_s)}."
        )
    return (
        f"C does not end on stack '{stack}': {detail}, twice. If the machine or its network is only slow, give "
        f"launches more time: {_longer(timeout_s)}; else 'polympi doctor' looks for the cause."
    )


def _longer(seconds: float) -> str:
    return f"--launch-timeout {max(2, math.ceil(2 * seconds / 60))}m"
