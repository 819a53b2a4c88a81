"""What sleeping costs ranks that outnumber the processors: times in each way to wait, relative to ``spin``.

    mpiexec -n 8 python benchmarks/waiting_of_many.py [--rounds N] [--calls N] [--long SECONDS]

Each round measures each call in each way, in random order: a ping-pong of ranks 0 and 1 while the others wait for a
message, a barrier, and an allreduce and a bcast of 8 bytes and of 64 KiB by all. Medians of rank 0 over the rounds, and
the median ratio to ``spin`` in the same round with its range from the 5th to the 95th percentile. Then the processor
time that each rank takes while all but rank 0 wait ``--long`` seconds in a barrier.
"""

from __future__ import annotations

import argparse
import random
import resource
import statistics
import time
from collections.abc import Callable

import numpy as np

import polympi as mpi

WAYS = ("spin", "balanced", "quiet")
SEED = 20261130
LARGE = np.ones(8192)

world = mpi.world


def ping_pong() -> None:
    """A message there and back."""
    if world.rank == 0:
        world.send(1.0, 1)
        world.recv(1)
    elif world.rank == 1:
        world.recv(0)
        world.send(1.0, 0)


CALLS: dict[str, Callable[[], object]] = {
    "ping-pong": ping_pong,
    "barrier": world.barrier,
    "allreduce, 8 bytes": lambda: world.allreduce(1.0),
    "allreduce, 64 KiB": lambda: world.allreduce(LARGE),
    "bcast, 8 bytes": lambda: world.bcast(1.0),
    "bcast, 64 KiB": lambda: world.bcast(LARGE),
}


def seconds(call: Callable[[], object], count: int) -> float:
    """The time of one of several calls; ranks without a part wait for the others."""
    world.barrier()
    began = time.perf_counter()
    for _ in range(count):
        call()
    taken = (time.perf_counter() - began) / count
    world.barrier()
    return taken


def share(long: float) -> list[float]:
    """Shares of a processor that waiting ranks take."""
    world.barrier()
    before, began = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
    if world.rank == 0:
        time.sleep(long)
    world.barrier()
    after = resource.getrusage(resource.RUSAGE_SELF)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return world.allgather(used / (time.monotonic() - began))[1:]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description="What sleeping costs ranks that outnumber the processors.")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--calls", type=int, default=200, help="in each way in a round")
    parser.add_argument("--long", type=float, default=3.0, help="seconds of a long wait [%(default)s]")
    given = parser.parse_args()
    if world.size < 3:
        parser.error("it takes three ranks or more: mpiexec -n 8 python benchmarks/waiting_of_many.py")
    arms, order = [(name, way) for name in CALLS for way in WAYS], random.Random(SEED)  # the same on all ranks
    times: dict[tuple[str, str], list[float]] = {arm: [] for arm in arms}
    for _ in range(given.rounds):
        for name, way in order.sample(arms, len(arms)):
            with mpi.waiting(way):
                times[name, way].append(1e6 * seconds(CALLS[name], given.calls))
    shares = {}
    for way in WAYS:
        with mpi.waiting(way):
            shares[way] = share(given.long)
    if world.rank != 0:
        return
    print("| call | way | us | ratio to spin | 5 to 95 % |\n|---|---|---:|---:|---:|")
    for (name, way), taken in times.items():
        ratios = sorted(mine / spun for mine, spun in zip(taken, times[name, "spin"], strict=True))
        low, high = ratios[len(ratios) // 20], ratios[-1 - len(ratios) // 20]
        middle = statistics.median(ratios)
        print(f"| {name} | {way} | {statistics.median(taken):.1f} | {middle:.2f} | {low:.2f} to {high:.2f} |")
    for way, found in shares.items():
        print(f"{way}: a rank that waits takes {100 * min(found):.1f} to {100 * max(found):.1f} % of a processor")


if __name__ == "__main__":
    main()
