"""Messages of the facades against polympi's own calls, in one launch of two ranks.

    mpiexec -n 2 python benchmarks/facades_against_polympi.py

An arm is a ping-pong of one payload: in the style of a facade, or by polympi's own call for the same message, which
receives into an array where the facade does, and otherwise a new object. The arms take turns, in another order each
round; a turn is as many messages as fit into 2 ms. Each line says the time of a message with polympi and with the
facade, in ns, and the median over rounds of the ratio of the two, with an interval that holds it with 95 %.

Two arms show what the figures are worth: ``again`` is polympi's own call once more, and must not differ; ``wrapped`` is
that call behind one function of Python, and must.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import polympi as mpi
from polympi.compat import boostmpi, mympi, pympi, pypar
from polympi.compat.scientific.MPI import world as scientific

TURN_S = 2e-3
SEED = 20261125

world = mpi.world
rank = world.rank

NEW, INTO, TEXT = "new", "into", "text"  # how a facade receives


def wrapped_send(x: object, to: int, tag: int) -> None:
    """Polympi's call behind a function of Python."""
    world.send(x, to, tag)


def wrapped_recv(source: int, tag: int) -> Any:
    """Likewise."""
    return world.recv(source, tag)


# What an arm says, in the style of scripts: send and receive, and what these two words mean.
STYLES: dict[tuple[str, str], tuple[str, str, object, object]] = {
    ("polympi", NEW): ("send(x, to, 1)", "receive(to, 1)", world.send, world.recv),
    ("polympi", INTO): ("send(x, to, 1)", "receive(to, 1, into=y)", world.send, world.recv),
    ("again", NEW): ("send(x, to, 1)", "receive(to, 1)", world.send, world.recv),
    ("again", INTO): ("send(x, to, 1)", "receive(to, 1, into=y)", world.send, world.recv),
    ("wrapped", NEW): ("send(x, to, 1)", "receive(to, 1)", wrapped_send, wrapped_recv),
    ("pypar", NEW): ("send(x, to)", "receive(to)", pypar.send, pypar.receive),
    ("pypar", INTO): (
        "send(x, to, use_buffer=True, tag=1, bypass=True)",
        "receive(to, buffer=y, tag=1, bypass=True)",
        pypar.send,
        pypar.receive,
    ),
    ("pympi", NEW): ("send(x, to)", "receive(to)", pympi.send, pympi.recv),
    ("mympi", NEW): (
        "send(x, count, MPI_DOUBLE, to, 1, MPI_COMM_WORLD)",
        "receive(count, MPI_DOUBLE, to, 1, MPI_COMM_WORLD)",
        mympi.mpi_send,
        mympi.mpi_recv,
    ),
    ("scientific", INTO): ("send(x, to, 1)", "receive(y, to, 1)", scientific.send, scientific.receive),
    ("scientific", TEXT): ("send(x, to, 1)", "receive(to, 1)", scientific.send, scientific.receiveString),
    ("boostmpi", NEW): ("send(to, 1, x)", "receive(to, 1)", boostmpi.world.send, boostmpi.world.recv),
}
LOOP = """
def ping_pong(turns, first):
    to = 1 - rank
    if first:
        for _ in range(turns):
            {send}
            {receive}
    else:
        for _ in range(turns):
            {receive}
            {send}
"""

PAYLOADS: dict[str, Callable[[], Any]] = {
    "array of 8 B": lambda: np.arange(1.0),
    "array of 1 KiB": lambda: np.arange(128.0),
    "array of 64 KiB": lambda: np.arange(8192.0),
    "int": lambda: 12345,
    "str": lambda: "a text of thirty characters...",
    "dict": lambda: {"name": "run 7", "steps": 100, "size": 0.5},
}
ARRAYS = [name for name in PAYLOADS if name.startswith("array")]


@dataclass
class Arm:
    """A ping-pong.

    Attributes:
        name: of the facade, or of what it is compared with.
        way: how it receives.
        run: makes so many turns, of two messages each.
        calls: how many turns a measurement has.
        times: of a message, in ns, for each round.
    """

    name: str
    way: str
    run: Callable[[int, bool], None]
    calls: int = 1
    times: list[float] = field(default_factory=list)


