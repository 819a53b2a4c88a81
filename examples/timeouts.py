"""Time-outs: a call that waits in vain says who waited for whom, where, instead of hanging.

    mpiexec -n 2 python examples/timeouts.py

``timeout=`` is in seconds. ``POLYMPI_TIMEOUT=60 mpiexec ...`` gives one to all blocking calls of a program that sets
none.
"""

import time

import polympi as mpi


def main() -> None:
    """Rank 1 is late; rank 0 loses patience, does something else, and gets its message after all."""
    world = mpi.world
    if world.rank == 0:
        try:
            world.recv(source=1, tag=7, timeout=0.1)
        except mpi.Timeout as error:
            print(error)
            assert (error.operation, error.rank, error.peer, error.tag) == ("recv", 0, 1, 7)
            assert isinstance(error, TimeoutError)  # so that code that knows nothing of polympi catches it
        else:
            raise AssertionError("rank 1 came early")
        world.send("go on", dest=1)
        assert world.recv(source=1, tag=7, timeout=30) == "sorry"

        request = world.irecv(source=1)
        try:
            request.wait(timeout=0.1)
        except mpi.Timeout:
            print("the request goes on; wait again")
        world.send("now", dest=1)
        assert request.wait(timeout=30) == "at last"
    elif world.rank == 1:
        world.recv(source=0)
        world.send("sorry", dest=0, tag=7)
        world.recv(source=0)
        time.sleep(0.1)
        world.send("at last", dest=0)


if __name__ == "__main__":
    main()
