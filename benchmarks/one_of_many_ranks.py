"""A rank of those that many_ranks.py launches: it comes as far as it is told, stays, and tells when, and its memory."""

from __future__ import annotations

import sys
import time
from pathlib import Path

WAYS = ("MPI alone", "world", "first barrier", "each collective")
POLL_S = 0.01


def come(way: str) -> int:
    """Come so far; the rank."""
    import polympi as mpi  # noqa: PLC0415  (only ranks start MPI)

    rank = mpi.plain_world.rank
    if way == WAYS[0]:
        return rank
    world = mpi.world
    if way == WAYS[1]:
        return rank
    world.barrier()
    if way == WAYS[3]:
        world.bcast(rank)
        world.gather(rank)
        world.scatter([rank] * world.size if rank == 0 else None)
        world.allgather(rank)
        world.alltoall([rank] * world.size)
        world.allreduce(1.0)
        world.scan(1)
    return rank


def tell(folder: Path, name: str, figure: float, answer: str) -> None:
    """Leave a figure in a file, which is whole when it is seen, and wait for the answer to those of all ranks."""
    (folder / f"part-of-{name}").write_text(str(figure))
    (folder / f"part-of-{name}").rename(folder / name)
    while not (folder / answer).exists():
        time.sleep(POLL_S)


def proportional_kib() -> float:
    """The proportional set size of this process, in KiB."""
    lines = Path("/proc/self/smaps_rollup").read_text(encoding="ascii").splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith("Pss:"))


def main() -> None:
    """Do what the command line says: a way, and the folder for files."""
    way, folder = sys.argv[1], Path(sys.argv[2])
    rank = come(way)
    tell(folder, f"came-{rank}", time.monotonic(), "all")
    tell(folder, f"memory-{rank}", proportional_kib(), "end")


if __name__ == "__main__":
    main()
