"""An analytic model of the projected patterns, to check the simulation with: LogGP, over schedules of messages.

A message takes its sender ``o_s``, the way ``L + m G``, and its receiver ``o_r`` (Alexandrov, Ionescu, Schauser & Scheiman,
"LogGP: Incorporating long messages into the LogP model", SPAA 1995). Both overheads depend on the size here, and are
others within a node, where the way takes nothing. Messages that leave or enter one node together share its wire evenly:
that is all this model knows of a crowded network, where SMPI computes what each message gets at each moment.

Schedules are those of MPICH, as SMPI selects them (``smpi/coll-selector:mpich``); a collective goes between the first
ranks of all nodes, and within each node. What has no schedule here has no model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from polympi.lab.projection.model import Line, Network, Points

NONE = Line()
SEGMENT = 8192  # bytes that bcast sends at a time (bcast__SMP_binomial of SMPI)
SHORT_ALLREDUCE = 2048  # bytes up to which allreduce doubles; beyond, it scatters and gathers (MPICH)
ENVELOPE = 16  # bytes that SMPI sends beside each message

Message = tuple[int, int, float]  # sender, receiver, bytes


def time_at(points: Points, size: float) -> float:
    """A time in ns at a size: on the straight lines through the points, and on the last of them beyond; never negative."""
    if not points:
        return 0.0
    if len(points) == 1 or size <= points[0][0]:
        return points[0][1]
    (x0, y0), (x1, y1) = next((pair for pair in pairwise(points) if size <= pair[1][0]), (points[-2], points[-1]))
    return max(0.0, y0 + (y1 - y0) * (size - x0) / (x1 - x0))


@dataclass(frozen=True)
class Model:
    """A network, a number of ranks on it, and what a binding adds to a message.

    Attributes:
        message: at both ends together; each has half.
    """

    network: Network
    ranks: int
    message: Line = NONE

    def node(self, rank: int) -> int:
        """The node of a rank."""
        return rank // self.network.ranks_per_node

    def send_ns(self, message: Message) -> float:
        """What a message takes its sender."""
        return self._end(message, self.network.node_send, self.network.send)

    def receive_ns(self, message: Message) -> float:
        """What a message takes its receiver."""
        return self._end(message, self.network.node_receive, self.network.receive)

    def way_ns(self, message: Message, sharing: int = 1) -> float:
        """What a message takes on its way, where so many share a wire."""
        sender, receiver, size = message
        if self.node(sender) == self.node(receiver):
            return 0.0
        return self.network.latency_ns + sharing * (size + ENVELOPE) * 1000.0 / self.network.bandwidth_mb_per_s

    def _end(self, message: Message, within: Points, between: Points) -> float:
        sender, receiver, size = message
        of_c = time_at(within if self.node(sender) == self.node(receiver) else between, size)
        return of_c + (self.message.per_call_ns + self.message.per_byte_ns * size) / 2

    def after(self, times: list[float], messages: Sequence[Message]) -> list[float]:
        """When each rank is done that sends its messages, in their order, and then receives those that come to it.

        Args:
            times: when each rank begins, in ns.
            messages: all at once.
        """
        done = list(times)
        left, came = self._crowds(messages)
        arrivals: list[tuple[float, Message]] = []
        for message in messages:
            sender, receiver, _ = message
            done[sender] += self.send_ns(message)
            sharing = max(1, left[self.node(sender)], came[self.node(receiver)])
            arrivals.append((done[sender] + self.way_ns(message, sharing), message))
        for arrival, message in sorted(arrivals):
            done[message[1]] = max(done[message[1]], arrival) + self.receive_ns(message)
        return done

    def _crowds(self, messages: Sequence[Message]) -> tuple[Counter[int], Counter[int]]:
        """How many messages leave, and how many enter each node."""
        between = [(self.node(a), self.node(b)) for a, b, _ in messages if self.node(a) != self.node(b)]
        return Counter(a for a, _ in between), Counter(b for _, b in between)


def time_of(model: Model, pattern: str, size: int, family: str) -> float | None:
    """Time of a pattern in ns, from a common start until the last rank is done; None where there is no schedule.

    Of a ping-pong it is a message, of a ring a hop.
    """
    ranks = model.ranks
    start = [0.0] * ranks
    if pattern == "latency":
        there = (0, ranks // 2, float(size))
        return model.send_ns(there) + model.way_ns(there) + model.receive_ns(there)
    if pattern == "ring":
        times = start
        for rank in range(ranks):
            times = model.after(times, [(rank, (rank + 1) % ranks, float(size))])
        return times[0] / ranks
    if pattern == "wave-faces":
        return max(model.after(start, halo(ranks, mesh(ranks, 3), size)))
    if pattern == "alltoall" and family == "mpich":
        return _alltoall(model, size)
    rounds = _rounds(model, pattern, size) if family == "mpich" else None
    if rounds is None:
        return None
    for messages in rounds:
        start = model.after(start, messages)
    return max(start)


def _rounds(model: Model, pattern: str, size: int) -> list[list[Message]] | None:
    """The rounds of what MPICH makes of a pattern."""
    ranks, per_node = model.ranks, model.network.ranks_per_node
    if pattern == "barrier":
        return dissemination(ranks)
    if pattern == "bcast" and ranks % per_node == 0:
        whole, rest = divmod(size, SEGMENT)
        parts = [SEGMENT] * whole + [rest] * (rest > 0) or [0]
        return [messages for part in parts for messages in broadcast(ranks, per_node, part)]
    small = reduction(ranks, per_node, 8)
    if pattern == "allreduce" and size <= SHORT_ALLREDUCE:
        return reduction(ranks, per_node, size)
    if pattern == "cg-iteration" and small is not None:
        return [halo(ranks, mesh(ranks, 2), size), *small, *small]
    return None


def dissemination(ranks: int) -> list[list[Message]]:
    """A barrier: in round k each rank tells the one 2^k after it (Hensgen, Finkel & Manber, 1988)."""
    return [[(i, (i + step) % ranks, 0.0) for i in range(ranks)] for step in _powers(ranks)]


def binomial(members: Sequence[int], size: float) -> list[list[Message]]:
    """A tree: in each round those that have the message send it to as many others, the farthest first."""
    steps = sorted(_powers(len(members)), reverse=True)
    return [
        [(members[i], members[i + step], size) for i in range(0, len(members) - step, 2 * step)] for step in steps
    ]


def doubling(members: Sequence[int], size: float) -> list[list[Message]] | None:
    """Recursive doubling: in round k each exchanges with the one whose number differs in bit k; for powers of two."""
    if len(members) & (len(members) - 1):
        return None
    return [[(members[i], members[i ^ step], size) for i in range(len(members))] for step in _powers(len(members))]


def broadcast(ranks: int, per_node: int, size: float) -> list[list[Message]]:
    """From rank 0 to the first ranks of all nodes, then within each node."""
    return binomial(range(0, ranks, per_node), size) + _within(ranks, per_node, size)


def reduction(ranks: int, per_node: int, size: float) -> list[list[Message]] | None:
    """To the first rank of each node, between these by doubling, and back within the nodes."""
    between = doubling(range(0, ranks, per_node), size)
    if between is None:
        return None
    down = _within(ranks, per_node, size)
    up = [[(b, a, m) for a, b, m in messages] for messages in reversed(down)]
    return [*up, *between, *down]


def mesh(ranks: int, dimensions: int) -> list[int]:
    """The sizes of a mesh of all ranks, as even as can be, descending, as ``MPI_Dims_create`` makes them."""
    best: list[int] | None = None

    def choose(rest: int, left: int, chosen: list[int]) -> None:
        nonlocal best
        if left == 1:
            if not chosen or rest <= chosen[-1]:
                found = [*chosen, rest]
                best = found if best is None or found < best else best
            return
        for size in range(1, rest + 1):
            if rest % size == 0 and (not chosen or size <= chosen[-1]):
                choose(rest // size, left - 1, [*chosen, size])

    choose(ranks, dimensions, [])
    assert best is not None
    return best


def halo(ranks: int, sizes: Sequence[int], bytes_: int) -> list[Message]:
    """What all ranks of a mesh send to those beside them."""
    messages = []
    for rank in range(ranks):
        stride = 1
        for size in reversed(sizes):
            place = rank // stride % size
            messages += [(rank, rank - stride, float(bytes_))] * (place > 0)
            messages += [(rank, rank + stride, float(bytes_))] * (place < size - 1)
            stride *= size
    return messages


def _alltoall(model: Model, size: int) -> float:
    """Bruck's algorithm for small messages and eight ranks or more, else a message from each rank to each."""
    ranks = model.ranks
    if size < 256 and ranks >= 8:
        times = [0.0] * ranks
        for step in _powers(ranks):
            blocks = sum(1 for block in range(ranks) if block & step)
            messages = [(i, (i + step) % ranks, float(blocks * size)) for i in range(ranks)]
            times = model.after(times, messages)
        return max(times)
    return _direct(model, size)