def arm(name: str, way: str, payload: Any) -> Arm:
    """The loop of an arm: names that scripts import are found as fast as local ones, in all arms alike."""
    send, receive, send_call, receive_call = STYLES[name, way]
    count = payload.size if isinstance(payload, np.ndarray) else 0
    names: dict[str, Any] = {
        "rank": rank,
        "x": payload,
        "y": np.zeros_like(payload) if isinstance(payload, np.ndarray) else None,
        "count": count,
        "send": send_call,
        "receive": receive_call,
        "MPI_DOUBLE": mympi.MPI_DOUBLE,
        "MPI_COMM_WORLD": mympi.MPI_COMM_WORLD,
    }
    exec(LOOP.format(send=send, receive=receive), names)  # the text is above
    return Arm(name, way, names["ping_pong"])


def arms(payload_name: str) -> list[Arm]:
    """All arms that can send a payload."""
    payload = PAYLOADS[payload_name]()
    ways = {NEW, INTO} if payload_name in ARRAYS else {NEW, TEXT} if payload_name == "str" else {NEW}
    return [
        arm(name, way, payload) for name, way in STYLES if way in ways and (payload_name in ARRAYS or name != "mympi")
    ]


def turn(one: Arm, calls: int) -> float:
    """The time of a message, in ns."""
    world.barrier()
    began = time.perf_counter()
    one.run(calls, rank == 0)
    return (time.perf_counter() - began) / (2 * calls) * 1e9


def measured(arms: list[Arm], rounds: int, order: random.Random) -> list[Arm]:
    """Let arms take turns; gives them in the order in which they came."""
    for one in arms:
        turn(one, 100)
        one.calls = world.bcast(max(10, int(TURN_S * 1e9 / (2 * turn(one, 300)))))
    mixed = list(arms)
    for _ in range(rounds):
        order.shuffle(mixed)
        for one in mixed:
            one.times.append(turn(one, one.calls))
    return arms


def row_of_table(payload_name: str, own: Arm, other: Arm) -> str:
    """What an arm costs beside polympi's own call, as a row of a table."""
    ratios = [its / ours for its, ours in zip(other.times, own.times, strict=True)]
    low, high = interval(ratios)
    name = f"{other.name}, into an array" if other.way == INTO else other.name
    ours, theirs = statistics.median(own.times), statistics.median(other.times)
    ratio = statistics.median(ratios)
    return f"| {payload_name} | {name} | {ours:.0f} | {theirs:.0f} | {ratio:.2f} | {low:.2f} to {high:.2f} |"


def interval(values: list[float]) -> tuple[float, float]:
    """Between which of the values the median is, with at least 95 %: by the binomial distribution."""
    count = len(values)
    below, outside = 0, 2 / 2**count
    while outside + 2 * math.comb(count, below + 1) / 2**count <= 0.05:
        below += 1
        outside += 2 * math.comb(count, below) / 2**count
    ordered = sorted(values)
    return ordered[below], ordered[count - 1 - below]


def main() -> None:
    """Measure each payload and print its rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("payloads", nargs="*", metavar="PAYLOAD", help=", ".join(PAYLOADS))
    parser.add_argument("--rounds", type=int, default=101)
    options = parser.parse_args()
    if world.size != 2:
        sys.exit(f"This program needs two ranks, and was started with {world.size}.")
    mympi.mpi_init(len(sys.argv), sys.argv)
    order = random.Random(SEED)  # the same on both ranks
    if rank == 0:
        print(mpi.library_version().splitlines()[0])
        print("| message | by | polympi, ns | this, ns | ratio | 95 % |\n|---|---|---|---|---|---|")
    for payload_name in options.payloads or PAYLOADS:
        found = measured(arms(payload_name), options.rounds, order)
        own = {one.way: one for one in found if one.name == "polympi"}
        for one in found:
            if rank == 0 and one.name != "polympi":
                print(row_of_table(payload_name, own[INTO if one.way == INTO else NEW], one), flush=True)


if __name__ == "__main__":
    main()
