"""An analytic model of the projected patterns, to check the simulation with: LogGP, over schedules of messages.

A message takes its sender ``o_s``, the way ``L + m G``, and its receiver ``o_r`` (Alexandrov, Ionescu, Schauser &
Scheiman, "LogGP: Incorporating long messages into the LogP model", SPAA 1995). Both overheads depend on the size here,
and are others within a node, where the way takes nothing; a receiver that sends at the same time takes more
(``both`` of the network). The messages that leave a node, and those that enter it, follow each other on its wire, each
for ``m G``; SMPI lets them share the wire instead.

Schedules are those of MPICH, as SMPI selects them (``smpi/coll-selector:mpich``) or as they are planned
(:func:`~polympi.lab.projection.plan.follows_mpich5`); a collective goes between the first ranks of all nodes, and
within each node. What has no schedule here has no model.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from polympi.lab.projection.model import Line, Network, Points, time_at

NONE = Line()
SEGMENT = 8192  # bytes beyond which bcast within nodes goes in segments (bcast__SMP_binomial of SMPI)
SHORT_BCAST, BCAST_RANKS = 12288, 8  # below one of which bcast is a tree (MPICH)
SHORT_ALLREDUCE = 2048  # bytes up to which allreduce doubles; beyond, it scatters and gathers (MPICH)
SHORT_ALLTOALL, BRUCK_RANKS = 256, 8  # bytes below which, and ranks from which on, alltoall is Bruck's (MPICH)
DOUBLE = 8  # bytes of an element of allreduce
ENVELOPE = 16  # bytes that SMPI adds to each message

Message = tuple[int, int, float]  # sender, receiver, bytes


@dataclass(frozen=True)
class Model:
    """A network, a number of ranks on it, and what a binding adds to a message."""

    network: Network
    ranks: int
    message: Line = NONE  # at both ends together; each has half

    def node(self, rank: int) -> int:
        """The node of a rank."""
        return rank // self.network.ranks_per_node

    def send_ns(self, message: Message) -> float:
        """What a message takes its sender."""
        return self._end(message, self.network.node_send, self.network.send)

    def receive_ns(self, message: Message) -> float:
        """What a message takes its receiver."""
        return self._end(message, self.network.node_receive, self.network.receive)

    def both_ns(self, message: Message) -> float:
        """What a message takes its receiver more if that has sent one at the same time; nothing within a node."""
        sender, receiver, size = message
        return 0.0 if self.node(sender) == self.node(receiver) else time_at(self.network.both, size)

    def wire_ns(self, message: Message) -> float:
        """How long a message keeps the wires of its nodes busy; nothing within a node."""
        sender, receiver, size = message
        if self.node(sender) == self.node(receiver):
            return 0.0
        return (size + ENVELOPE) * 1000.0 / self.network.bandwidth_mb_per_s

    def way_ns(self, message: Message) -> float:
        """What a message takes on its way, alone."""
        wire = self.wire_ns(message)
        return self.network.latency_ns + wire if wire else 0.0

    def _end(self, message: Message, within: Points, between: Points) -> float:
        sender, receiver, size = message
        of_c = time_at(within if self.node(sender) == self.node(receiver) else between, size)
        return of_c + self.message.at(size) / 2


def announcement_ns(network: Network, size: int) -> float:
    """How much later data come that follow a message which announces them.

    The sender makes both, one after the other. Its receiver takes the first while the sender still makes the second,
    and is waited for only where data are so small that this takes less time.
    """
    return time_at(network.send, 0) + max(0.0, time_at(network.receive, 0) - time_at(network.send, size))


class Clock:
    """When each rank is done with what it did so far, and until when each wire is busy; in ns from a common start."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.times = [0.0] * model.ranks
        self._out: dict[int, float] = {}
        self._in: dict[int, float] = {}

    def exchange(self, messages: Sequence[Message]) -> None:
        """Each rank sends its messages, in their order, and then receives those that come to it."""
        model, times = self.model, self.times
        sending = {sender for sender, receiver, _ in messages if model.node(sender) != model.node(receiver)}
        left = []
        for message in messages:
            times[message[0]] += model.send_ns(message)
            left.append((times[message[0]], message))
        arrivals = sorted((self._arrival(when, message), message) for when, message in sorted(left))
        for arrival, message in arrivals:
            both = model.both_ns(message) if message[1] in sending else 0.0
            times[message[1]] = max(times[message[1]], arrival) + model.receive_ns(message) + both

    def _arrival(self, when: float, message: Message) -> float:
        busy = self.model.wire_ns(message)
        if not busy:
            return when
        sender, receiver = self.model.node(message[0]), self.model.node(message[1])
        sent = max(when, self._out.get(sender, 0.0)) + busy
        came = max(sent + self.model.network.latency_ns, self._in.get(receiver, 0.0) + busy)
        self._out[sender], self._in[receiver] = sent, came
        return came


