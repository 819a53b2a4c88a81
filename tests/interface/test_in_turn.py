"""Output in the order of ranks; the tests run on the ranks."""

import contextlib
import io
import logging

import pytest

import polympi as mpi

pytestmark = [pytest.mark.one_host, pytest.mark.usefixtures("polympi_env")]


@pytest.mark.polympi(ranks=4)
def test_ranks_take_turns_in_their_order() -> None:
    with mpi.world.dup() as other:
        for enter in (mpi.in_turn, mpi.world.in_turn):
            with enter():
                if mpi.world.rank > 0:
                    assert other.recv(mpi.world.rank - 1) == mpi.world.rank - 1  # it has been there
                if mpi.world.rank < mpi.world.size - 1:
                    other.send(mpi.world.rank, mpi.world.rank + 1)


@pytest.mark.polympi(ranks=4)
def test_an_exception_in_a_turn_lets_the_others_have_theirs() -> None:
    expected = pytest.raises(KeyError) if mpi.world.rank == 1 else contextlib.nullcontext()
    with expected, mpi.in_turn():
        {0: "north"}[0 if mpi.world.rank != 1 else 1]
    assert mpi.world.allreduce(1) == mpi.world.size


@pytest.mark.polympi(ranks=4)
def test_turns_on_part_of_the_ranks() -> None:
    half = mpi.world.split(mpi.world.rank % 2)
    with half.in_turn():
        assert half.size == 2
    half.free()


@pytest.mark.polympi(ranks=4)
def test_print_writes_in_the_order_of_ranks() -> None:
    file = io.StringIO()
    mpi.print("rank", mpi.world.rank, sep="-", file=file)
    mpi.print("x" * mpi.world.rank, end=".", file=file)
    expected = "rank-0\nrank-1\nrank-2\nrank-3\n.x.xx.xxx."
    assert file.getvalue() == (expected if mpi.world.rank == 0 else "")


@pytest.mark.polympi(ranks=2)
def test_log_lines_name_the_rank() -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logging.Formatter("%(rank)s/%(size)s %(message)s"))
    handler.addFilter(mpi.logging_filter())
    logger = logging.Logger("of a test")
    logger.addHandler(handler)
    logger.error("the mesh is coarse")
    assert stream.getvalue() == f"{mpi.world.rank}/2 the mesh is coarse\n"
