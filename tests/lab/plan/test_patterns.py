"""Patterns of cases."""

import pytest

from polympi.lab.plan.patterns import fits


@pytest.mark.parametrize(
    ("pattern", "benchmark", "mode", "payload", "expected"),
    [
        ("latency", "latency", "ready", "dict", True),
        ("lat*", "latency", "ready", "dict", True),
        ("latency", "bcast", "standard", "bytes", False),
        ("latency/ready", "latency", "ready", "dict", True),
        ("latency/ready", "latency", "ready-persistent", "dict", False),
        ("latency/ready*", "latency", "ready-persistent", "dict", True),
        ("latency/ready*/bytes", "latency", "ready-persistent", "dict", False),
        ("*/standard/bytes", "bcast", "standard", "bytes", True),
        ("LATENCY", "latency", "standard", "bytes", False),
    ],
)
def test_a_pattern_fits(pattern: str, benchmark: str, mode: str, payload: str, expected: bool) -> None:
    assert fits(pattern, benchmark, mode, payload) is expected
