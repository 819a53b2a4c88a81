"""What communicators know of each other and of their host: ranks elsewhere, comparisons, names, attributes."""

import pytest
from rank_programs import PRELUDE, on_ranks

pytestmark = pytest.mark.sanitize

RELATIONS = {
    4: {
        "ranks in another communicator": """
turned = c.split(0, -rank)
assert turned.translate(range(size), c) == [3, 2, 1, 0] == c.translate(range(size), turned)
half = c.split(rank % 2)
assert half.translate([1, 0, 1], c) == [2 + rank % 2, rank % 2, 2 + rank % 2]
assert c.translate(np.arange(4), half) == ([0, None, 1, None] if rank % 2 == 0 else [None, 0, None, 1])
for wrong in -1, 4, mpi.PROC_NULL:
    with raises(mpi.RankError, f"translate(): ranks has {wrong}, but the ranks of this communicator are 0 to 3"):
        c.translate([0, wrong], half)
with raises(TypeError):
    c.translate(["0"], half)
""",
        "communicators are compared": """
turned, twin, half = c.split(0, -rank), c.dup(), c.split(rank % 2)
found = [c.compare(with_it) for with_it in (c, twin, turned, half)]
assert found == ["identical", "congruent", "similar", "unequal"], found
assert c == c and c != twin and len({c, twin, turned, half, c}) == 4
assert half.compare(c) == "unequal" and turned.compare(twin) == "similar"
cart = c.cart(ndim=2)
assert cart.compare(c) == "congruent"
""",
        "ranks of a host": """
with c.split_by_host() as near:
    assert type(near) is mpi.Communicator
    assert near.allgather(mpi.processor_name()) == near.size * [mpi.processor_name()]
    assert near.translate(range(near.size), c) == sorted(near.translate(range(near.size), c))
    assert c.allreduce(near.rank == 0) == len(set(c.allgather(core.machine())))
with c.cart(ndim=1).split_by_host() as near:
    assert type(near) is mpi.Communicator
""",
        "color none leaves a rank out": """
some = c.split(None if rank == 1 else 0)
assert (some is None) == (rank == 1)
if some:
    assert some.translate(range(some.size), c) == [0, 2, 3]
    some.free()
""",
    },
    2: {
        "a rank alone": """
alone = mpi.self_world
assert alone is mpi.self_world and (alone.rank, alone.size) == (0, 1)
assert alone.translate([0], c) == [rank] and alone.compare(c) == "unequal"
request = alone.irecv()
alone.send(np.arange(10**5), 0)
assert same(request.wait(), np.arange(10**5)) and alone.allreduce(rank) == rank
with alone.dup() as twin, alone.subset([0]) as again:
    assert twin.compare(alone) == again.compare(alone) == "congruent"
assert alone.raw.allreduce(np.ones(1), np.zeros(1)) == 1
in_turn()
""",
        "names": """
twin = c.dup()
assert (twin.name, type(mpi.processor_name())) == ("", str)
twin.name = f"äther {rank} " + 200 * "x"
assert twin.name == f"äther {rank} " + 200 * "x" and twin.dup().name == c.name == ""
with raises(TypeError):
    twin.name = 3
cart = c.cart(ndim=1)
cart.name = "mesh"
cart.attributes["of"] = "the mesh"
with cart.dup() as again:
    assert (again.name, again.attributes, again.dims) == ("", {}, cart.dims)
twin.free()
with raises(mpi.StateError, FREED):
    twin.name = "late"
""",
        "attributes die with their communicator": """
class Kept:
    pass
import weakref
twin = c.dup()
kept = Kept()
twin.attributes["cache"] = kept
twin.attributes[Kept] = twin  # a cycle
seen, other_side = weakref.ref(kept), twin.dup()
del kept
gc.collect()
assert twin.attributes["cache"] is seen() and other_side.attributes == c.attributes == {}
twin.free()
gc.collect()
assert seen() is None
with raises(mpi.StateError, FREED, "its attributes"):
    twin.attributes
kept = other_side.attributes["kept"] = Kept()
seen = weakref.ref(kept)
del kept, other_side
gc.collect()
assert seen() is None
with raises(AttributeError):
    c.attributes = {}
""",
        "a communicator that isn't freed keeps its attributes": """
twin = c.dup()
twin.attributes["kept"] = rank
request = twin.irecv(other)
with raises(mpi.StateError):
    twin.free()
assert twin.attributes == {"kept": rank}
assert request.cancel()
twin.free()
""",
    },
}


@on_ranks(RELATIONS)
def test_relations(run_in_job, stack, ranks: int, script: str) -> None:
    run_in_job(PRELUDE + "from polympi.native import core\n" + script, ranks, stack)


def test_the_name_of_the_processor_starts_this_rank_alone(run, stack) -> None:
    script = "import socket\nimport polympi as mpi\nassert socket.gethostname().startswith(mpi.processor_name()[:8])\n"
    assert run(script, 2, stack).succeeded() == ""
