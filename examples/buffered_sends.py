"""Buffered sends: they return at once, whatever the receiver does, since the message is copied into room you attach.

    mpiexec -n 2 python examples/buffered_sends.py

Two ranks that both send a large message first, and receive then, wait for each other for ever: a large ``send`` returns
when the receiver has come. ``sendrecv`` is the remedy where a message comes back; ``bsend`` is one everywhere.
"""

import numpy as np

import polympi as mpi


def main() -> None:
    """Every rank sends to the next one before it receives from the one before."""
    world = mpi.world
    right, left = (world.rank + 1) % world.size, (world.rank - 1) % world.size
    mine = np.full(1_000_000, float(world.rank))

    with mpi.buffer_attach(mine.nbytes):  # room for all messages in flight; at the end of `with` all are received
        world.bsend(mine, dest=right)
        mine[:] = -1  # what was sent is a copy
        try:
            world.bsend(np.zeros(2 * mine.size), dest=right)
        except mpi.NoBufferError as error:
            print(error)
        else:
            raise AssertionError("there was room for more than was attached")
        received = world.recv(source=left)

    print(f"rank {world.rank}: {received.size} elements of {received[0]:g} from rank {left}")
    assert np.array_equal(received, np.full(1_000_000, float(left)))


if __name__ == "__main__":
    main()
