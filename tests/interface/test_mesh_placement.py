"""Meshes whose ranks are given other places, so that neighbours share a machine."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as some
from rank_programs import PRELUDE

from polympi.mesh import PROC_NULL, Mesh
from polympi.placement import crossings, placed


def counted(cells: Mesh, machine: list[int]) -> int:
    """Crossings by the neighbours of each cell: each pair is seen from both ends."""
    ways = [machine[a] != machine[b] for a in range(cells.size) for b in cells.neighbors(a) if b != PROC_NULL]
    assert sum(ways) % 2 == 0
    return sum(ways) // 2


meshes = some.lists(some.tuples(some.integers(1, 4), some.booleans()), max_size=3).map(
    lambda axes: Mesh([extent for extent, _ in axes], [periodic for _, periodic in axes])
)


@given(meshes, some.data())
def test_no_more_neighbours_are_apart_than_before(cells: Mesh, data: some.DataObject) -> None:
    machines = data.draw(some.lists(some.integers(0, 3), min_size=cells.size, max_size=cells.size + 3))
    ranks = placed(cells, machines)
    assert sorted(ranks) == list(range(cells.size))
    before, after = (crossings(cells, [machines[rank] for rank in order]) for order in (range(cells.size), ranks))
    assert after <= before
    assert ranks == list(range(cells.size)) or after < before  # ranks stay where nothing is gained
    assert after == counted(cells, [machines[rank] for rank in ranks])


@pytest.mark.parametrize("dims", [(2, 2), (3, 2), (2, 4), (2, 2, 2)])
@pytest.mark.parametrize("in_turn", [True, False], ids=["in turn", "in blocks"])
def test_two_machines_have_as_few_neighbours_apart_as_is_possible(dims: tuple[int, ...], in_turn: bool) -> None:
    cells = Mesh(dims, [False] * len(dims))
    machines = [rank % 2 if in_turn else 2 * rank // cells.size for rank in range(cells.size)]
    best = min(
        crossings(cells, [cell not in half for cell in range(cells.size)])
        for half in itertools.combinations(range(cells.size), cells.size // 2)
    )
    assert crossings(cells, [machines[rank] for rank in placed(cells, machines)]) == best


@pytest.mark.parametrize("machines", [4, 16])
def test_ranks_of_many_machines_are_in_squares(machines: int) -> None:
    edge = 8
    cells = Mesh((edge, edge), (False, False))
    ranks = placed(cells, [rank % machines for rank in range(cells.size)])
    squares = math.isqrt(machines)
    assert crossings(cells, [rank % machines for rank in ranks]) == 2 * edge * (squares - 1)


def test_ranks_on_several_machines_are_reordered(run_in_job, stack) -> None:
    script = """
machine = [0, 1, 0, 1, 1][rank]
with c.cart((2, 2), reorder=True) or contextlib.nullcontext() as cart:  # in any order two neighbours are apart
    assert (cart is None) == (rank == 4)  # the last rank is left over
    assert cart is None or cart.rank == rank
moved = c.cart((4, 1), reorder=True)
assert (moved is None) == (rank == 4)
if moved:
    assert moved.allgather((rank, machine)) == [(0, 0), (2, 0), (1, 1), (3, 1)]
    assert moved.coords == moved.coords_of(moved.rank) == (moved.rank, 0)
    assert moved.neighbor_allgather(moved.rank) == [None if n == mpi.PROC_NULL else n for n in moved.sources]
    whole = moved.gather_blocks(np.full((2, 3), moved.rank))
    assert whole is None or whole[:, 0].tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    moved.free()
chain = c.cart((5,), reorder=True)
assert chain.allgather(machine) == [0, 0, 1, 1, 1]
chain.free()
with raises(mpi.MismatchError, "gives (("):
    c.cart((5,), reorder=rank == 1)
"""
    run_in_job(PRELUDE + script, 5, stack, env={"MACHINES": "0 1 0 1 1", "POLYMPI_MAILBOXES": "0"})


def test_ranks_of_one_machine_stay_in_order(run_in_job, stack) -> None:
    script = """
with c.cart((2, 2), reorder=True) as cart:
    assert cart.rank == rank
"""
    run_in_job(PRELUDE + script, 4, stack)
