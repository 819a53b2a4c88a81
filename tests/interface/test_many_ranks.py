"""Many more ranks than processors: all calls give what they give on two, and end in time."""

import pytest
from sharing import patience_of_many

pytestmark = [pytest.mark.slow, pytest.mark.exclusive]


def run_many(run, ranks: int, stack, timeout: float, env: dict[str, str]) -> None:
    # An array library of one thread a rank: 64 ranks that all start one for each processor start slowly.
    env = {"OPENBLAS_NUM_THREADS": "1", **env}
    ended = run("many.py", ranks, stack, timeout=timeout, env=env)
    assert ended.succeeded().count("done") == ranks, str(ended)


@pytest.mark.parametrize("ranks", [8, 33])
def test_every_call_on_many_ranks(run, stack, ranks: int) -> None:
    run_many(run, ranks, stack, timeout=90, env=patience_of_many())


def test_every_call_on_64_ranks(run, stack) -> None:
    """As a user's ranks, these only yield while they wait."""
    run_many(run, 64, stack, timeout=240, env={})


MANY = 256
# What a rank remembers of another in a communicator: the counters of two boxes, where they are, and its desk.
OF_A_PEER = 64
# A box of 4 KiB with its head, for each rank that a tree or the rounds of doubling lead to, and a desk, in pages.
BOXES = 2 * (MANY - 1).bit_length() * (4096 + 64) + 2 * 4096


# About what polympi takes; benchmarks/many_ranks.py measures it on both libraries.
@pytest.mark.parametrize("stack", ["mpich"], indirect=True)
def test_256_ranks_start_and_what_each_takes_for_the_others_is_little(run, stack) -> None:
    """The bounds are passed where memory for each peer grows tenfold; what libraries take is within them."""
    ended = run("many_start.py", MANY, stack, timeout=240, env=patience_of_many())
    lines = ended.succeeded().splitlines()
    assert lines.count("done") == MANY, str(ended)
    line = next(line for line in lines if line.startswith("figures"))
    of_world, of_communicator, shared = map(int, line.split()[1:])
    assert of_communicator < 3 * OF_A_PEER * MANY, line
    assert of_world < 3 * OF_A_PEER * MANY + 64 * 1024, line  # with packets and inboxes, whatever the number of ranks
    assert 0 < shared < BOXES, line
