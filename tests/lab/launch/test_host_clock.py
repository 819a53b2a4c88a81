"""Moments by the clock of another host."""

import time
from collections.abc import Sequence

import pytest
from hosts import Hosts

from polympi.lab.errors import UsageError
from polympi.lab.launch.host_clock import HostClocks, UnknownMoment
from polympi.lab.survey.reach import Reach, way_to


def ahead(hosts: Hosts) -> int:
    """By how much the clock of the second host is ahead of ours, in ns."""
    return hosts.ahead_s * 10**9


@pytest.mark.system
@pytest.mark.parametrize("host", ["hostb", "hostb.some.domain"])
def test_a_moment_is_known_within_its_error_and_better_once_it_lies_between_two_comparisons(
    hosts_of_two_times: Hosts, host: str
) -> None:
    hosts = hosts_of_two_times
    asked: list[str] = []

    def way(name: str, command: Sequence[str]) -> list[str]:
        asked.append(name)
        return hosts.second.command(command)

    with HostClocks(["hosta", "hostb"], lambda: way) as clocks:
        for launch in range(3):
            clocks.before_launch()
            now = time.monotonic_ns()
            time.sleep(0.2)
            found = clocks.moment(host, now + ahead(hosts))
            assert abs(found.ns - now) <= found.error_ns + 1
            # Alone, a comparison does not say how far the clocks have drifted since: in 0.2 s at most 0.24 ms.
            assert (found.error_ns > 240_000) or launch
        assert asked == ["hostb"]  # once, by the name that the host file has
    assert not hosts.processes_left()


def test_a_host_that_does_not_answer_is_named_and_not_asked_twice() -> None:
    asked = []

    def way(host: str, command: Sequence[str]) -> list[str]:
        asked.append(host)
        return ["sh", "-c", "echo no route >&2; exit 255"]

    with HostClocks([], lambda: way) as clocks:
        for _ in range(2):
            clocks.before_launch()
            with pytest.raises(UnknownMoment, match=r"rank 0 ran on far, whose clock .*: far cannot be .*no route"):
                clocks.moment("far", 1)
    assert asked == ["far"]


@pytest.mark.system
def test_another_host_that_answers_is_not_taken_for_it(hosts_of_two_times: Hosts) -> None:
    def way(host: str, command: Sequence[str]) -> list[str]:
        return hosts_of_two_times.first.command(command)

    with HostClocks([], lambda: way) as clocks, pytest.raises(UnknownMoment, match=r"hostb answers as hosta$"):
        clocks.moment("hostb", 1)
    assert not hosts_of_two_times.processes_left()


@pytest.mark.system
def test_a_host_that_stops_answering_costs_a_moment_and_is_asked_again(hosts_of_two_times: Hosts) -> None:
    hosts = hosts_of_two_times
    with HostClocks([], lambda: way_to(hosts.cluster, None)) as clocks:
        clocks.moment("hostb", 1)
        clocks.before_launch()
        hosts.end_processes()
        with pytest.raises(UnknownMoment, match="hostb ended the connection"):
            clocks.moment("hostb", 1)
        clocks.before_launch()
        now = time.monotonic_ns()
        found = clocks.moment("hostb", now + ahead(hosts))
        assert abs(found.ns - now) <= found.error_ns + 1


def test_without_ssh_the_start_is_unknown_and_the_sentence_says_what_to_install() -> None:
    def none_there() -> Reach:
        raise UsageError("Hosts are reached by the command 'ssh', which is not installed.")

    with HostClocks([], none_there) as clocks, pytest.raises(UnknownMoment, match=r"far cannot be reached\. Hosts are"):
        clocks.moment("far", 1)
