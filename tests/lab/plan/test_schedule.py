from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polympi.lab.plan.schedule import block_order, case_order, joint_order, stack_order, williams_squares

names = st.lists(st.text("abcdefgh", min_size=1, max_size=3), min_size=1, max_size=8, unique=True)


@given(names, st.integers(0, 2**32), st.integers(0, 5))
def test_in_a_square_every_binding_stands_once_in_every_place(bindings: list[str], seed: int, square: int) -> None:
    n = len(bindings)
    rows = [block_order(bindings, square * n + row, seed, "s") for row in range(n)]
    for row in rows:
        assert sorted(row) == sorted(bindings)
    for place in range(n):
        assert sorted(row[place] for row in rows) == sorted(bindings)


def predecessors(rows: list[list[str]]) -> Counter[tuple[str, str]]:
    return Counter(pair for row in rows for pair in pairwise(row))


@pytest.mark.parametrize("count", range(1, 14))
def test_in_a_design_every_arm_follows_every_other_equally_often(count: int) -> None:
    arms = [str(number) for number in range(count)]
    blocks = count * len(williams_squares(count))
    assert blocks == (2 * count if count % 2 and count > 1 else count)
    for design in (0, 3):
        rows = [block_order(arms, design * blocks + row, 11, "s") for row in range(blocks)]
        found = predecessors(rows)
        assert len(found) == count * (count - 1)
        assert set(found.values()) <= {blocks // count}


@given(st.integers(0, 2**32))
def test_in_nine_blocks_of_ten_arms_no_arm_follows_the_same_one_twice(seed: int) -> None:
    arms = ["c", "c-again", *(f"binding-{number}" for number in range(8))]
    assert set(predecessors([block_order(arms, block, seed, "s") for block in range(9)]).values()) == {1}


@given(st.integers(0, 2**32), st.sampled_from([3, 5, 7, 9, 11]))
def test_in_as_many_blocks_as_an_odd_number_of_arms_no_arm_follows_the_same_one_thrice(seed: int, count: int) -> None:
    arms = [str(number) for number in range(count)]
    found = predecessors([block_order(arms, block, seed, "s") for block in range(count)])
    assert max(found.values()) == 2


def test_names_and_rows_are_drawn_anew_for_each_design() -> None:
    arms = [str(number) for number in range(6)]
    designs = [tuple(tuple(block_order(arms, 6 * d + row, 1, "s")) for row in range(6)) for d in range(20)]
    assert len(set(designs)) == 20


def test_the_order_is_determined_by_the_seed_alone() -> None:
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


def test_with_several_ranks_none_always_comes_first() -> None:
    stacks = ["1 rank", "2 ranks", "4 ranks"]
    orders = [stack_order(stacks, block, 7) for block in range(60)]
    assert all(sorted(order) == stacks for order in orders)
    assert min(Counter(order[0] for order in orders).values()) >= 8
    assert orders == [stack_order(stacks, block, 7) for block in range(60)]


def test_the_arms_of_several_stacks_are_interleaved_and_each_follows_each_other_equally_often() -> None:
    arms = {"mpich": ["c", "c-again", "mpi4py"], "mpich, off": ["c", "c-again", "mpi4py"]}
    every = [(stack, arm) for stack, own in arms.items() for arm in own]
    orders = [joint_order(arms, block, 7) for block in range(6)]
    assert all(sorted(order) == every for order in orders)
    follows = Counter(pair for order in orders for pair in pairwise(order))
    assert set(follows.values()) == {1}
    assert len(follows) == 6 * 5
    assert all(len({order[place] for order in orders}) == 6 for place in range(6))
    assert orders == [joint_order(arms, block, 7) for block in range(6)]
    assert orders != [joint_order(arms, block, 8) for block in range(6)]
