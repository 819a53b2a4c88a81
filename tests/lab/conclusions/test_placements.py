"""Where ranks ran, and whether their messages took the network."""

from dataclasses import replace

import msgspec
import pytest
from synthetic import make_run

from polympi.lab.conclusions.answers import answers
from polympi.lab.conclusions.placements import misplaced, not_over_the_network, places_sentence
from polympi.lab.records import Environment, Level, RankPlace
from polympi.lab.statistics.analysis import analyse

FREE = [RankPlace(host="vm", cpus="0-1")] * 2
PAIR = [RankPlace(host="vm", cpus="0"), RankPlace(host="vm", cpus="1")]
APART = [RankPlace(host="n1", cpus="0-1"), RankPlace(host="n2", cpus="0-1")]
METADATA = {"affinity": {"topology": {"0": [0, 0], "1": [0, 1]}}}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return analyse(
        make_run(tmp_path_factory.mktemp("run") / "run", cases=[("barrier", "standard", "none", 0)], events=0)
    )


def placed(run, usual, *, odd=None, placement="core-pair", sent=None):
    """The run with ranks at these places, in its launch 2 at others; its wires have sent this many bytes each."""
    launches = [
        msgspec.structs.replace(one, places=odd if odd is not None and one.launch == 2 else usual)
        for one in run.launches
    ]
    levels = [Level(factor="placement", name=placement, placement=placement)] if placement else []
    stacks = [msgspec.structs.replace(one, level=placement) for one in run.run.stacks]
    record = msgspec.structs.replace(run.run, levels=levels, stacks=stacks)
    outcome = msgspec.structs.replace(run.outcome, sent_bytes={} if sent is None else {"t-1": sent, "t-2": sent})
    return replace(run, run=record, launches=launches, environment=Environment(metadata=METADATA), outcome=outcome)


@pytest.mark.parametrize(
    ("places", "words"),
    [
        (FREE, "In all launches all ranks ran on vm, each free to use CPUs 0-1."),
        (PAIR, "In all launches rank 0 ran on CPU 0 and rank 1 on CPU 1 of vm."),
        (APART, "In all launches rank 0 ran on CPUs 0-1 of n1 and rank 1 on CPUs 0-1 of n2."),
        (APART * 5, "In all launches 10 ranks ran on 2 hosts (n1 and n2)."),
    ],
)
def test_where_ranks_ran_is_a_sentence(run, places, words) -> None:
    assert places_sentence(placed(run, places, placement=""), "mpich") == words
    assert places_sentence(run, "mpich") == ""


def test_a_launch_that_was_placed_otherwise_is_reported_with_its_arm(run) -> None:
    odd_run = placed(run, PAIR, odd=FREE)
    assert places_sentence(odd_run, "mpich") == (
        "In 35 of 36 launches rank 0 ran on CPU 0 and rank 1 on CPU 1 of vm; in 1 of 36 launches all ranks ran on "
        "vm, each free to use CPUs 0-1. Asked for: each rank bound to its own core, all on one socket."
    )
    [failure] = misplaced(odd_run)
    assert failure.startswith(
        "mpich was not placed as asked in 1 of 36 launches (mpi4py): the ranks were bound otherwise"
    )
    assert failure in [one.text for one in answers(odd_run) if one.topic == "failure"]
    assert misplaced(placed(run, PAIR)) == []
    assert misplaced(placed(run, PAIR, odd=[])) == [
        "In 1 of 36 launches on mpich (mpi4py) ranks did not report where they ran, so it is not known whether they "
        "were placed as asked."
    ]
    assert misplaced(placed(run, [], placement="")) == []
    assert misplaced(placed(run, FREE, odd=PAIR, placement="")) == []


TOGETHER = [RankPlace(host="t-1", cpus="0-1")] * 2
ON_TWO = [RankPlace(host="t-1", cpus="0-1"), RankPlace(host="t-2", cpus="0-1")]


@pytest.fixture(scope="module")
def over_hosts(tmp_path_factory):
    cases = [("barrier", "standard", "none", 0)]
    return analyse(make_run(tmp_path_factory.mktemp("run") / "run", cases=cases, events=0, hostfile="/hosts"))


def test_ranks_that_stayed_on_one_host_are_reported(over_hosts) -> None:
    stayed = placed(over_hosts, TOGETHER, sent=0, placement="")
    [text] = not_over_the_network(stayed)
    assert text.startswith("On mpich all ranks ran on t-1, so that no message between them took the network: ")
    assert text in [one.text for one in answers(stayed) if one.topic == "failure"]
    assert not not_over_the_network(placed(over_hosts, TOGETHER, sent=0, placement="node"))
    assert not not_over_the_network(placed(over_hosts, TOGETHER[:1], placement=""))
    assert not not_over_the_network(replace(stayed, run=msgspec.structs.replace(stayed.run, hostfile=None)))


def test_wires_that_carried_nothing_of_what_ranks_on_them_exchanged_are_reported(over_hosts) -> None:
    [text] = not_over_the_network(placed(over_hosts, ON_TWO, sent=1000, placement=""))
    assert text == (
        "The wires of t-1 and t-2 carried 2.00 kB in all, while ranks on these hosts made 54,000 iterations: the "
        "messages took another way."
    )
    resumed = placed(over_hosts, ON_TWO, sent=1000, placement="")
    assert not not_over_the_network(replace(resumed, run=msgspec.structs.replace(resumed.run, resumed=["later"])))
    assert not not_over_the_network(placed(over_hosts, ON_TWO, sent=10**6, placement=""))
    assert not not_over_the_network(placed(over_hosts, ON_TWO, placement=""))
