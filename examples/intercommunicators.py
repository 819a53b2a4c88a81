"""Two groups of ranks that send to each other; and a program that starts workers while it runs.

    mpiexec -n 3 python examples/intercommunicators.py

On an intercommunicator, ``dest`` and ``source`` are ranks of the other group, and a collective gives each group what
the other one has. ``merge`` makes an ordinary communicator of both.
"""

import sys
from pathlib import Path

import numpy as np

import polympi as mpi


def couple(world: mpi.Communicator) -> None:
    """An ocean on rank 0 and an atmosphere on the others exchange their surface."""
    is_ocean = world.rank == 0
    component = world.split(0 if is_ocean else 1)
    with component.create_intercomm(0, world, remote_leader=1 if is_ocean else 0) as other:
        if is_ocean:
            surface = np.linspace(0, 1, 4 * other.remote_size).reshape(other.remote_size, 4)
            for rank, row in enumerate(surface):
                other.send(row, rank)
            assert other.gather(None, mpi.ROOT) == [row.sum() for row in surface]
        else:
            row = other.recv(0, into=np.empty(4))
            other.gather(row.sum(), root=0)
        assert other.allreduce(1) == other.remote_size
        with other.merge(high=is_ocean) as both:
            assert both.bcast("air" if both.rank == 0 else None) == "air"
    component.free()
    print(f"rank {world.rank} was coupled")


def manage(world: mpi.Communicator) -> None:
    """Start two ranks of this file, which run `work`, and give them something to do."""
    workers = mpi.spawn([sys.executable, Path(__file__).resolve(), "worker"], 2, comm=world)
    me = mpi.ROOT if world.rank == 0 else mpi.PROC_NULL
    workers.bcast([2, 3], me)
    if world.rank == 0:
        print("the workers computed", workers.gather(None, me))
    workers.disconnect()


def work(manager: mpi.Intercommunicator) -> None:
    """Raise this rank's number to the tenth power, on a rank that was spawned."""
    numbers = manager.bcast(root=0)
    manager.gather(numbers[mpi.world.rank] ** 10, root=0)
    manager.disconnect()


if __name__ == "__main__":
    if mpi.parent:
        work(mpi.parent)
    else:
        couple(mpi.world)
        manage(mpi.world)
