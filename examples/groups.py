"""Groups: communicators of some of the ranks, with their own ranks and messages.

    mpiexec -n 4 python examples/groups.py

``split`` puts ranks that give the same color together; ``dup`` makes a second communicator of the same ranks, so that a
library's messages cannot be taken for those of the program that uses it.
"""

import polympi as mpi


def main() -> None:
    """Even and odd ranks form a group each, in which the highest rank comes first; rank 0 then stays alone."""
    world = mpi.world
    with world.split(color=world.rank % 2, key=-world.rank) as group:  # freed at the end of `with`, on all ranks
        members = group.allgather(world.rank)
        print(f"rank {world.rank} of the world is rank {group.rank} of {group.size}: {members}")
        assert members == sorted((r for r in range(world.size) if r % 2 == world.rank % 2), reverse=True)
        assert members[group.rank] == world.rank

    workers = world.split(color=None if world.rank == 0 else 0)
    if workers is None:
        assert world.rank == 0
    else:
        assert workers.bcast(world.rank, root=0) == 1  # rank 0 of the workers is rank 1 of the world
        workers.free()

    with world.dup() as library:
        request = library.irecv(source=world.rank)  # matches nothing that is sent through `world`
        world.sendrecv("of the program", dest=world.rank, source=world.rank)
        library.send("of the library", dest=world.rank)
        assert request.wait() == "of the library"


if __name__ == "__main__":
    main()
