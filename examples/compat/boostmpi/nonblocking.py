"""Many messages at the same time: requests in a list, and the calls that wait for one, some or all of them.

    mpiexec -n 3 python -m polympi --as boostmpi examples/compat/boostmpi/nonblocking.py

wait_some moves what is complete to the end of the list, and says where that begins.
"""

import boostmpi as mpi

others = [rank for rank in range(mpi.size) if rank != mpi.rank]


def under_way(tag):
    """A message to and one from each other rank."""
    receives = mpi.RequestList(mpi.world.irecv(rank, tag) for rank in others)
    sends = mpi.RequestList(mpi.world.isend(rank, tag, {"from": mpi.rank}) for rank in others)
    return receives, sends


if others:
    # All: in the order of the list.
    got = []
    receives, sends = under_way(0)
    mpi.wait_all(receives, lambda value, status: got.append((status.source, value["from"])))
    mpi.wait_all(sends)
    assert got == [(rank, rank) for rank in others]

    # One after another, as they come.
    receives, sends = under_way(1)
    seen = set()
    while receives:
        value, status, index = mpi.wait_any(receives)
        assert value == {"from": status.source}
        seen.add(status.source)
        del receives[index]
    assert seen == set(others)

    # Some, of sends and receives: what is complete is at the end.
    got = []
    receives, sends = under_way(2)
    requests = mpi.RequestList([*receives, *sends])
    while requests:
        index = mpi.wait_some(requests, lambda value, _status: got.append(value))
        del requests[index:]
    assert got.count(None) == len(others)  # the value of a send
    assert sorted(value["from"] for value in got if value) == others

if mpi.rank == 0:
    print(f"rank 0 had messages of ranks {others} three times")