def time_of(model: Model, pattern: str, size: int, family: str) -> float | None:
    """Time of a pattern in ns, from a common start until the last rank is done (half a ping-pong, a hop of a ring)."""
    ranks, clock = model.ranks, Clock(model)
    if pattern == "latency":
        there = (0, ranks // 2, float(size))
        return model.send_ns(there) + model.way_ns(there) + model.receive_ns(there)
    if pattern == "alltoall" and family == "mpich" and (size >= SHORT_ALLTOALL or ranks < BRUCK_RANKS):
        return _direct(model, size)
    rounds = _point_to_point(ranks, pattern, size) or (_collective(model, pattern, size) if family == "mpich" else None)
    if rounds is None:
        return None
    for messages in rounds:
        clock.exchange(messages)
    return max(clock.times) / (ranks if pattern == "ring" else 1)


def _point_to_point(ranks: int, pattern: str, size: int) -> list[list[Message]] | None:
    """The rounds of a pattern without collectives, which are the same with every library."""
    if pattern == "ring":
        return [[(rank, (rank + 1) % ranks, float(size))] for rank in range(ranks)]
    return [halo(ranks, mesh(ranks, 3), size)] if pattern == "wave-faces" else None


def _collective(model: Model, pattern: str, size: int) -> list[list[Message]] | None:
    """The rounds that MPICH makes of a pattern with collectives."""
    ranks, per_node = model.ranks, model.network.ranks_per_node
    if pattern == "cg-iteration":
        sums = reduction(ranks, per_node, 8)
        return None if sums is None else [halo(ranks, mesh(ranks, 2), size), *sums, *sums]
    if pattern == "bcast":
        one_piece = size <= SEGMENT if per_node > 1 else size < SHORT_BCAST or ranks < BCAST_RANKS
        return broadcast(ranks, per_node, size) if ranks % per_node == 0 and one_piece else None
    if pattern == "doubling":
        return reduction(ranks, per_node, size)
    if pattern == "allreduce":
        if per_node == 1 and size >= DOUBLE * ranks:
            return halving(ranks, size)
        return reduction(ranks, per_node, size) if size <= SHORT_ALLREDUCE else None
    return {"barrier": dissemination(ranks), "alltoall": bruck(ranks, size)}.get(pattern)


def dissemination(ranks: int) -> list[list[Message]]:
    """A barrier: in round k each rank notifies the one 2^k after it (Hensgen, Finkel & Manber, 1988)."""
    return [[(i, (i + step) % ranks, 0.0) for i in range(ranks)] for step in _powers(ranks)]


def binomial(members: Sequence[int], size: float) -> list[list[Message]]:
    """A tree: in each round those that have the message send it to as many others, the farthest first."""
    steps = sorted(_powers(len(members)), reverse=True)
    return [[(members[i], members[i + step], size) for i in range(0, len(members) - step, 2 * step)] for step in steps]


def doubling(members: Sequence[int], size: float) -> list[list[Message]] | None:
    """Recursive doubling: in round k each exchanges with the one whose number differs in bit k; for powers of two."""
    if len(members) & (len(members) - 1):
        return None
    return [[(members[i], members[i ^ step], size) for i in range(len(members))] for step in _powers(len(members))]


def halving(ranks: int, size: float) -> list[list[Message]] | None:
    """Recursive halving and doubling: half of what a rank has goes to another, then half of that, and all back."""
    rounds = doubling(range(ranks), size)
    if rounds is None:
        return None
    parts = [[(a, b, size * step / ranks) for a, b, _ in rounds[i]] for i, step in enumerate(_powers(ranks))]
    return [*reversed(parts), *parts]


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
    """What all ranks of a mesh send to their neighbours."""
    messages = []
    for rank in range(ranks):
        stride = 1
        for size in reversed(sizes):
            place = rank // stride % size
            messages += [(rank, rank - stride, float(bytes_))] * (place > 0)
            messages += [(rank, rank + stride, float(bytes_))] * (place < size - 1)
            stride *= size
    return messages


def bruck(ranks: int, size: int) -> list[list[Message]]:
    """Bruck's alltoall: in round k all blocks whose number has bit k go 2^k ranks on (Bruck et al., 1997)."""
    rounds = []
    for step in _powers(ranks):
        blocks = sum(1 for block in range(ranks) if block & step)
        rounds.append([(i, (i + step) % ranks, float(blocks * size)) for i in range(ranks)])
    return rounds


def _direct(model: Model, size: int) -> float:
    """A message from each rank to each other, all at once: its own time, or that of its node's wire if longer."""
    ranks, per_node = model.ranks, model.network.ranks_per_node
    near, far = min(ranks, per_node) - 1, ranks - min(ranks, per_node)
    own = 0.0
    for number, other in ((near, 1), (far, per_node)):
        message = (0, other % ranks, float(size))
        each = model.send_ns(message) + model.receive_ns(message) + model.both_ns(message)
        own += number * each if number else 0.0
    if not far:
        return own
    between = (0, per_node, float(size))
    queued = (near + 1) * far * model.wire_ns(between) + model.network.latency_ns
    ends = model.send_ns(between) + model.receive_ns(between) + model.both_ns(between)
    return max(own + model.way_ns(between), queued + ends)


def _within(ranks: int, per_node: int, size: float) -> list[list[Message]]:
    """The trees within all nodes, as rounds that they make at the same time."""
    trees = [binomial(range(first, min(first + per_node, ranks)), size) for first in range(0, ranks, per_node)]
    rounds = max(map(len, trees), default=0)
    return [[m for tree in trees if i < len(tree) for m in tree[i]] for i in range(rounds)]


def _powers(limit: int) -> Iterable[int]:
    return [2**k for k in range((limit - 1).bit_length())]
