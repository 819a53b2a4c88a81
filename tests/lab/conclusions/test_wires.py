"""A run over hosts whose messages did not take the network says so among what went wrong."""

from dataclasses import replace

import msgspec
import pytest
from synthetic import make_run

from polympi.lab.conclusions.answers import answers
from polympi.lab.conclusions.wires import not_over_the_network
from polympi.lab.records import Level, RankPlace
from polympi.lab.statistics.analysis import analyse

TOGETHER = [RankPlace(host="t-1", cpus="0-1")] * 2
APART = [RankPlace(host="t-1", cpus="0-1"), RankPlace(host="t-2", cpus="0-1")]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    cases = [("barrier", "standard", "none", 0)]
    return analyse(make_run(tmp_path_factory.mktemp("run") / "run", cases=cases, events=0, hostfile="/hosts"))


def on_hosts(run, places, *, sent=None, placement=""):
    """The run with its ranks at these places, whose wires have sent so many bytes each."""
    launches = [msgspec.structs.replace(one, places=places) for one in run.launches]
    stacks = [msgspec.structs.replace(one, level=placement) for one in run.run.stacks]
    levels = [Level(factor="placement", name=placement, placement=placement)] if placement else []
    return replace(
        run,
        run=msgspec.structs.replace(run.run, stacks=stacks, levels=levels),
        launches=launches,
        outcome=msgspec.structs.replace(run.outcome, sent_bytes={"t-1": sent, "t-2": sent} if sent is not None else {}),
    )


def test_ranks_that_stayed_on_one_host_are_reported(run) -> None:
    stayed = on_hosts(run, TOGETHER, sent=0)
    [text] = not_over_the_network(stayed)
    assert text.startswith("On mpich all ranks ran on t-1, so that no message between them took the network: ")
    assert text in [one.text for one in answers(stayed) if one.topic == "failure"]
    assert not not_over_the_network(on_hosts(run, TOGETHER, sent=0, placement="node"))
    assert not not_over_the_network(on_hosts(run, TOGETHER[:1]))
    assert not not_over_the_network(replace(stayed, run=msgspec.structs.replace(stayed.run, hostfile=None)))


def test_wires_that_carried_nothing_of_what_ranks_on_them_exchanged_are_reported(run) -> None:
    [text] = not_over_the_network(on_hosts(run, APART, sent=1000))
    assert text == (
        "The wires of t-1 and t-2 carried 2.00 kB in all, while ranks on these hosts made 54,000 iterations: the "
        "messages took another way."
    )
    resumed = on_hosts(run, APART, sent=1000)
    assert not not_over_the_network(replace(resumed, run=msgspec.structs.replace(resumed.run, resumed=["later"])))
    assert not not_over_the_network(on_hosts(run, APART, sent=10**6))
    assert not not_over_the_network(on_hosts(run, APART))
