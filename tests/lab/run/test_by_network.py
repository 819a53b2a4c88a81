"""Runs whose ranks share no memory, although they are on one host."""

import dataclasses
from pathlib import Path

import polars as pl
import pytest
from short_runs import SHORT, measured, short_request

from polympi.lab.records import USUAL_LAUNCHING, Launching
from polympi.lab.samples.store import RunDirectory
from polympi.lab.stacks.launching import asked_launching, started_by
from polympi.lab.stacks.stack import Stack

ONE_BLOCK = dataclasses.replace(SHORT, minimum_blocks=1, maximum_blocks=1, batch_ns=1e7)
SIZE = 65536

pytestmark = pytest.mark.exclusive


def _received_by_itself() -> int:
    """Bytes that this machine has sent to itself by its network."""
    return int(Path("/sys/class/net/lo/statistics/rx_bytes").read_text(encoding="ascii"))


def _shares_sent(path: Path, stack: Stack, launching: Launching) -> tuple[RunDirectory, float]:
    """A run of a ping-pong and a bcast, and how much went over the network, as a share of what was sent and timed."""
    started, benches = started_by(stack, launching, ()), ["latency/standard/bytes", "bcast/standard/bytes"]
    request = short_request(path, [started], ["polympi"], benches, sizes=[SIZE], profile=ONE_BLOCK, launching=launching)
    assert request.takes_network == launching.by_network
    assert dataclasses.replace(request, hostfile=path / "hosts").takes_network
    before = _received_by_itself()
    directory, outcome = measured(request)
    came = _received_by_itself() - before
    assert (outcome.ended, outcome.withdrawn) == ("complete", {})
    timed = directory.samples().collect().filter(pl.col("size_bytes") == SIZE)
    sent = SIZE * int(timed.group_by("launch", "benchmark", "kind").agg(pl.col("iterations").sum())["iterations"].sum())
    assert sent > 100 * SIZE
    return directory, came / sent


def test_messages_go_over_the_network_where_that_was_asked_for_and_only_there(tmp_path: Path, stack: Stack) -> None:
    directory, by_network = _shares_sent(tmp_path / "one", stack, asked_launching(None, None, (), by_network=True))
    assert by_network > 0.9
    assert directory.run().launching.by_network
    directory, in_memory = _shares_sent(tmp_path / "two", stack, USUAL_LAUNCHING)
    assert in_memory < 0.1
    assert not directory.run().launching.by_network
