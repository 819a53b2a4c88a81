"""A message there and back: what send and receive are, and how one program is two ranks.

    mpiexec -n 2 python examples/ping_pong.py

Every rank runs this same program; ``world.rank`` tells them apart. Nothing has to be started or ended by hand: the
first use of ``mpi.world`` starts MPI, the end of the program ends it.
"""

import polympi as mpi


def main() -> None:
    """Rank 0 serves, rank 1 returns; further ranks watch."""
    world = mpi.world
    if world.rank == 0:
        world.send("ping", dest=1)
        answer = world.recv(source=1)
        print(f"rank 0 of {world.size}: sent 'ping', got {answer!r}")
        assert answer == "ping pong"
    elif world.rank == 1:
        ball = world.recv(source=0)
        world.send(ball + " pong", dest=0)


if __name__ == "__main__":
    main()
