"""Messages that do not fit into memory are found before any rank asks for it."""

import pytest

from polympi.lab.catalogue import WINDOW, Case
from polympi.lab.plan.memory import memory_bytes, without_room

GB = 10**9


@pytest.mark.parametrize(
    ("benchmark", "mode", "payload", "ranks", "messages"),
    [
        ("latency", "standard", "bytes", 2, 4),
        ("latency", "buffered", "bytes", 2, 4 + 8),
        ("stream", "standard", "bytes", 2, 2 * WINDOW),
        ("stream", "buffered", "bytes", 2, (2 + 8) * WINDOW),
        ("bibandwidth", "standard", "bytes", 2, 4 * WINDOW),
        ("allgather", "standard", "float64", 4, 4 * (1 + 4)),
        ("wave", "blocking", "problem", 4, 0),
    ],
)
def test_all_messages_that_lie_in_memory_count(benchmark, mode, payload, ranks, messages) -> None:
    assert memory_bytes(Case(benchmark, mode, payload, 1000), ranks) == 1000 * messages


def test_what_has_no_room_is_left_out_with_the_reason() -> None:
    cases = [Case("stream", "standard", "bytes", size) for size in (10**6, 10**8, 10**9)]
    found = without_room(cases, 2, 32 * GB)
    assert found == {cases[2]: "messages of 1.00 GB take 128 GB of memory, where 25.6 GB can be had"}
    assert without_room(cases, 2, 1000 * GB) == {}
