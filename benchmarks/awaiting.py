"""What it costs to await messages instead of waiting for them.

    mpiexec -n 2 python benchmarks/awaiting.py
    mpiexec -n 2 python benchmarks/awaiting.py --rounds 101 --messages 1000 --many 10000

The time of a small message in a ping-pong of two ranks: with the blocking recv; with ``await irecv`` in asyncio; the
same while many other receives are awaited; and after pauses, in which the loop rests. All take turns, in random order.
Medians over the rounds, their ratio to blocking, and the range from the 5th to the 95th percentile, of rank 0. Then
the processor time of a rank that only awaits, and the time of many receives by number.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import time
from collections.abc import Awaitable, Callable

import polympi as mpi

PAUSE_S = 0.01  # the loop rests after less
PAUSED = 10  # messages after a pause in a round
NEVER = 30_000  # tag of the first receive that waits through a round
IDLE_S = 3.0

world, other = mpi.world, 1 - mpi.world.rank


async def blocking(count: int) -> float:
    """Seconds of a message."""
    began = time.perf_counter()
    for _ in range(count):
        if world.rank == 0:
            world.send(1, other)
            world.recv(other)
        else:
            world.recv(other)
            world.send(1, other)
    return (time.perf_counter() - began) / count / 2


async def awaiting(count: int) -> float:
    """Seconds of a message."""
    began = time.perf_counter()
    for _ in range(count):
        if world.rank == 0:
            world.send(1, other)
            await world.irecv(other)
        else:
            await world.irecv(other)
            world.send(1, other)
    return (time.perf_counter() - began) / count / 2


async def after_pauses(count: int) -> float:
    """Seconds of a message, without the pauses."""
    seconds = 0.0
    for _ in range(min(count, PAUSED)):
        if world.rank == 0:
            await asyncio.sleep(PAUSE_S)
        seconds += await awaiting(1)
    return seconds / min(count, PAUSED)


def among(many: int) -> Callable[[int], Awaitable[float]]:
    """The ping-pong while this many other receives are awaited."""

    async def awaiting_others(count: int) -> float:
        others = [asyncio.ensure_future(world.irecv(other, NEVER)) for _ in range(many)]
        await asyncio.sleep(0)
        await world.ibarrier()
        seconds = await awaiting(count)
        for task in others:
            task.cancel()
        await asyncio.wait(others)
        await world.ibarrier()
        return seconds

    return awaiting_others


async def idle() -> float:
    """The share of a processor that a rank takes which awaits one message."""
    task = asyncio.ensure_future(world.irecv(other, NEVER))
    await asyncio.sleep(0.5)
    before = time.process_time()
    await asyncio.sleep(IDLE_S)
    share = (time.process_time() - before) / IDLE_S
    await world.ibarrier()
    world.send(None, other, NEVER)
    await task
    return share


async def received(count: int) -> float:
    """Seconds for each of `count` awaited receives, of which the one begun last gets its message first."""
    tasks = [asyncio.ensure_future(world.irecv(other, tag)) for tag in range(count)]
    await asyncio.sleep(0)
    await world.ibarrier()
    began = time.perf_counter()
    for tag in reversed(range(count)):
        world.isend(tag, other, tag)
    await asyncio.gather(*tasks)
    return (time.perf_counter() - began) / count


def row(name: str, times: list[float], base: list[float]) -> str:
    """A line of the table: microseconds and ratios."""
    ratios = sorted(mine / blocked for mine, blocked in zip(times, base, strict=True))
    low, high = ratios[len(ratios) // 20], ratios[-1 - len(ratios) // 20]
    return f"{name:24} {1e6 * statistics.median(times):10.2f} {statistics.median(ratios):8.1f}  {low:.1f} to {high:.1f}"


async def main() -> None:
    """Measure, and print a table on rank 0."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--messages", type=int, default=300, help="of each way in a round")
    parser.add_argument("--many", type=int, default=10_000, help="other receives that are awaited")
    given = parser.parse_args()
    ways: dict[str, Callable[[int], Awaitable[float]]] = {
        "recv": blocking,
        "await": awaiting,
        f"await among {given.many}": among(given.many),
        "await after a pause": after_pauses,
    }
    times: dict[str, list[float]] = {name: [] for name in ways}
    order, chance = list(ways), random.Random(1)  # the same on both ranks
    for _ in range(given.rounds):
        chance.shuffle(order)
        for name in order:
            await world.ibarrier()
            times[name].append(await ways[name](given.messages))
    lines = [row(name, seconds, times["recv"]) for name, seconds in times.items()]
    lines.append(f"a rank that awaits one message takes {100 * await idle():.2f} % of a processor")
    for count in (given.many // 10, given.many):
        lines.append(f"{count} receives: {1e6 * await received(count):.2f} us each")
    if world.rank == 0:
        print(f"{'way':24} {'us':>10} {'ratio':>8}  range")
        print("\n".join(lines))


if __name__ == "__main__":
    asyncio.run(main())
