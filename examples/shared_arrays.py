"""An array that the ranks of a host share, and one leader per host that talks to the others.

    mpiexec -n 4 python examples/shared_arrays.py

A table that all ranks read is in the memory of each host once, instead of once per rank, and crosses the network once
per host.
"""

import numpy as np

import polympi as mpi

SIZE = 1000


def main() -> None:
    """Rank 0 makes a table, which each host gets once; then all ranks of a host fill an array together."""
    world = mpi.world
    with world.split_by_host() as host:
        leaders = world.split(0 if host.rank == 0 else None)  # one rank per host

        table = host.shared(SIZE)
        if leaders is not None:
            if leaders.rank == 0:
                table[:] = np.arange(SIZE) ** 2
            leaders.bcast(into=table)
        host.barrier()  # now the ranks of the host may read it
        assert table[10] == 100

        roots = host.shared((host.size, SIZE), np.float32)
        roots[host.rank] = np.sqrt(table) * (host.rank + 1)  # each rank its own row
        host.barrier()  # now the rows of the others are complete
        assert np.allclose(roots.sum(axis=0), np.arange(SIZE) * sum(range(host.size + 1)))

        if leaders is not None:
            total = leaders.allreduce(float(roots.sum()))
            if leaders.rank == 0:
                print(f"{world.size} ranks on {leaders.size} host(s) have summed {total:.6g}")
            leaders.free()


if __name__ == "__main__":
    main()
