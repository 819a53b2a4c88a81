"""What bindings ask of MPI in each case, as a run keeps it."""

from __future__ import annotations

import msgspec

from polympi.lab.catalogue import Case


class RankDemand(msgspec.Struct, frozen=True, kw_only=True):
    """What one rank asks of MPI in one iteration; a test or probe that finds nothing doesn't count."""

    # How many of each MPI procedure, by its name in the standard, in the order of their first calls.
    calls: dict[str, float]
    # How many messages of each size in bytes it sends to a rank; the parts of collectives are MPI's own affair.
    messages: dict[int, float] = {}
    # By procedure, the bytes that it gives to a collective; of one to which it gives nothing, those that it gets.
    collective_bytes: dict[str, float] = {}

    @property
    def sent(self) -> float:
        """How many messages it sends."""
        return sum(self.messages.values())

    @property
    def sent_bytes(self) -> float:
        """How many bytes it sends in messages."""
        return sum(size * number for size, number in self.messages.items())


class Instructions(msgspec.Struct, frozen=True, kw_only=True):
    """What a rank executes outside MPI for a send and a receive."""

    stack: str
    binding: str
    benchmark: str
    mode: str
    payload: str
    size_bytes: int
    own: float

    @property
    def case(self) -> Case:
        """The case."""
        return Case(self.benchmark, self.mode, self.payload, self.size_bytes)


class Demand(msgspec.Struct, frozen=True, kw_only=True):
    """What a binding asks of MPI in one iteration of a case."""

    stack: str
    binding: str
    benchmark: str
    mode: str
    payload: str
    size_bytes: int
    ranks: list[RankDemand]
    # Whether every iteration asks the same; if not, the numbers are means, as where a receipt covers several messages.
    same: bool = True

    @property
    def case(self) -> Case:
        """The case."""
        return Case(self.benchmark, self.mode, self.payload, self.size_bytes)

    @property
    def messages(self) -> dict[int, float]:
        """How many messages of each size all ranks send."""
        total: dict[int, float] = {}
        for rank in self.ranks:
            for size, number in rank.messages.items():
                total[size] = total.get(size, 0.0) + number
        return dict(sorted(total.items()))
