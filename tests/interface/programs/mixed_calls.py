"""Collectives, blocking, nonblocking, in plans and among neighbours, messages, windows and files in a random order.

They are compared with NumPy and Python. The arguments are a seed and how many calls. All ranks draw what is called from
one generator, so each knows what every rank gives, and what it must get; how a rank calls it, and when it waits, it
draws from its own. On two ranks or more.
"""

import random
import sys
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np
from oracle import prefixes
from prelude import c, in_turn, rank, same, size

import polympi as mpi

seed, count = map(int, sys.argv[1:])
common, own = random.Random(seed), random.Random(f"{seed} {rank}")
MOST_PENDING = 6
FORMS = ["number", "text", "small array", "large array", "strided array", "object"]
OPS = [mpi.SUM, mpi.MAX, mpi.MIN]
WORDS = ("barrier", "bcast", "gather", "scatter", "allgather", "alltoall")
REDUCTIONS = ("reduce", "allreduce", "scan", "exscan", "reduce_scatter")


def value_of(form: str, salt: int, owner: int) -> Any:
    """What a rank gives in a call."""
    number = (salt * 7 + owner * 13) % 101
    match form:
        case "number":
            return number
        case "text":
            return f"{number}" * (1 + salt % 3000)
        case "small array":
            return np.arange(salt % 50) + number
        case "large array":
            return np.full(3000 + salt % 40_000, float(number))
        case "strided array":
            return (np.arange(2.0 * (1000 + salt % 3000)).reshape(2, -1) + number).T[:: 1 + salt % 2]
    return {"of": owner, "parts": [number, (salt, b"x" * (salt % 9000))]}


def as_it_comes(value: Any) -> Any:
    return np.ascontiguousarray(value) if isinstance(value, np.ndarray) else value


def drawn_collective() -> tuple[str, tuple[Any, ...], Any]:
    """A collective, what this rank gives, and what it must get."""
    salt, form, root = common.randrange(10**6), common.choice(FORMS), common.randrange(size)
    values = [value_of(form, salt, owner) for owner in range(size)]
    come = [as_it_comes(value) for value in values]
    name = common.choice(WORDS)
    mine = values[rank]
    match name:
        case "barrier":
            return name, (), None
        case "bcast":
            return name, (values[root] if rank == root else None, root), values[root] if rank == root else come[root]
        case "gather":
            return name, (mine, root), come if rank == root else None
        case "scatter":
            return name, (values if rank == root else None, root), come[rank]
        case "allgather":
            return name, (mine,), come
    pieces = [[value_of(form, salt + 17 * giver, taker) for taker in range(size)] for giver in range(size)]
    return name, (pieces[rank],), [as_it_comes(pieces[giver][rank]) for giver in range(size)]


JOIN = mpi.op(lambda lower, higher: f"{lower} {higher}"[-50:], commutative=False)


def drawn_reduction() -> tuple[str, tuple[Any, ...], Any]:
    salt, name, root = common.randrange(10**6), common.choice(REDUCTIONS), common.randrange(size)
    form, op = common.choice(["number", "small array", "large array", "text"]), common.choice(OPS)
    values = [value_of(form, salt, owner) for owner in range(size)]
    if form == "text":
        op, joined = JOIN, [values[0]]
        for value in values[1:]:
            joined.append(f"{joined[-1]} {value}"[-50:])
    else:
        joined = prefixes(op, values)
    if name == "reduce":
        return name, (values[rank], op, root), joined[-1] if rank == root else None
    if name == "scan":
        return name, (values[rank], op), joined[rank]
    if name == "exscan":
        return name, (values[rank], op), joined[rank - 1] if rank else None
    if name == "allreduce" or form in ("number", "text"):
        return "allreduce", (values[rank], op), joined[-1]
    return name, (values[rank], op), np.array_split(joined[-1], size)[rank]


def check(name: str, come: Any, expected: Any) -> None:
    if isinstance(expected, str) and len(expected) > 40 and name in REDUCTIONS:
        come, expected = come[-40:], expected[-40:]  # which is the same however the texts were joined
    assert same(come, expected), f"{name}: {come!r} instead of {expected!r}"


pending: list[tuple[str, Any, Any]] = []  # requests, or plans that are started


def finish_some(most: int) -> None:
    """Wait for requests, in any order, until no more are pending than this."""
    while len(pending) > most:
        name, request, expected = pending.pop(own.randrange(len(pending)))
        if own.random() < 0.3:
            request.test()
        check(name, request.wait(timeout=100), expected)


def call(name: str, given: tuple[Any, ...], expected: Any) -> None:
    """Begin it or make it; sometimes drop the request."""
    if own.random() < 0.5:
        check(name, getattr(c, name)(*given, timeout=100), expected)
        return
    request = getattr(c, f"i{name}")(*given)
    if own.random() < 0.9:
        pending.append((name, request, expected))


def messages() -> None:
    """Each rank sends to the next one, whatever is pending."""
    salt, form = common.randrange(10**6), common.choice(FORMS)
    received = c.irecv((rank - 1) % size, 5)
    sent = c.isend(value_of(form, salt, rank), (rank + 1) % size, 5)
    pending.append(("irecv", received, as_it_comes(value_of(form, salt, (rank - 1) % size))))
    pending.append(("isend", sent, None))


