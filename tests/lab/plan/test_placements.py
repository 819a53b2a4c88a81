"""Placements: what launchers are reported, what cannot be had, and whether ranks were where they were asked to be."""

import pytest

from polympi.lab.errors import UsageError
from polympi.lab.plan.placement_names import MEANINGS
from polympi.lab.plan.placements import (
    Topology,
    binding_word,
    level_words,
    placed_hosts,
    placement_arguments,
    placement_levels,
    topology_of,
    what_differs,
    why_impossible,
)
from polympi.lab.records import Level, RankPlace

TWO_CORES = Topology({0: (0, 0), 1: (0, 1)})
# Two sockets with two cores of two threads each: CPUs n and n + 4 share a core.
TWO_SOCKETS = Topology({cpu: (cpu % 4 // 2, cpu % 4) for cpu in range(8)})
NO_TOPOLOGY = None
THREE_CORES = "it needs a core for each of 3 ranks on one socket, and the largest that may be used here has 2"


def places(*cpus, hosts=("a",) * 8):
    return [RankPlace(host=host, cpus=own) for host, own in zip(hosts, cpus, strict=False)]


def test_each_placement_is_a_level_and_the_first_the_base() -> None:
    assert placement_levels(["node", "core-pair"]) == [
        Level(factor="placement", name="node", placement="node"),
        Level(factor="placement", name="core-pair", placement="core-pair"),
    ]
    with pytest.raises(UsageError, match=r"There is no placement 'core-pear'.*Did you mean 'core-pair'"):
        placement_levels(["core-pear"])
    with pytest.raises(UsageError, match="names 'node' twice"):
        placement_levels(["node", "socket", "node"])


@pytest.mark.parametrize(
    ("placement", "ranks", "topology", "hosts", "why"),
    [
        ("socket", 2, TWO_CORES, 0, "it needs two sockets, and this machine has one; leave it out"),
        ("core-pair", 3, TWO_CORES, 0, f"{THREE_CORES}; give fewer with --ranks, or leave it out"),
        ("core-pair", 3, TWO_SOCKETS, 0, f"{THREE_CORES}; give fewer with --ranks, or leave it out"),
        ("two-nodes", 2, TWO_CORES, 1, "it needs two hosts, and the host file or the job has one; give it two"),
        ("two-nodes", 1, TWO_CORES, 2, "it needs at least 2 ranks; give more with --ranks"),
        ("socket", 2, TWO_SOCKETS, 0, None),
        ("core-pair", 2, TWO_CORES, 0, None),
        ("socket", 2, NO_TOPOLOGY, 3, None),
        ("two-nodes", 2, NO_TOPOLOGY, 3, None),
        ("node", 99, TWO_CORES, 0, None),
        ("one-core", 99, TWO_CORES, 0, None),
    ],
)
def test_what_a_machine_cannot_offer_is_known_before_anything_is_launched(placement, ranks, topology, hosts, why):
    assert why_impossible(placement, ranks, topology, hosts) == why


def test_who_wants_two_nodes_without_a_host_file_learns_how_to_get_them() -> None:
    why = why_impossible("two-nodes", 2, TWO_CORES, 0)
    assert why is not None
    assert why.startswith("it needs two hosts, and there is no --hostfile")
    assert "'polympi cluster up'" in why


@pytest.mark.parametrize("word", ["-bind-to", "--bind-to", "--map-by=core", "--cpu-bind=none", "--rank-by"])
def test_other_words_about_the_same_are_found(word: str) -> None:
    assert binding_word(["--mca", "btl", word, "none"]) == word
    assert binding_word(["-genv", "BIND", "bind-to", "--bindings"]) is None


def test_levels_are_described_in_words() -> None:
    [node] = placement_levels(["node"])
    assert level_words(node) == "all ranks on one host, bound to nothing"
    assert level_words(Level(factor="setting", name="node", environment={"A": "1"}, placement="socket")) == "A=1"
    assert level_words(Level(placement="node")) == ""


def test_every_launcher_has_words_for_every_placement() -> None:
    for dialect in ("hydra", "prrte", "srun"):
        assert placement_arguments("", dialect, 2, TWO_CORES) == []
        for placement in MEANINGS:
            assert placement_arguments(placement, dialect, 2, TWO_CORES)[0].startswith("-")
    third = Topology({cpu: (0, cpu) for cpu in (3, 5)})  # what taskset has left
    assert placement_arguments("one-core", "hydra", 3, third) == ["-bind-to", "user:3,3,3"]
    assert "pe-list=3:ordered:oversubscribe" in placement_arguments("one-core", "prrte", 3, third)
    assert "--cpu-bind=map_cpu:3,3" in placement_arguments("one-core", "srun", 2, third)


def test_hosts_of_a_placement_have_room_for_its_ranks() -> None:
    slots = {"a": 1, "b": 4, "c": 1}
    assert placed_hosts("", "prrte", slots, 5) == slots
    assert placed_hosts("node", "prrte", slots, 5) == {"a": 5}
    assert placed_hosts("two-nodes", "prrte", slots, 5) == {"a": 3, "b": 3}
    assert placed_hosts("two-nodes", "hydra", slots, 5) == {"a": 1, "b": 1}  # which it fills in turn


@pytest.mark.parametrize(
    ("placement", "topology", "good", "bad"),
    [
        ("node", TWO_CORES, places("0-1", "0-1"), places("0", "1")),
        ("node", NO_TOPOLOGY, places("0-63", "0-63"), places("0-63", "0-31")),
        ("core-pair", TWO_CORES, places("0", "1"), places("0", "0")),
        ("core-pair", TWO_CORES, places("1", "0"), places("0-1", "0-1")),
        ("core-pair", TWO_SOCKETS, places("0,4", "1,5"), places("0", "4")),  # threads of one core
        ("core-pair", TWO_SOCKETS, places("0", "1"), places("1", "2")),  # of two sockets
        ("core-pair", NO_TOPOLOGY, places("0", "1"), places("1", "1")),
        ("one-core", TWO_CORES, places("1", "1"), places("0", "1")),
        ("one-core", TWO_SOCKETS, places("0", "0,4"), places("0", "1")),
        ("socket", TWO_SOCKETS, places("0-1,4-5", "2-3,6-7"), places("0-1,4-5", "0-1,4-5")),
        ("socket", TWO_SOCKETS, places("0", "2"), places("0-7", "0-7")),
        ("two-nodes", NO_TOPOLOGY, places("0", "0", hosts="ab"), places("0", "1", hosts="aa")),
        ("two-nodes", NO_TOPOLOGY, places("0", "0", "0", hosts="aba"), places("0", "0", "0", hosts="abc")),
        ("node", NO_TOPOLOGY, places("0", "0"), places("0", "0", hosts="ab")),
        ("core-pair", TWO_CORES, places("0", "1"), places("-", "1")),
    ],
)
def test_what_was_got_is_compared_with_what_was_asked(placement, topology, good, bad) -> None:
    assert what_differs(placement, good, topology) is None
    assert what_differs(placement, bad, topology)


def test_what_was_got_instead_is_reported() -> None:
    reported = what_differs("core-pair", places("0-3", "0-3"), TWO_CORES)
    assert reported == "the ranks were bound otherwise: rank 0 on CPUs 0 to 3, rank 1 on CPUs 0 to 3"
    assert what_differs("two-nodes", places("0", "0"), TWO_CORES) == "the ranks ran on a alone"
    assert what_differs("node", places("0", "0", hosts="ab"), None) == "the ranks ran on 2 hosts (a, b)"
    assert what_differs("node", [], None) is None
    assert what_differs("", places("0", "1"), None) is None


def test_the_topology_is_that_of_the_record_of_the_machine() -> None:
    assert topology_of({"affinity": {"topology": {"0": [0, 0], "2": [1, 2]}}}) == Topology({0: (0, 0), 2: (1, 2)})
    assert topology_of({"affinity": {"topology": {}}}) is None
    assert topology_of({}) is None
    assert (TWO_SOCKETS.sockets, TWO_SOCKETS.most_cores, TWO_CORES.most_cores) == ({0, 1}, 2, 2)
