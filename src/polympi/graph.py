"""Communicators whose ranks have the neighbours that the program names (MPI 5.0, section 8.5.4)."""

from __future__ import annotations

import operator
from collections import Counter

from polympi.errors import RankError
from polympi.native import core
from polympi.topology import Topology, cast, exchanged, mismatch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    Edges = tuple[tuple[int, ...], tuple[int, ...]]  # sources and destinations of a rank


class Graph(Topology):
    """A communicator in which each rank has named its neighbours: ``world.graph(sources, destinations)`` makes it.

    Attributes:
        sources: the ranks that this rank receives from, as they were given; a rank may occur several times.
        destinations: the ranks that it sends to, likewise.
    """


def make(comm: core.Communicator, sources: Iterable[int], destinations: Iterable[int]) -> Graph:
    """The graph that :meth:`Communicator.graph` makes."""
    edges = exchanged(
        comm, "graph", lambda: (_ranks(comm, "sources", sources), _ranks(comm, "destinations", destinations))
    )
    _compare(comm, edges)
    graph = cast(core.Communicator.dup(comm), Graph)
    graph.sources, graph.destinations = edges[comm.rank]
    graph._order = tuple(range(len(graph.sources)))
    graph._open()
    return graph


def _ranks(comm: core.Communicator, name: str, given: Iterable[int]) -> tuple[int, ...]:
    """The ranks that this rank names."""
    try:
        ranks = tuple(operator.index(rank) for rank in given)
    except TypeError:
        raise TypeError(f"graph(): {name} must be a list of ranks, not {given!r}") from None
    for rank in ranks:
        if not 0 <= rank < comm.size:
            raise RankError(f"rank {comm.rank}, graph(): rank {rank} is among the {name}, but there are ranks 0 to "
                            f"{comm.size - 1} only", operation="graph", rank=comm.rank, peer=rank)  # fmt: skip
    return ranks


def _compare(comm: core.Communicator, edges: list[Edges]) -> None:
    """Find the first edge that only one end names; all ranks find the same."""
    sent = Counter((rank, dest) for rank, (_, dests) in enumerate(edges) for dest in dests)
    received = Counter((source, rank) for rank, (sources, _) in enumerate(edges) for source in sources)
    for source, dest in sorted(sent.keys() | received.keys()):
        if sent[source, dest] != received[source, dest]:
            raise mismatch(
                comm,
                "graph",
                f"rank {source} names rank {dest} as a destination {_times(sent[source, dest])}, but rank {dest} names "
                f"rank {source} as a source {_times(received[source, dest])}",
            )


def _times(count: int) -> str:
    return ("not at all", "once")[count] if count < 2 else f"{count} times"
