"""Ranks that name their neighbours, and what these give one another."""

from rank_programs import PRELUDE


def test_neighbours_of_a_graph_give_one_another_objects(run_in_job, stack) -> None:
    script = """
# a ring, one way
with c.graph([(rank - 1) % size], [(rank + 1) % size]) as ring:
    assert type(ring) is mpi.Graph and repr(ring) == f"<Graph, rank {rank} of {size}>"
    assert (ring.sources, ring.destinations) == (((rank - 1) % size,), ((rank + 1) % size,))
    assert ring.neighbor_allgather(rank) == [(rank - 1) % size]
    request = ring.irecv()  # of the program: with any source and tag
    big = ring.neighbor_alltoall([{"from": rank, "data": np.full(50_000, rank)}])
    assert same(big, [{"from": (rank - 1) % size, "data": np.full(50_000, (rank - 1) % size)}])
    ring.send("mine", rank)
    assert request.wait() == "mine"
    with ring.dup() as twin, ring.split(0) as plain:
        assert (type(twin), twin.sources) == (mpi.Graph, ring.sources)
        assert twin.neighbor_allgather("x") == ["x"]
        assert type(plain) is mpi.Communicator
assert repr(ring) == "<Graph, freed>"
for call in ring.free, ring.dup, lambda: ring.neighbor_allgather(1):
    with raises(mpi.StateError, FREED):
        call()
# a star, and ranks without neighbours
others = [r for r in range(size - 1) if r]
with c.graph(others if rank == 0 else [], [0] if rank in others else []) as star:
    assert star.neighbor_allgather(rank) == (others if rank == 0 else [])
    assert star.neighbor_alltoall(["to 0"] if rank in others else []) == (["to 0"] * len(others) if rank == 0 else [])
# any edges, several times, from a rank to itself, and in any order: against MPI's rule, that messages of a rank to
# another match in the order in which they are named
random.seed(11)
for case in range(15):
    edges = [(random.randrange(size), random.randrange(size)) for _ in range(random.randrange(20))]
    dests = [[d for s, d in edges if s == r] for r in range(size)]
    sources = [[s for s, d in edges if d == r] for r in range(size)]
    for of_rank in sources + dests:
        random.shuffle(of_rank)
    with c.graph(sources[rank], tuple(dests[rank])) as graph:
        expected, used = [], {}
        for s in sources[rank]:
            place = [place for place, d in enumerate(dests[s]) if d == rank][used.get(s, 0)]
            used[s] = used.get(s, 0) + 1
            expected.append((s, place))
        assert graph.neighbor_alltoall([(rank, place) for place in range(len(dests[rank]))]) == expected
        assert graph.neighbor_allgather(rank) == sources[rank]
"""
    run_in_job(PRELUDE + script, 5, stack)


def test_edges_that_one_side_names_are_refused_on_all_ranks(run_in_job, stack, mailboxes) -> None:
    script = """
def refused(sources, destinations, *words, kind=mpi.MismatchError):
    comm = c.dup()
    with raises(kind, *words):
        comm.graph(sources, destinations)
    assert comm.allreduce(1) == size
    comm.free()
here = f"rank {rank}, graph(): "
refused([], [2] if rank == 1 else [], here,
        "rank 1 names rank 2 as a destination once, but rank 2 names rank 1 as a source not at all")
refused([1, 1] if rank == 2 else [], [2] if rank == 1 else [], here,
        "once, but rank 2 names rank 1 as a source 2 times")
refused([rank], [], f"rank 0 names rank 0 as a destination not at all, but rank 0 names rank 0 as a source once")
refused([], [size if rank == 0 else 0], "rank 3 is among the destinations, but there are ranks 0 to 2 only" if rank == 0
        else f"{here}rank 0 has failed: RankError: ", kind=mpi.MismatchError if rank else mpi.RankError)
refused([mpi.PROC_NULL], [], "rank -102 is among the sources", kind=mpi.RankError)
refused(3, [], "sources must be a list of ranks, not 3", kind=TypeError)
refused([], ["0"], "destinations must be a list of ranks", kind=TypeError)
"""
    run_in_job(PRELUDE + script, 3, stack, env=mailboxes)


def test_mistakes_and_late_ranks_do_not_keep_neighbours_waiting(run_in_job, stack) -> None:
    script = """
with c.graph([other, other, rank], [other, rank, other]) as graph:
    right = [(other, 0), (other, 2), (rank, 1)]
    mine = [(rank, 0), (rank, 1), (rank, 2)]
    with raises(mpi.Error if rank else mpi.MismatchError,
                "rank 0 could not send its part: MismatchError: " if rank else "there are 1 pieces for 3 destinations"):
        graph.neighbor_alltoall(mine if rank else [1])
    assert graph.neighbor_alltoall(mine) == right
    with raises(mpi.MismatchError, f"neighbor_{'alltoall' if rank else 'allgather'}(): rank {other} called",
                rank=rank, peer=other):
        graph.neighbor_alltoall(mine) if rank else graph.neighbor_allgather(1)
    assert graph.neighbor_alltoall(mine) == right
    if rank:
        with raises(mpi.Timeout, "rank 1 waited 0.05 s for rank 0 in neighbor_alltoall() at "):
            graph.neighbor_alltoall(["old"] * 3, timeout=0.05)
        c.send(None, 0)
    else:
        c.recv(1)
        assert graph.neighbor_alltoall(mine) == ["old", "old", (0, 1)]
    assert graph.neighbor_alltoall(mine) == right
"""
    run_in_job(PRELUDE + script, 2, stack)
