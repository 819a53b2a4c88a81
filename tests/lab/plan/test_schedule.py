from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from polympi.lab.plan.schedule import block_order, case_order

names = st.lists(st.text("abcdefgh", min_size=1, max_size=3), min_size=1, max_size=8, unique=True)


@given(names, st.integers(0, 2**32), st.integers(0, 5))
def test_in_a_square_every_binding_stands_once_in_every_place(bindings: list[str], seed: int, square: int) -> None:
    n = len(bindings)
    rows = [block_order(bindings, square * n + row, seed, "s") for row in range(n)]
    for row in rows:
        assert sorted(row) == sorted(bindings)
    for place in range(n):
        assert sorted(row[place] for row in rows) == sorted(bindings)


def test_the_order_is_told_by_the_seed_alone() -> None:
    arms = ["c", "c-again", "mpi4py", "x"]
    assert [block_order(arms, b, 7, "mpich") for b in range(9)] == [block_order(arms, b, 7, "mpich") for b in range(9)]
    assert [block_order(arms, b, 7, "mpich") for b in range(9)] != [block_order(arms, b, 8, "mpich") for b in range(9)]
    assert [block_order(arms, b, 7, "mpich") for b in range(9)] != [block_order(arms, b, 7, "other") for b in range(9)]


def test_first_places_are_spread_over_the_arms() -> None:
    arms = ["c", "c-again", "mpi4py"]
    first = Counter(block_order(arms, block, 1, "s")[0] for block in range(300))
    assert set(first.values()) == {100}


def test_cases_are_shuffled_anew_in_each_block() -> None:
    cases = list(range(50))
    orders = [case_order(cases, block, 3, "s") for block in range(5)]
    assert all(sorted(order) == cases for order in orders)
    assert len({tuple(order) for order in orders}) == 5
    assert case_order(cases, 2, 3, "s") == orders[2]
