"""Whether two arms that claim the same case move the same payload."""

from __future__ import annotations

from collections.abc import Mapping

from polympi.lab.audit.procedures import plain
from polympi.lab.catalogue import BENCHMARKS, FIXED_SIZES
from polympi.lab.demands import Demand, RankDemand

# What describes a message that isn't an object in itself: pickle takes some 150 bytes for an array.
DESCRIPTION_BYTES = 256


def payload_difference(reference: Demand, other: Demand) -> str:
    """How an arm's payload differs from that of the reference in the same case, or nothing.

    An arm may describe its messages, and objects may take any room above that of C's parts. It may not send less, nor
    more than it has to. Collectives are compared where both arms make the same call of MPI.
    """
    for rank, (wanted, found) in enumerate(zip(reference.ranks, other.ranks, strict=True)):
        if BENCHMARKS[reference.benchmark].messages:
            words = _difference(reference, wanted.sent_bytes, found.sent_bytes, wanted.sent)
        else:
            words = _collective_difference(reference, wanted, found)
        if words:
            return f"rank {rank} {words}"
    return ""


def _collective_difference(case: Demand, wanted: RankDemand, found: RankDemand) -> str:
    ours, theirs = _by_procedure(wanted.collective_bytes), _by_procedure(found.collective_bytes)
    if ours.keys() != theirs.keys():
        return ""
    return next(filter(None, (_difference(case, ours[name], theirs[name], 1) for name in ours)), "")


def _by_procedure(numbers: Mapping[str, float]) -> dict[str, float]:
    return {plain(name): number for name, number in numbers.items()}


def _difference(case: Demand, wanted: float, found: float, messages: float) -> str:
    if found < wanted:
        return f"moves {found:g} bytes per iteration, and C moves {wanted:g}"
    is_object = case.payload in FIXED_SIZES
    if not is_object and found > wanted + DESCRIPTION_BYTES * messages:
        return f"moves {found:g} bytes per iteration, more than the {wanted:g} of C with a description"
    return ""
