"""The start on very many ranks: all pass a barrier and a reduction, and rank 0 reports what polympi takes for that.

The line of figures has bytes, each the mean over ranks: what the world and the first calls on it took of a rank's
memory; what each further communicator took; and the memory that the ranks share, a rank.
"""

from pathlib import Path

import polympi as mpi
from polympi.native import core

MORE = 24  # communicators, so that what each takes is not lost among pages


def memory() -> int:
    """Memory of this process that belongs to no file and no other process; what it has ever allocated."""
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()[1:]
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("Anonymous:"))


def use(one: mpi.Communicator) -> None:
    """A barrier and a reduction."""
    one.barrier()
    assert one.allreduce(one.rank) == one.size * (one.size - 1) // 2


raw = mpi.raw_world
memory()  # what looking takes by itself
started = memory()
world = mpi.world
use(world)
begun = memory()
shared = core._shared_memory()
of_mpi = [raw.dup() for _ in range(16)]  # libraries get memory for many communicators at once: now they have it
before = memory()
more = [world.dup() for _ in range(MORE)]
for one in more:
    use(one)
figures = [begun - started, (memory() - before) / MORE, shared / world.size]
means = [world.allreduce(float(figure)) / world.size for figure in figures]
print(f"figures {' '.join(f'{mean:.0f}' for mean in means)}\n" * (world.rank == 0) + "done", flush=True)
