"""The pieces of collectives that differ in size, as the Python harness lays them out."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "bindings" / "harness" / "python"))

from arena import Arena
from buffers import MessageBuffers
from pieces import traffic
from plan import Case


@pytest.mark.parametrize(
    ("benchmark", "rank", "outgoing", "incoming"),
    [
        ("gatherv", 0, [2], [2, 6, 10]),
        ("gatherv", 2, [10], []),
        ("scatterv", 0, [2, 6, 10], [2]),
        ("allgatherv", 1, [6], [2, 6, 10]),
        ("alltoallv", 1, [6, 10, 2], [6, 10, 2]),
    ],
)
def test_uneven_pieces_of_three_ranks_have_one_three_and_five_thirds_of_the_elements(
    benchmark: str, rank: int, outgoing: list[int], incoming: list[int]
) -> None:
    case = Case(3, benchmark, "standard", "float64", 48, warmup=2, batches=3, iterations=4, events=5)
    view = traffic(case, rank, 3, 1)
    buffers = MessageBuffers(case, view, Arena(MessageBuffers.space(case, view)))
    assert (buffers.outgoing_counts, buffers.incoming_counts) == (outgoing, incoming)
    assert [len(buffer) for buffer in buffers.outgoing] == [sum(outgoing)]
