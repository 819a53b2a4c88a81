"""Networks: presets, files, and what C measured between hosts."""

from pathlib import Path

import pytest
from synthetic import make_run

from polympi.lab.errors import UsageError
from polympi.lab.projection.loggp import Model, time_of
from polympi.lab.projection.model import Network
from polympi.lab.projection.network import PRESETS, get_network, measured_network, middle_of, network_of
from polympi.lab.projection.simulator import hosts_of, nodes_of, platform_xml

GOOD = 'name = "mine"\nlatency_us = 2\nbandwidth_mb_per_s = 1e3\nranks_per_node = 4\nsend_us = 0.5\n'


def test_presets_take_what_their_derivations_say() -> None:
    small = {name: time_of(Model(network, 64), "latency", 8, "mpich") for name, network in PRESETS.items()}
    assert 40_000 < (small["gigabit"] or 0) < 60_000
    assert 1_000 < (small["100g"] or 0) < 2_000
    assert PRESETS["gigabit"].bandwidth_mb_per_s == pytest.approx(117.7, abs=0.1)


def test_a_file_is_read_in_the_units_of_people(tmp_path: Path) -> None:
    path = tmp_path / "network.toml"
    path.write_text(GOOD)
    found = get_network(str(path))
    assert isinstance(found, Network)
    assert (found.name, found.latency_ns, found.bandwidth_mb_per_s, found.ranks_per_node) == ("mine", 2000, 1000, 4)
    assert found.send == [(0, 500)]
    assert found.receive == [(0, 0)]
    assert get_network("gigabit") is PRESETS["gigabit"]
    assert get_network(str(tmp_path)) == tmp_path


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (GOOD.replace('"mine"', "mine"), "it is not TOML in line 1"),
        (GOOD.replace("latency_us = 2\n", ""), "the field 'latency_us' is missing"),
        (GOOD.replace("= 2", '= "two"'), "the field 'latency_us' must be a number, and is text"),
        (GOOD + "speed = 1\n", "there is no field 'speed'"),
        (GOOD.replace("= 2", "= -2"), "latency_us must be a time of 0 or more"),
        (GOOD.replace("= 2", "= nan"), "latency_us must be a time of 0 or more"),
        (GOOD.replace("1e3", "0"), "bandwidth_mb_per_s and ranks_per_node must be more than 0"),
        (GOOD.replace("1e3", "inf"), "bandwidth_mb_per_s and ranks_per_node must be more than 0"),
        (GOOD.replace("= 4", "= 0"), "bandwidth_mb_per_s and ranks_per_node must be more than 0"),
        (b"\xff\xfe", "it is not text in UTF-8"),
    ],
)
def test_a_file_that_is_not_possible_is_one_sentence(tmp_path: Path, content: str | bytes, words: str) -> None:
    path = tmp_path / "network.toml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(UsageError) as error:
        get_network(str(path))
    said = str(error.value)
    assert words in said
    assert said.startswith("The network '")
    assert len(said.splitlines()) == 1
    assert said.endswith(".")


def test_an_unknown_network_names_those_there_are() -> None:
    with pytest.raises(UsageError, match="There is no network 'gigabyte': choose gigabit, 100g, a TOML file"):
        get_network("gigabyte")


def test_a_measured_network_meets_its_ping_pong_at_each_size() -> None:
    latency = [(8, 5000.0), (1024, 6000.0), (65536, 90_000.0)]
    network = network_of(latency, [(8, 1500.0), (65536, 70_000.0)], "a run")
    # Both ends take what a message of a window takes; the rest of the smallest message is latency.
    assert network.latency_ns == 5000 - 2 * 1500
    # The least time a byte was ever seen to take: 1000 ns for 1016 bytes.
    assert network.bandwidth_mb_per_s == pytest.approx(1000 * 1016 / 1000)
    for size, time in latency:
        assert time_of(Model(network, 2), "latency", size, "mpich") == pytest.approx(time, rel=0.005)


