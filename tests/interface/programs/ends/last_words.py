"""Code that runs last communicates.

Handlers that were registered before MPI was started run after polympi's own; destructors after those.
"""

import atexit
import sys


def exchange(say: str) -> None:
    import polympi as mpi

    c = mpi.world
    assert c.sendrecv(c.rank, 1 - c.rank, 5, 1 - c.rank, 5) == 1 - c.rank
    c.isend("large" * 10**5, 1 - c.rank, 6)
    assert len(c.recv(1 - c.rank, 6)) == 5 * 10**5
    assert c.allreduce(1) == 2
    print(say)


atexit.register(exchange, "first")
import polympi as mpi

mpi.world.barrier()
atexit.register(exchange, "last")


class Last:
    def __init__(self) -> None:
        self.world, self.exchange, self.print = mpi.world, exchange, print

    def __del__(self) -> None:
        other = 1 - self.world.rank
        assert self.world.sendrecv([1.5], other, 8, other, 8) == [1.5]
        try:
            self.world.recv(5, 5)
        except ValueError as error:
            self.print(type(error).__name__)


last = Last()
sys.modules["kept until the modules go"] = last
del last