ring = c.cart(ndim=1, periods=True)


def neighbors() -> None:
    """Each rank gives something to both sides, which is the same rank or two."""
    salt, form, each = common.randrange(10**6), common.choice(FORMS), common.random() < 0.5

    def piece(owner: int, place: int) -> Any:
        return value_of(form, salt + (place if each else 0), owner)

    name = "neighbor_alltoall" if each else "neighbor_allgather"
    given = [piece(rank, 0), piece(rank, 1)] if each else piece(rank, 0)
    expected = [as_it_comes(piece((rank - 1) % size, 1)), as_it_comes(piece((rank + 1) % size, 0))]
    if own.random() < 0.5:
        check(name, getattr(ring, name)(given, timeout=100), expected)
        return
    request = getattr(ring, f"i{name}")(given)
    if own.random() < 0.9:
        pending.append((name, request, expected))


class Planned:
    """A plan with collectives of one length; while it is started, in the place of a request."""

    def __init__(self, length: int) -> None:
        self.given, self.total = np.zeros(length), np.zeros(length)
        self.spread, self.all = np.zeros(length), np.zeros(size * length)
        self.plan = c.plan()
        self.plan.allreduce(self.given, mpi.MAX, into=self.total)
        self.plan.bcast(self.spread, size - 1)
        self.plan.allgather(self.given, into=self.all)

    def start(self) -> None:
        """Begin it, after the last time."""
        salt = common.randrange(1000)
        if self in [request for _, request, _ in pending]:
            finish_some(0)
        self.given[:], self.spread[:] = salt + rank, salt if rank == size - 1 else -1
        self.plan.start(timeout=100)
        expected = [salt + size - 1, salt, [salt + owner for owner in range(size)]]
        pending.append(("plan", self, expected))

    def test(self) -> bool:
        return self.plan.test()

    def wait(self, timeout: float) -> Any:
        self.plan.finish(timeout=timeout)
        return [int(self.total[-1]), int(self.spread[-1]), [int(row[0]) for row in self.all.reshape(size, -1)]]


plans = [Planned(length) for length in (1, 200, 30_000)]


def planned() -> None:
    """Start one of the plans."""
    common.choice(plans).start()


memory = np.zeros(64, np.int64)
window = c.window(memory)
shadow = np.zeros((size, memory.size), np.int64)  # what all windows must hold


def accesses() -> None:
    """Accesses between two fences to places that no other rank accesses, and sums anywhere."""
    window.fence()
    room = memory.size // 2 // size
    for giver in range(size):
        target, number = common.randrange(size), common.randrange(100)
        length = common.randrange(1, room + 1)
        place = slice(giver * room, giver * room + length)
        shadow[target, place] = number + np.arange(length)
        if giver == rank:
            values = np.repeat(number + np.arange(length), 2)[::2]  # strided
            window.put(values, target, place.start)
    for giver in range(size):
        target, place, number = (
            common.randrange(size),
            common.randrange(memory.size // 2, memory.size),
            common.randrange(9),
        )
        shadow[target, place] += number
        if giver == rank:
            window.accumulate(number, target, place)
    window.fence()
    assert (memory == shadow[rank]).all()
    other, into = own.randrange(size), np.zeros(memory.size, np.int64)
    with window.lock(other):
        window.get(into, other)
    assert (into == shadow[other]).all()
    c.barrier()  # before others change what this rank reads


folder = tempfile.TemporaryDirectory() if rank == 0 else None
path = c.bcast(f"{folder.name}/numbers" if folder else None)
file = c.open(path, "w+")
content = np.zeros(4096, np.uint8)  # what it must hold
file.write_at(0, content) if rank == 0 else None
file.sync()


def files() -> None:
    """All write somewhere, and read anywhere."""
    places = sorted(common.sample(range(0, content.size, 16), size))
    for writer, place in enumerate(places):
        length = common.randrange(1, 16)
        data = np.frombuffer(common.randbytes(length), np.uint8)
        content[place : place + length] = data
        if writer == rank:
            mine = place, data
    file.write_at_all(*mine)
    file.sync()
    c.barrier()
    file.sync()
    first = own.randrange(content.size - 100)
    into = np.zeros(100, np.uint8)
    assert (file.read_at(first, into=into) == content[first : first + 100]).all()
    c.barrier()


KINDS: list[tuple[Callable[[], Any], float]] = [
    (lambda: call(*drawn_collective()), 0.5),
    (lambda: call(*drawn_reduction()), 0.35),
    (messages, 0.1),
    (neighbors, 0.1),
    (planned, 0.1),
    (accesses, 0.03),
    (files, 0.02),
]
actions, weights = zip(*KINDS, strict=True)
for _ in range(count):
    common.choices(actions, weights)[0]()
    finish_some(MOST_PENDING if own.random() < 0.8 else 0)
finish_some(0)
for each in plans:
    each.plan.free()
ring.free()
window.free()
file.close()
in_turn()
assert c.iprobe() is None
if folder:
    folder.cleanup()
