"""The analytic model against times worked out by hand."""

import math
from dataclasses import replace

import msgspec
import pytest
from simulated import ROUND

from polympi.lab.projection.loggp import (
    ENVELOPE,
    Model,
    announcement_ns,
    binomial,
    bruck,
    doubling,
    halo,
    mesh,
    time_of,
)
from polympi.lab.projection.model import Line

HUNDRED = 100 - ENVELOPE  # bytes that keep the wire of ROUND busy for 100 ns


def time(pattern: str, ranks: int, size: int = HUNDRED, family: str = "mpich", cost: Line | None = None) -> float:
    found = time_of(Model(ROUND, ranks, cost or Line()), pattern, size, family)
    assert found is not None
    return found


def test_a_message_takes_both_ends_the_wire_and_the_latency() -> None:
    assert time("latency", 2) == 100 + 1000 + 100 + 200
    assert time("ring", 5) == 1400


def test_an_announcement_is_received_while_its_sender_makes_the_data() -> None:
    network = msgspec.structs.replace(ROUND, send=[(0, 100.0), (1000, 400.0)], receive=[(0, 250.0), (1000, 900.0)])
    assert announcement_ns(network, 0) == 100 + 150
    assert announcement_ns(network, 500) == 100
    assert announcement_ns(network, 1000) == 100


def test_a_cost_is_added_once_to_each_message_of_the_longest_way() -> None:
    cost = Line(per_call_ns=10.0, per_byte_ns=0.5)
    each = 10.0 + 0.5 * HUNDRED
    assert time("latency", 2, cost=cost) == 1400 + each
    assert time("bcast", 4, cost=cost) == pytest.approx(2 * (1400 + each))


@pytest.mark.parametrize("ranks", [2, 3, 4, 8, 9, 16])
def test_barriers_and_small_allreduces_take_a_round_for_each_doubling(ranks: int) -> None:
    rounds = math.ceil(math.log2(ranks))
    assert time("barrier", ranks, 0) == pytest.approx(rounds * (1300 + ENVELOPE))
    if ranks & (ranks - 1) == 0:
        assert time("allreduce", ranks, 8) == pytest.approx(rounds * (1308 + ENVELOPE))
        assert time("bcast", ranks) == pytest.approx(rounds * 1400)


def test_an_allreduce_of_many_elements_halves_and_doubles() -> None:
    # Four ranks: half of 1024 bytes, a quarter, and both back.
    assert time("allreduce", 4, 1024) == pytest.approx(4 * (1300 + ENVELOPE) + 2 * (512 + 256))
    assert time("allreduce", 4, 24) == pytest.approx(2 * (1324 + ENVELOPE))  # fewer elements than ranks
    assert time_of(Model(ROUND, 6), "allreduce", 1024, "mpich") is None


def test_large_alltoalls_take_as_long_as_their_wire_is_busy() -> None:
    # Three ranks alone on their nodes: two messages of 1024 ns leave each, 2 * 1024 + 1000, and both ends 300.
    assert time("alltoall", 3, 1024 - ENVELOPE) == 3348
    # Two ranks a node: each has one message within, and two to the other node, four over one wire.
    queued = msgspec.structs.replace(ROUND, ranks_per_node=2)
    found = time_of(Model(queued, 4), "alltoall", 1024 - ENVELOPE, "mpich")
    assert found == 4 * 1024 + 1000 + 300


def test_messages_of_a_node_wait_for_its_wire() -> None:
    queued = msgspec.structs.replace(ROUND, ranks_per_node=2, latency_ns=0.0, send=[], receive=[])
    # 0 and 1 send to 2 and 3 at the same moment, 500 ns of the wire each.
    model = replace(Model(queued, 4), message=Line())
    assert time_of(model, "wave-faces", 500 - ENVELOPE, "any") == 1000


def test_within_a_node_only_the_ends_take_time() -> None:
    node = msgspec.structs.replace(ROUND, ranks_per_node=4, node_send=[(0, 7.0)], node_receive=[(0, 5.0)])
    assert time_of(Model(node, 4), "latency", 10**6, "mpich") == 12


def test_other_families_and_large_reductions_have_no_schedule() -> None:
    assert time_of(Model(ROUND, 8), "bcast", 8, "openmpi") is None
    queued = msgspec.structs.replace(ROUND, ranks_per_node=2)
    assert time_of(Model(queued, 8), "allreduce", 65536, "mpich") is None
    assert time_of(Model(ROUND, 8), "ring", 8, "openmpi") == pytest.approx(1308 + ENVELOPE)


@pytest.mark.parametrize(
    ("ranks", "dimensions", "sizes"),
    [(64, 3, [4, 4, 4]), (1024, 3, [16, 8, 8]), (1024, 2, [32, 32]), (12, 2, [4, 3]), (7, 3, [7, 1, 1])],
)
def test_meshes_are_as_even_as_can_be(ranks: int, dimensions: int, sizes: list[int]) -> None:
    assert mesh(ranks, dimensions) == sizes
    own = halo(ranks, sizes, 8)
    inside = sum(2 * ranks * (n - 1) // n for n in sizes)  # of each axis, all but the faces at its ends
    assert len(own) == inside
    assert {(b, a) for a, b, _ in own} == {(a, b) for a, b, _ in own}


def test_trees_reach_each_rank_once_and_bruck_moves_all_blocks() -> None:
    reached = [receiver for messages in binomial(range(13), 8) for _, receiver, _ in messages]
    assert sorted(reached) == list(range(1, 13))
    assert doubling(range(6), 8) is None
    assert [len(messages) for messages in bruck(8, 4)] == [8, 8, 8]
    assert {m for messages in bruck(8, 4) for _, _, m in messages} == {16.0}