def test_messages_that_cross_take_as_long_as_was_measured_and_others_do_not() -> None:
    latency, window = [(8, 5000.0), (1024, 6000.0)], [(8, 1500.0)]
    alone, crossing = network_of(latency, window, "a run"), network_of(latency, window, "a run", [(0, 7000.0)])
    assert alone.both == []
    assert crossing.both == [(0, 2000.0)]
    for pattern, differs in (("barrier", True), ("alltoall", True), ("bcast", False), ("latency", False)):
        times = [
            time_of(Model(network, 2), pattern, 8 * (pattern != "barrier"), "mpich") for network in (alone, crossing)
        ]
        assert times[0] is not None
        assert times[1] == pytest.approx(times[0] + 2000 * differs)
    assert network_of(latency, window, "a run", [(0, 4000.0)]).both == [(0, 0.0)]  # no message is faster for crossing


def test_what_messages_that_cross_take_longer_depends_on_their_size_as_it_was_measured() -> None:
    latency, window = [(8, 5000.0), (1024, 6000.0), (65536, 80_000.0)], [(8, 1500.0)]
    network = network_of(latency, window, "a run", [(8, 6000.0), (65536, 120_000.0)])
    assert network.both == [(8, 1000.0), (65536, 40_000.0)]
    for size, more in ((8, 1000.0), (65536, 40_000.0)):
        alone, crossing = (
            time_of(Model(one, 2), "alltoall", size, "mpich") for one in (network_of(latency, window, "a run"), network)
        )
        assert alone is not None
        assert crossing == pytest.approx(alone + more)


@pytest.mark.parametrize(
    ("modes", "described", "both"),
    [
        ([], ["latency"], []),
        (["barrier"], ["latency", "barrier"], [0]),
        (["barrier", "sendrecv"], ["latency"], [8, 65536]),
        (["bcast", "sendrecv"], ["latency", "bcast"], [8, 65536]),
    ],
)
def test_a_network_says_which_figures_it_was_derived_from(
    tmp_path: Path, modes: list[str], described: list[str], both: list[int]
) -> None:
    # What it meets by construction is no success of a projection: a barrier counts where the exchange was measured.
    cases = [("latency", "standard", "bytes", size) for size in (8, 65536)]
    cases += [("latency", "sendrecv", "bytes", size) for size in (8, 65536) if "sendrecv" in modes]
    cases += [("bcast", "standard", "bytes", size) for size in (8, 65536) if "bcast" in modes]
    cases += [("barrier", "standard", "none", 0)] * ("barrier" in modes)
    make_run(tmp_path / "run", cases=cases, blocks=6, events=1, hostfile="hosts")
    network = measured_network(tmp_path / "run", "mpich")
    assert network.described_by == described
    assert [size for size, _ in network.both] == both


def test_a_message_is_between_what_it_takes_in_a_ping_pong_and_one_way() -> None:
    ping_pong = [(8, 5000.0), (1024, 6000.0), (65536, 80_000.0)]
    assert middle_of(ping_pong, [(8, 4000.0), (65536, 60_000.0)])[::2] == [(8, 4500.0), (65536, 70_000.0)]
    assert middle_of(ping_pong, ping_pong) == ping_pong


def test_without_a_window_all_of_a_ping_pong_is_overhead() -> None:
    network = network_of([(0, 800.0), (8192, 800.0)], [], "a run")
    assert network.latency_ns == 0
    assert network.bandwidth_mb_per_s == 1e6  # no size took longer than another
    assert network.send == [(0, 400.0), (8192, 400.0)]


def test_a_run_on_one_host_describes_no_network(tmp_path: Path) -> None:
    make_run(tmp_path / "run", blocks=1)
    with pytest.raises(UsageError, match="cannot describe a network, because it was on one host"):
        measured_network(tmp_path / "run", "mpich")


def test_nodes_are_filled_one_after_the_other() -> None:
    network = PRESETS["gigabit"]
    assert [nodes_of(network, ranks) for ranks in (1, 8, 9, 1024)] == [1, 1, 2, 128]
    lines = hosts_of(network, 17).split()
    assert [lines.count(f"node-{i}") for i in range(3)] == [8, 8, 1]
    text = platform_xml(network, 17)
    assert 'radical="0-2"' in text
    assert 'lat="12500ns"' in text  # half of the latency on each of two wires
