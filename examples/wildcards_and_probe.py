"""Receive whichever message arrives first, and look at a message before receiving it.

    mpiexec -n 3 python examples/wildcards_and_probe.py

Rank 0 hands out work, and gives the next piece to whichever rank has finished one: ranks of different speed are busy
all the time. Messages between two ranks with the same tag arrive in the order they were sent in, whatever they hold.
"""

import polympi as mpi

WORK, STOP = 1, 2  # tags
NUMBERS = range(10)


def work(world: mpi.Communicator) -> None:
    """Square what arrives, until the stop message; the tag says which it is."""
    while world.probe(source=0).tag == WORK:  # what is waiting? It stays there until it is received
        number = world.recv(source=0, tag=WORK)
        world.send((number, number**2), dest=0)
    world.recv(source=0, tag=STOP)


def hand_out(world: mpi.Communicator) -> dict[int, int]:
    """Keep all other ranks busy; the squares by number."""
    left = iter(NUMBERS)
    squares: dict[int, int] = {}

    def give(rank: int) -> None:
        number = next(left, None)
        world.send(number, dest=rank, tag=STOP if number is None else WORK)

    for rank in range(1, world.size):
        give(rank)
    while len(squares) < len(NUMBERS):
        (number, square), status = world.recv(source=mpi.ANY_SOURCE, status=True)
        print(f"rank 0: {number}**2 = {square}, from rank {status.source}")
        squares[number] = square
        give(status.source)
    return squares


def main() -> None:
    """Rank 0 is the manager, all others work."""
    world = mpi.world
    if world.rank > 0:
        work(world)
    else:
        assert hand_out(world) == {number: number**2 for number in NUMBERS}
        assert world.iprobe() is None  # nothing is left over


if __name__ == "__main__":
    main()
