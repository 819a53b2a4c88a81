"""A situation with what its ranks wait for, as the rules of the verdict look at it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from polympi.lab.audit import procedures
from polympi.lab.audit.standing import Activity, Situation, Standing
from polympi.lab.audit.waits import Need, Wait
from polympi.lab.audit.words import at, details, seconds_text


@dataclass(frozen=True)
class Scene:
    """A situation with what its ranks wait for."""

    situation: Situation
    waits: Mapping[int, Wait]

    @property
    def standings(self) -> Mapping[int, Standing]:
        """All ranks that have a file."""
        return self.situation.standings

    @cached_property
    def awaited(self) -> tuple[int, ...]:
        """Ranks that others wait for, directly or not, and that do not wait themselves."""
        return tuple(sorted(frozenset().union(*map(self.reached, self.waits)) - set(self.waits)))

    def reached(self, start: int) -> set[int]:
        """Ranks that this one waits for, and those that they wait for, and so on."""
        seen: set[int] = set()
        ahead = [start]
        while ahead:
            wait = self.waits.get(ahead.pop())
            new = (wait.possible if wait else frozenset()) - seen
            seen |= new
            ahead += new
        return seen

    def waiting_for(self, ranks: Iterable[int]) -> tuple[int, ...]:
        """Other ranks that wait for one of these, directly or not."""
        wanted = set(ranks)
        return tuple(sorted(rank for rank in self.waits if rank not in wanted and wanted & self.reached(rank)))

    def needs(self) -> Iterator[tuple[int, Need]]:
        """All needs of all ranks, in their order."""
        for rank in sorted(self.waits):
            for need in self.waits[rank].needs:
                yield rank, need

    def cycle(self) -> tuple[int, ...]:
        """The shortest cycle of ranks each of which cannot go on without the next; empty if there is none."""
        best: tuple[int, ...] = ()
        for start in sorted(self.waits):
            found = self._way_back(start)
            if found and (not best or len(found) < len(best)):
                best = found
        return best

    def _way_back(self, start: int) -> tuple[int, ...]:
        before: dict[int, int] = {}
        ahead = [start]
        for rank in ahead:
            wait = self.waits.get(rank)
            for next_rank in sorted(wait.certain if wait else ()):
                if next_rank == start:
                    way = [rank]
                    while way[-1] != start:
                        way.append(before[way[-1]])
                    return tuple(reversed(way))
                if next_rank not in before:
                    before[next_rank] = rank
                    ahead.append(next_rank)
        return ()

    def need_of(self, rank: int, other: int) -> Need | None:
        """The need by which a rank waits for another one."""
        wait = self.waits.get(rank)
        return next((need for need in wait.needs if other in need.ranks), None) if wait else None

    def place(self, rank: int) -> str:
        """Where a rank is: ``in MPI_Recv at a.py:3 (rank 1, tag 5)`` or since which call it is outside MPI."""
        standing = self.standings[rank]
        call = standing.call
        if call is None:
            return "before its first call"
        if standing.inside:
            more = details(call, self.situation)
            return f"in {at(call)}{f' ({more})' if more else ''}"
        if standing.polls:
            return f"polling with {at(call)} for {seconds_text(standing.polling)}, {standing.polls} times"
        return f"outside MPI for {seconds_text(call.seconds)}, after {at(call)}"

    def waits_in(self, rank: int, need: Need) -> str:
        """``rank 1 waits in MPI_Recv at a.py:3 (rank 0, tag 5)``."""
        standing, operation = self.standings[rank], need.operation
        more = details(operation, self.situation)
        text = f"{at(operation)}{f' ({more})' if more else ''}"
        if standing.call is not None and standing.call.procedure != operation.procedure:
            text = f"{at(standing.call)} for {text}"
        return f"rank {rank} {'polls' if standing.polls and not standing.inside else 'waits'} in {text}"

    def doing(self, ranks: Iterable[int]) -> str:
        """What processes outside MPI do, if the system says: ``computing``, ``in a read of ...``."""
        first = self.standings[min(ranks)].process
        if first.activity == Activity.READING:
            return f"in a {first.doing}"
        if first.activity == Activity.ASLEEP and round(first.busy or 0, 2) == 0:  # as it is printed
            return "asleep"
        busy = f" ({first.busy:.0%} of a processor)" if first.busy is not None else ""
        return f"computing{busy}" if first.activity in (Activity.RUNNING, Activity.ASLEEP) else "at work"

    def is_poller(self, rank: int) -> bool:
        """Whether a rank looks for a message by probes; one that tests requests waits for them in its own way."""
        standing = self.standings[rank]
        return bool(standing.polls) and standing.call is not None and standing.call.procedure in procedures.PROBES

    def in_collective(self, rank: int) -> bool:
        """Whether what a rank waits for is a collective."""
        return any(need.operation.number is not None for need in self.waits[rank].needs)

    def ranks_in(self, communicator: int, number: int | None) -> tuple[int, ...]:
        """Ranks that wait in this collective."""
        return tuple(
            sorted(
                {
                    rank
                    for rank, need in self.needs()
                    if (need.operation.communicator, need.operation.number) == (communicator, number)
                }
            )
        )


def receiving(need: Need) -> bool:
    """Whether a message is needed."""
    return procedures.receives(need.operation.procedure)
