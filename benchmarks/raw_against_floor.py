"""Raw messages against the least that two calls of Python around MPI_Send and MPI_Recv cost, in one launch.

    python bindings/python_floor/build_floor.py mpicc FOLDER
    PYTHONPATH=FOLDER mpiexec -n 2 python benchmarks/raw_against_floor.py

The arms take turns, in another order each round; a turn is as many ping-pongs of 8 bytes as fit into 2 ms. Each line
says the time of a message by the floor and by the arm, in ns, and the median over rounds of the ratio, with an interval
that holds it with 95 %. ``again`` is the floor once more, and must not differ; ``wrapped`` is that behind one function
of Python, and must; ``mpi4py`` is Send and Recv of the same array.
"""

import argparse
import math
import random
import statistics
import sys
import time
from collections.abc import Callable

import mpifloor
import numpy as np
from mpi4py import MPI

import polympi as mpi

TURN_S = 2e-3
SEED = 20261125
NBYTES = 8

raw = mpi.raw_world
rank, other = raw.rank, 1 - raw.rank
outgoing, incoming = np.zeros(NBYTES, "u1"), np.zeros(NBYTES, "u1")
theirs = MPI.COMM_WORLD
FLOOR = "floor"


def floor() -> None:
    """A ping-pong by the floor: its buffers were chosen beforehand."""
    if rank == 0:
        mpifloor.send(other, 1)
        mpifloor.recv(other, 1)
    else:
        mpifloor.recv(other, 1)
        mpifloor.send(other, 1)


def send_wrapped(dest: int, tag: int) -> None:
    """The floor behind a function of Python."""
    mpifloor.send(dest, tag)


def recv_wrapped(source: int, tag: int) -> None:
    """Likewise."""
    mpifloor.recv(source, tag)


def wrapped() -> None:
    """A ping-pong by these."""
    if rank == 0:
        send_wrapped(other, 1)
        recv_wrapped(other, 1)
    else:
        recv_wrapped(other, 1)
        send_wrapped(other, 1)


def raw_messages() -> None:
    """A ping-pong by raw messages."""
    if rank == 0:
        raw.send(outgoing, other, 1)
        raw.recv(incoming, other, 1)
    else:
        raw.recv(incoming, other, 1)
        raw.send(outgoing, other, 1)


def by_mpi4py() -> None:
    """A ping-pong by mpi4py."""
    if rank == 0:
        theirs.Send(outgoing, other, 1)
        theirs.Recv(incoming, other, 1)
    else:
        theirs.Recv(incoming, other, 1)
        theirs.Send(outgoing, other, 1)


ARMS: dict[str, Callable[[], None]] = {
    FLOOR: floor,
    "again": floor,
    "wrapped": wrapped,
    "raw": raw_messages,
    "mpi4py": by_mpi4py,
}


def turn(ping_pong: Callable[[], None], calls: int) -> float:
    """The time of a message, in ns."""
    raw.barrier()
    began = time.perf_counter()
    for _ in range(calls):
        ping_pong()
    return (time.perf_counter() - began) / (2 * calls) * 1e9


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
    """Let all arms take turns, and print their rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=101)
    options = parser.parse_args()
    if raw.size != 2:
        sys.exit(f"This program needs two ranks, and was started with {raw.size}.")
    mpifloor.choose(outgoing.ctypes.data, incoming.ctypes.data, NBYTES)
    order = random.Random(SEED)  # the same on both ranks
    calls = int(raw.bcast(np.array([max(10, int(TURN_S * 1e9 / (2 * turn(floor, 1000))))]))[0])
    times: dict[str, list[float]] = {arm: [] for arm in ARMS}
    names = list(ARMS)
    for _ in range(options.rounds):
        order.shuffle(names)
        for name in names:
            times[name].append(turn(ARMS[name], calls))
    if rank == 0:
        print(mpi.library_version().splitlines()[0])
        print("| arm | floor, ns | this, ns | ratio | 95 % |\n|---|---|---|---|---|")
        for name in ARMS:
            ratios = [its / own for its, own in zip(times[name], times[FLOOR], strict=True)]
            low, high = interval(ratios)
            own, its = statistics.median(times[FLOOR]), statistics.median(times[name])
            print(f"| {name} | {own:.0f} | {its:.0f} | {statistics.median(ratios):.3f} | {low:.3f} to {high:.3f} |")


if __name__ == "__main__":
    main()
