"""Subsets: communicators that only their members make; groups are ordinary sequences of ranks.

    mpiexec -n 4 python examples/subsets.py

``split`` is a call of all ranks. ``subset`` is one of the members alone, so the others may compute meanwhile, or make a
subset of their own.
"""

import polympi as mpi


def main() -> None:
    """Rank 0 manages and the others work; then even and odd ranks each make a communicator without the others."""
    world = mpi.world
    workers = range(1, world.size)
    if world.rank in workers:
        with world.subset(workers) as team:
            team.name = "workers"
            assert team.allreduce(1) == len(workers)
            assert team.translate(range(team.size), world) == list(workers)
            print(f"rank {world.rank} of the world is rank {team.rank} of the {team.name}")

    parity = world.rank % 2
    with world.subset([rank for rank in range(world.size) if rank % 2 == parity]) as alike:
        alike.attributes["parity"] = parity  # kept with the communicator, on this rank
        assert alike.compare(world) == ("congruent" if world.size == 1 else "unequal")
        assert alike.allgather(world.rank % 2) == [alike.attributes["parity"]] * alike.size

    with world.split_by_host() as near:
        lines = near.gather(f"rank {world.rank}")
        assert near.size == world.allgather(mpi.processor_name()).count(mpi.processor_name())
        if lines is not None:
            print(f"on {mpi.processor_name()}: {', '.join(lines)}")

    assert mpi.self_world.allreduce(world.rank) == world.rank  # of this rank alone


if __name__ == "__main__":
    main()
