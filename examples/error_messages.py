"""Mistakes are exceptions that say what happened, on which rank, and what to do; the job goes on or ends, never hangs.

    mpiexec -n 2 python examples/error_messages.py

An exception that nobody catches ends the whole job with one traceback, labelled with the rank: try it by taking away a
``try``.
"""

from collections.abc import Callable

import numpy as np

import polympi as mpi


def expect(kind: type[mpi.Error], call: Callable[[], object]) -> None:
    """Make a mistake, and print what is said of it."""
    try:
        call()
    except kind as error:
        print(f"{kind.__name__}: {error}")
        assert error.rank == mpi.world.rank
    else:
        raise AssertionError(f"no {kind.__name__}")


def main() -> None:
    """Rank 1 makes mistakes; each is found before or after a message has arrived, and harms no later message."""
    world = mpi.world
    if world.rank == 0:
        for _ in range(4):
            world.send(np.arange(10.0), dest=1)
    elif world.rank == 1:
        expect(mpi.RankError, lambda: world.send("hello", dest=world.size))
        expect(mpi.RankError, lambda: world.recv(source=-1))  # as `world.rank - 2` would be: no wildcard, as in C
        expect(mpi.TagError, lambda: world.send("hello", dest=0, tag=-5))
        expect(mpi.MismatchError, lambda: world.recv(source=0, into="text"))  # type: ignore[call-overload]
        expect(mpi.MismatchError, lambda: world.recv(source=0, into=np.empty(10, dtype=int)))
        expect(mpi.TruncationError, lambda: world.recv(source=0, into=np.empty(9)))
        assert np.array_equal(world.recv(source=0), np.arange(10.0))  # the fourth message, unharmed


if __name__ == "__main__":
    main()
