"""What a waiting rank takes of a processor, and how late it goes on, for each way to wait.

    mpiexec -n 2 python benchmarks/waiting.py [--long SECONDS] [--longs N] [--wakes N]

Rank 0 waits for rank 1, in ``recv``, ``barrier`` and ``wait_any``. Processor time, user and system, is that of rank 0
in waits of ``--long`` seconds: the range over ``--longs`` of them. The delay is the time from the call of rank 1 to the
return of rank 0's, by the monotonic clock, which all processes of a host share: median, 95th percentile and range over
``--wakes`` waits of 10 to 50 ms, which are long enough to sleep. The ranks are on one host or on two
of a test cluster, with a processor each.
"""

from __future__ import annotations

import argparse
import random
import resource
import statistics
import time
from collections.abc import Callable

import polympi as mpi

WAYS = ("spin", "balanced", "quiet")
SEED = 20261130
PAUSES_S = (0.01, 0.05)
STAMP = 1  # the tag of the time of rank 1's call

world = mpi.world

CALLS: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {  # of rank 0, of rank 1
    "recv": (lambda: world.recv(1), lambda: world.send(None, 0)),
    "barrier": (world.barrier, world.barrier),
    "wait_any": (lambda: mpi.wait_any([world.irecv(1)]), lambda: world.send(None, 0)),
}


def processor_seconds() -> float:
    """User and system time of this process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def wait_once(call: str, seconds: float) -> tuple[float, float]:
    """On rank 0, the share of a processor in a wait of this length, and the delay; on rank 1, nothing useful."""
    world.barrier()
    waits, gives = CALLS[call]
    if world.rank == 1:
        time.sleep(seconds)
        given = time.monotonic()
        gives()
        world.send(given, 0, STAMP)
        return 0.0, 0.0
    used, began = processor_seconds(), time.monotonic()
    waits()
    ended = time.monotonic()
    share = (processor_seconds() - used) / (ended - began)
    return share, ended - world.recv(1, STAMP)


def row(way: str, call: str, options: argparse.Namespace) -> str:
    """A line of the table."""
    pauses = random.Random(SEED)
    with mpi.waiting(way):
        shares = [wait_once(call, options.long)[0] for _ in range(options.longs)]
        delays = [1e6 * wait_once(call, pauses.uniform(*PAUSES_S))[1] for _ in range(options.wakes)]
    late = statistics.quantiles(delays, n=20)[-1]
    return (
        f"| {way} | {call} | {100 * min(shares):.1f} to {100 * max(shares):.1f} % | {statistics.median(delays):.0f} "
        f"| {late:.0f} | {min(delays):.0f} to {max(delays):.0f} |"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="What a waiting rank takes of a processor, and how late it goes on.")
    parser.add_argument("--long", type=float, default=3.0, help="seconds of a long wait [%(default)s]")
    parser.add_argument("--longs", type=int, default=5, help="long waits for each way and call [%(default)s]")
    parser.add_argument("--wakes", type=int, default=200, help="waits whose delay is measured [%(default)s]")
    options = parser.parse_args()
    if world.size != 2:
        parser.error("it takes two ranks: mpiexec -n 2 python benchmarks/waiting.py")
    lines = ["| way | call | processor | delay, us: median | 95 % | range |", "|---|---|---:|---:|---:|---:|"]
    lines += [row(way, call, options) for way in WAYS for call in CALLS]
    if world.rank == 0:
        print("\n".join(lines))


if __name__ == "__main__":
    main()
