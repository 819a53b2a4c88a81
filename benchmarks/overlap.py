"""How much of a nonblocking collective goes on while its ranks compute, as OSU's benchmarks define it.

    mpiexec -n 2 python benchmarks/overlap.py
    mpiexec -n 2 python benchmarks/overlap.py --rounds 101 --sizes 262144,1048576

For each size of an iallreduce of float64, and each way to make it: the time of the call and its wait alone, and the
overlap: 100 % minus the part of this time by which it lengthens a computation of as long a time, which is between the
call and its wait. It is negative where the call disturbs the computation. Ways: mpi4py's call; polympi's; the same
with mpi.progress() in four places of the computation; and with mpi.progress_thread(). All take turns, in random
order. Medians over the rounds, and the range from the 5th to the 95th percentile, of rank 0.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np
from mpi4py import MPI

import polympi as mpi

PARTS = 4  # of the computation
theirs, ours = MPI.COMM_WORLD, mpi.wrap(MPI.COMM_WORLD)


def spin_until(end: float) -> None:
    """Compute, without MPI and with the GIL released most of the time."""
    x = np.full(20_000, 1.000001)
    while time.perf_counter() < end:
        np.multiply(x, x, out=x)
        np.clip(x, 0.5, 1.5, out=x)


def timed(
    begin: Callable[[], Any], wait: Callable[[Any], object], compute_s: float, between: Callable[[], object]
) -> float:
    """Seconds of the call, a computation and the wait."""
    ours.barrier()
    began = time.perf_counter()
    request = begin()
    if compute_s:
        now = time.perf_counter()
        for part in range(PARTS):
            spin_until(now + compute_s * (part + 1) / PARTS)
            between()
    wait(request)
    return time.perf_counter() - began


def spread(values: list[float]) -> tuple[float, float, float]:
    """Median, 5th and 95th percentile."""
    cuts = statistics.quantiles(values, n=20)
    return statistics.median(values), cuts[0], cuts[-1]


def measure(nbytes: int, rounds: int) -> None:
    """Print the rows of a size."""
    given, into = np.ones(max(nbytes // 8, 1)), np.empty(max(nbytes // 8, 1))
    of_mpi4py = (lambda: theirs.Iallreduce(given, into), lambda request: request.Wait())
    of_polympi = (lambda: ours.iallreduce(given, into=into), lambda request: request.wait())
    ways: dict[str, tuple[Any, Any, Callable[[], object], Callable[[], Any]]] = {
        "mpi4py": (*of_mpi4py, lambda: None, nullcontext),
        "polympi": (*of_polympi, lambda: None, nullcontext),
        "polympi, progress()": (*of_polympi, mpi.progress, nullcontext),
        "polympi, progress_thread()": (*of_polympi, lambda: None, mpi.progress_thread),
    }
    alone: dict[str, list[float]] = {way: [] for way in ways}
    overlaps: dict[str, list[float]] = {way: [] for way in ways}
    order = random.Random(nbytes)  # the same on all ranks
    for turn in range(rounds + 1):
        for way in order.sample(list(ways), len(ways)):
            begin, wait, between, around = ways[way]
            call_s = timed(begin, wait, 0, lambda: None)
            compute_s = ours.bcast(call_s)
            with around():
                total_s = timed(begin, wait, compute_s, between)
            if turn:  # the first one warms up
                alone[way].append(call_s)
                overlaps[way].append(100 * (1 - (total_s - compute_s) / call_s))
    if ours.rank == 0:
        for way in ways:
            time_us, low_us, high_us = (1e6 * value for value in spread(alone[way]))
            overlap, low, high = spread(overlaps[way])
            print(
                f"{nbytes:>9} B  {way:<27} {time_us:9.1f} us ({low_us:.1f} to {high_us:.1f})"
                f"   overlap {overlap:5.0f} % ({low:.0f} to {high:.0f})"
            )


def main() -> None:
    """Measure all sizes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=51)
    parser.add_argument("--sizes", default="1048576,8388608", help="bytes (default: %(default)s)")
    options = parser.parse_args()
    for size in options.sizes.split(","):
        measure(int(size), options.rounds)


if __name__ == "__main__":
    main()
