"""A row of the catalogue that the harnesses cannot serve is refused with the reason."""

from __future__ import annotations

import re
import sys
from typing import Any

import msgspec
import pytest
from c_program import HARNESS

from polympi.lab.catalogue import BENCHMARKS, MEASURED

sys.path.insert(0, str(HARNESS.parent))

from served import MOST_BENCHMARKS, mistakes

FAULTY: list[tuple[str, dict[str, Any], str]] = [
    ("alltoall", {"apiece": False}, r"sends \[all, all\]; messages from 'each' take \[one, one\]"),
    ("allgather", {"gets": ("one", "one")}, r"gets \[one, one\]; .* take \[all, all\] or \[all, none\]"),
    ("bcast", {"gets": ("one", "one")}, r"gets \[one, one\]; messages from 'root' take \[none, one\]"),
    ("scatter", {"sends": ("one", "none")}, r"sends \[one, none\]; messages from 'root' apiece take \[all, none\]"),
    ("allreduce", {"apiece": True}, r"sends \[one, one\]; messages from 'sum' apiece take \[all, all\]"),
    ("allreduce", {"payloads": ("float64", "dict")}, "sums the payload 'dict'"),
    ("alltoall", {"origin": "neighbors"}, r"sends \[all, all\]; messages from 'neighbors' apiece take \[2, 2\]"),
    ("alltoall", {"origin": "peer"}, "messages come from root, each, sum or neighbors, not from peer"),
    ("alltoall", {"shape": "face"}, "has the shape 'face', which only messages of a pair have"),
    ("alltoall", {"modes": ("standard", "hurried")}, "only mode is standard"),
    ("barrier", {"sends": ("one", "one")}, "sends nothing, so 'sends' and 'gets' are none"),
    ("barrier", {"nonblocking": True}, "is 'nonblocking', which only collectives with messages are"),
    ("latency", {"nonblocking": True}, "is 'nonblocking'"),
    ("latency", {"basic": ("hurried",)}, "has no mode 'hurried', which 'basic' names"),
    ("latency", {"origin": "root"}, "come from the peer, not from root"),
    ("bandwidth", {"gets": ("window", "none")}, "what one rank sends the other gets"),
    ("bandwidth", {"apiece": True}, "only collectives have messages 'apiece'"),
    ("bandwidth", {"sends": ("all", "none")}, "only collectives have a message for all ranks"),
    ("faces", {"payloads": ("bytes",)}, "its only payload is float64"),
    ("faces", {"sends": ("window", "window"), "gets": ("window", "window")}, "each of the two ranks sends one"),
    ("halo", {"sends": (1, 1), "gets": (1, 1)}, "each of the two ranks sends 6"),
    ("bcast", {"kind": "joint"}, "is joint, but its ranks may run ahead of each other"),
    ("reduce", {"kind": "joint"}, "is joint, but its ranks may run ahead of each other"),
    ("allgather", {"kind": "rooted"}, "is rooted, but its ranks wait for each other"),
    ("neighbor-alltoall", {"kind": "rooted"}, "is rooted, but its ranks wait for each other"),
    ("ring", {"gets": ("none", "one")}, "one message of the root goes through all ranks"),
    ("put", {"sends": ("one", "one"), "gets": ("one", "one")}, "is 'one_sided': rank 0 sends or gets"),
    ("latency", {"origin": "sum"}, "come from the peer, not from sum"),
    ("allreduce", {"uneven": True}, "is 'uneven', which only collectives with a message of or for each rank are"),
    ("bcast", {"creates": True}, "makes a communicator, so it is a collective whose only payload is none"),
    ("shared", {"gets": (2, 2)}, "goes through memory: each rank sends one message"),
    ("shared", {"kind": "rooted"}, "goes through memory, so it is joint, not rooted"),
    ("write-at", {"kind": "joint"}, "goes through file, so it is rooted, not joint"),
    ("wave", {"origin": "peer"}, "computes, so 'sends' and 'gets' are none"),
]


def test_the_rows_of_the_catalogue_are_served() -> None:
    assert mistakes(MEASURED) == []


@pytest.mark.parametrize(("name", "wrong", "reason"), FAULTY)
def test_a_row_that_cannot_be_served_is_refused_with_the_reason(name: str, wrong: dict[str, Any], reason: str) -> None:
    found = mistakes([msgspec.structs.replace(BENCHMARKS[name], **wrong)])
    assert all(sentence.startswith(f"The benchmark '{name}' ") for sentence in found)
    assert any(re.search(reason, sentence) for sentence in found), found


def test_more_benchmarks_than_the_mask_has_bits_are_refused() -> None:
    many = [msgspec.structs.replace(BENCHMARKS["alltoall"], name=f"alltoall-{i}") for i in range(MOST_BENCHMARKS + 1)]
    assert mistakes(many[1:]) == []
    assert mistakes(many) == ["The catalogue has 64 benchmarks, and the harness in C has room for 63."]
