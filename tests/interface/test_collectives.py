"""Calls of all ranks together, on both stacks and several numbers of ranks.

What is checked is in programs/: each runs many checks in one launch, since starting MPI takes longer than they do.
"""

import pytest

pytestmark = pytest.mark.sanitize


def run_program(run_in_job, name: str, ranks: int, stack, **variables: str) -> None:
    """Run a program, all of whose ranks must come to its end."""
    assert run_in_job(f"{name}.py", ranks, stack, env=variables).count("done") == ranks


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_pieces_reach_their_ranks(run_in_job, stack, ranks: int) -> None:
    run_program(run_in_job, "pieces", ranks, stack)


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_reductions_give_what_python_and_numpy_give(run_in_job, stack, ranks: int) -> None:
    run_program(run_in_job, "reductions", ranks, stack)


def test_a_rank_that_waits_can_be_reached(run_in_job, stack) -> None:
    run_program(run_in_job, "waiting", 2, stack)


@pytest.mark.parametrize("program", ["pieces", "reductions", "waiting"])
def test_ranks_that_share_no_memory_do_the_same(run_in_job, stack, program: str) -> None:
    run_program(run_in_job, program, 3, stack, POLYMPI_MAILBOXES="0")
