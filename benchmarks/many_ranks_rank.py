"""A rank of many_ranks.py: takes some steps, and reports after each how much memory and processor time it has taken.

    mpiexec -n RANKS python benchmarks/many_ranks_rank.py python|mpi4py|polympi FOLDER RANKS

The steps are those of ``STEPS``. Ranks meet between them by files in the folder, without a call of MPI, so that the
memory of all is looked at in the same state, and a step is not charged with a meeting. A line of the file ``figures``
has: number of the step, rank (-1 without MPI), proportional and private KiB, bytes of polympi's shared memory on the
machine, seconds of processor time, and the monotonic clock before the meeting. Private memory is that of pages which no
other process has, and of the tables of pages.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

START, BARRIER, NEIGHBOURS, ALL, COLLECTIVES, AT_ONCE = STEPS = (
    "start",
    "barrier",
    "neighbours",
    "all",
    "collectives",
    "at once",
)
PAUSE_S = 0.05
WINDOW = 16  # messages in flight in the step "all"; in the step "at once" those with all partners are


def meet(folder: Path, where: str, ranks: int) -> None:
    """Wait until all ranks have arrived."""
    file = os.open(folder / where, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.write(file, b"x")
    while os.fstat(file).st_size < ranks:
        time.sleep(PAUSE_S)
    os.close(file)


def memory_kib() -> tuple[int, int]:
    """Of this process: memory in proportion to how many share it, and what it alone has, in KiB."""
    words = [line.split() for line in Path("/proc/self/smaps_rollup").read_text().splitlines()[1:]]
    kib = {line[0]: int(line[1]) for line in words}
    status = Path("/proc/self/status").read_text().split()
    tables = int(status[status.index("VmPTE:") + 1])
    return kib["Pss:"] + tables, kib["Private_Clean:"] + kib["Private_Dirty:"] + tables


def shared_bytes() -> int:
    """What the system has given to the file that polympi's ranks on this machine share."""
    for entry in Path("/proc/self/fd").iterdir():
        try:
            if "/polympi-" in str(entry.readlink()):
                return entry.stat().st_blocks * 512
        except FileNotFoundError:  # the descriptor of the folder that is read
            continue
    return 0


def write_figures(folder: Path, step: str, rank: int, ranks: int) -> None:
    """Meet the others, and write down the figures after a step."""
    times, now = os.times(), time.monotonic()
    meet(folder, f"come-{step}", ranks)
    line = f"{STEPS.index(step)} {rank} {' '.join(map(str, memory_kib()))} {shared_bytes()} "
    file = os.open(folder / "figures", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.write(file, f"{line}{times.user + times.system:.6f} {now:.6f}\n".encode())
    os.close(file)
    meet(folder, f"written-{step}", ranks)


def windows(rank: int, ranks: int, step: str) -> Iterator[Sequence[int]]:
    """Whom a rank exchanges messages with in a step, in groups that are in flight together."""
    sides = [((rank + near) % ranks, (rank - near) % ranks) for near in range(1, ranks // 2 + 1)]
    # From the nearest on, both sides in turn: who waits for a rank is waited for by it.
    around = list(dict.fromkeys(other for pair in sides for other in pair))
    if step == NEIGHBOURS:
        yield around[:2]
        return
    width = WINDOW if step == ALL else ranks
    for first in range(0, len(around), width):
        yield around[first : first + width]


def run_python(folder: Path, ranks: int) -> None:
    """The interpreter alone."""
    write_figures(folder, START, -1, ranks)


def run_polympi(folder: Path, ranks: int) -> None:
    """With polympi."""
    import polympi as mpi  # noqa: PLC0415  (no arm has the memory of another)

    world = mpi.world

    def exchange(others: Sequence[int]) -> None:
        requests = [world.irecv(other, 1) for other in others]
        requests += [world.isend(world.rank, other, 1) for other in others]
        mpi.wait_all(requests)

    take_steps(world, exchange, folder, ranks)


def run_mpi4py(folder: Path, ranks: int) -> None:
    """With mpi4py: messages of memory, as in C, and collectives of objects."""
    from mpi4py import MPI  # noqa: PLC0415  (likewise)

    world = MPI.COMM_WORLD

    def exchange(others: Sequence[int]) -> None:
        received = [bytearray(8) for _ in others]
        requests = [world.Irecv(into, other, 1) for into, other in zip(received, others, strict=True)]
        requests += [world.Isend(bytearray(8), other, 1) for other in others]
        MPI.Request.Waitall(requests)

    take_steps(world, exchange, folder, ranks)


def take_steps(world: Any, exchange: Callable[[Sequence[int]], None], folder: Path, ranks: int) -> None:
    """All steps, with a world whose collectives take objects, and what exchanges messages with some ranks."""
    rank = world.rank

    def exchange_all(step: str) -> None:
        for others in windows(rank, ranks, step):
            exchange(others)
        write_figures(folder, step, rank, ranks)

    write_figures(folder, START, rank, ranks)
    world.barrier()
    write_figures(folder, BARRIER, rank, ranks)
    exchange_all(NEIGHBOURS)
    exchange_all(ALL)
    world.bcast(rank)
    world.allreduce(rank)
    world.gather(rank)
    world.allgather(rank)
    world.alltoall(list(range(ranks)))
    write_figures(folder, COLLECTIVES, rank, ranks)
    exchange_all(AT_ONCE)


ARMS = {"python": run_python, "mpi4py": run_mpi4py, "polympi": run_polympi}

if __name__ == "__main__":
    ARMS[sys.argv[1]](Path(sys.argv[2]), int(sys.argv[3]))