def _direct(model: Model, size: int) -> float:
    """A message from each rank to each other, all at once: its own time, or that of its node's wire if that is longer.

    All ranks do the same, so that it is written down for one.
    """
    ranks, per_node = model.ranks, model.network.ranks_per_node
    near, far = min(ranks, per_node) - 1, ranks - min(ranks, per_node)
    own = 0.0
    for number, other in ((near, 1), (far, per_node)):
        message = (0, other % ranks, float(size))
        own += number * (model.send_ns(message) + model.receive_ns(message)) if number else 0.0
    if not far:
        return own
    between = (0, per_node, float(size))
    alone, crowded = model.way_ns(between), model.way_ns(between, (near + 1) * far)
    return max(own + alone, crowded + model.send_ns(between) + model.receive_ns(between))


def _within(ranks: int, per_node: int, size: float) -> list[list[Message]]:
    """The trees within all nodes, as rounds that they make at the same time."""
    trees = [binomial(range(first, min(first + per_node, ranks)), size) for first in range(0, ranks, per_node)]
    rounds = max(map(len, trees), default=0)
    return [[m for tree in trees if i < len(tree) for m in tree[i]] for i in range(rounds)]


def _powers(limit: int) -> Iterable[int]:
    """1, 2, 4, ... below the limit."""
    return [2**k for k in range((limit - 1).bit_length())]
