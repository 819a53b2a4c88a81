"""What is projected: patterns of communication and their sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from polympi.lab.projection.model import BUILT, CALLED

KI = 2**10


@dataclass(frozen=True)
class Pattern:
    """A pattern of ``programs/patterns.cpp``."""

    name: str
    title: str
    sizes: tuple[int, ...]  # bytes of a message
    collective: bool = False  # whether it is a call of a collective; its cost then depends on the style
    has_collectives: bool = False

    @property
    def styles(self) -> tuple[str, ...]:
        """In what ways a binding's cost may come into it."""
        return (CALLED, BUILT) if self.collective or self.has_collectives else (BUILT,)


# Sizes of halos: a face of the wave with 32^2 doubles, a side of conjugate gradients with 128. An alltoall of 1 KiB is
# a message from every rank to every other, so that it is simulated as long as these are not too many.
PATTERNS = {
    pattern.name: pattern
    for pattern in (
        Pattern("latency", "ping-pong", (8, KI, 64 * KI, KI * KI)),
        Pattern("ring", "ring, a hop", (8,)),
        Pattern("barrier", "barrier", (0,), collective=True),
        Pattern("bcast", "bcast", (8, KI, 64 * KI), collective=True),
        Pattern("allreduce", "allreduce", (8, KI, 64 * KI), collective=True),
        Pattern("alltoall", "alltoall", (8, KI), collective=True),
        Pattern("wave-faces", "wave: six faces", (8 * KI,)),
        Pattern("cg-iteration", "CG: sides, 2 dot products", (KI,), has_collectives=True),
    )
}
# The most messages of a case that are simulated: this many take SMPI about a second, for each arm and each end of its
# interval.
MOST_MESSAGES = 65_536
# From this many ranks on, an arm is simulated only with the median of its cost, and the ends of the interval are
# derived from that in proportion. With 1024 ranks all cases take some 4 s for each cost, and 25 s once.
ENDS_BELOW = 512
SMALL = 8  # bytes of a message that says how much will come
BRUCK_BELOW = 256  # bytes of an alltoall to each rank up to which libraries forward messages in log n steps


@dataclass(frozen=True)
class Case:
    """A pattern with a size."""

    pattern: Pattern
    size_bytes: int

    def simulated(self, ranks: int) -> bool:
        """Whether it has few enough messages with this many ranks."""
        direct = self.pattern.name == "alltoall" and self.size_bytes >= BRUCK_BELOW
        return not direct or ranks * ranks <= MOST_MESSAGES

    @property
    def first(self) -> Case:
        """Of a collective, the case that takes as long as to tell the others how much will come."""
        return Case(self.pattern, min(self.size_bytes, SMALL))

    def operations(self, ranks: int) -> float:
        """By what its simulated time is divided: a ping-pong has two messages, a lap of a ring as many as ranks."""
        return {"latency": 2.0, "ring": float(ranks)}.get(self.pattern.name, 1.0)


def usual_cases() -> list[Case]:
    """The cases of a projection."""
    return [Case(pattern, size) for pattern in PATTERNS.values() for size in pattern.sizes]


def with_first(cases: Sequence[Case]) -> list[Case]:
    """The cases, and of their collectives also the small ones that go before large ones."""
    return list(dict.fromkeys([*cases, *(case.first for case in cases if case.pattern.collective)]))
