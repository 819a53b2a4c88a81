"""Where ranks ran, in words, and which launches were not placed as asked."""

from dataclasses import replace

import msgspec
import pytest
from synthetic import make_run

from polympi.lab.conclusions.answers import answers
from polympi.lab.conclusions.placements import misplaced, places_sentence
from polympi.lab.records import Environment, Level, RankPlace
from polympi.lab.statistics.analysis import analyse

FREE = [RankPlace(host="vm", cpus="0-1")] * 2
PAIR = [RankPlace(host="vm", cpus="0"), RankPlace(host="vm", cpus="1")]
APART = [RankPlace(host="n1", cpus="0-1"), RankPlace(host="n2", cpus="0-1")]
FACTS = {"affinity": {"topology": {"0": [0, 0], "1": [0, 1]}}}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return analyse(
        make_run(tmp_path_factory.mktemp("run") / "run", cases=[("barrier", "standard", "none", 0)], events=0)
    )


def placed(run, usual, *, odd=None, placement="core-pair"):
    """The run with ranks at these places, in its launch 2 at others."""
    launches = [
        msgspec.structs.replace(one, places=odd if odd is not None and one.launch == 2 else usual)
        for one in run.launches
    ]
    levels = [Level(factor="placement", name=placement, placement=placement)] if placement else []
    stacks = [msgspec.structs.replace(one, level=placement) for one in run.run.stacks]
    record = msgspec.structs.replace(run.run, levels=levels, stacks=stacks)
    return replace(run, run=record, launches=launches, environment=Environment(facts=FACTS))


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


def test_a_launch_that_was_placed_otherwise_is_told_with_its_arm(run) -> None:
    told = placed(run, PAIR, odd=FREE)
    assert places_sentence(told, "mpich") == (
        "In 35 of 36 launches rank 0 ran on CPU 0 and rank 1 on CPU 1 of vm; in 1 of 36 launches all ranks ran on "
        "vm, each free to use CPUs 0-1. Asked for: each rank bound to its own core, all on one socket."
    )
    [failure] = misplaced(told)
    assert failure.startswith(
        "mpich was not placed as asked in 1 of 36 launches (mpi4py): the ranks were bound otherwise"
    )
    assert failure in [one.text for one in answers(told) if one.topic == "failure"]
    assert misplaced(placed(run, PAIR)) == []
    assert misplaced(placed(run, PAIR, odd=[])) == [
        "In 1 of 36 launches on mpich (mpi4py) ranks did not tell where they ran, so that it is not known whether they "
        "were placed as asked."
    ]
    assert misplaced(placed(run, [], placement="")) == []
    assert misplaced(placed(run, FREE, odd=PAIR, placement="")) == []
