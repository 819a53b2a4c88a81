"""What is said of hosts whose facts are made up: what differs is named with its hosts, what does not is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from polympi.lab.process import Ended
from polympi.lab.stacks.stack import Stack
from polympi.lab.survey.clocks import Line, Offset, fit
from polympi.lab.survey.differences import clocks, differences
from polympi.lab.survey.machines import findings, limits, versions
from polympi.lab.survey.mpi import judge_launch, judge_pairs, read_pairs
from polympi.lab.survey.network import connected, interfaces, judge_connections, own_names, same_machine
from polympi.lab.survey.sharing import installed, judge_folder
from polympi.lab.survey.survey import Seen
from polympi.lab.survey.words import hosts_words, who_has_what

S = 10**9


def interface(name: str = "eth0", address: str = "10.0.0.1", **more: Any) -> dict[str, Any]:
    return {"name": name, "address": address, "carries": True, "loopback": False, "mtu": 1500, "mbit": None, **more}


def host(name: str, **facts: Any) -> Seen:
    """A host like any other, save for some facts."""
    number = ord(name) - ord("a") + 1
    usual: dict[str, Any] = {
        "machine": [name, "net"],
        "kernel": "6.1",
        "python": "3.11.2",
        "executable": "/v/bin/python",
        "limits": {
            "open_files": [4096, 4096],
            "processes": [4096, 4096],
            "locked_memory_bytes": [65536, 65536],
            "stack_bytes": [-1, -1],
        },
        "interfaces": [
            interface("lo", "127.0.0.1", loopback=True, mtu=65536),
            interface(address=f"10.0.0.{number}", mbit=1000),
        ],
        "infiniband": [],
        "own_addresses": [f"10.0.0.{number}"],
        "paths": {"/s/mpiexec": True},
    }
    record = {
        "cpu": {"model": "M", "governor": "performance", "smt": False},
        "kernel": {"tcp_congestion_control": "cubic"},
        "memory": {"total_bytes": 16 * 2**30 + 1000 * number},
        "affinity": {"count": 8, "cores": 8},
        "limits": {"cgroup": 2, "container": None},
        "packages": {"polympi": "0.1"},
        "source": {"commit": "0123456789abcdef", "changed": False},
    }
    return Seen(name, 2, {**usual, **facts}, record, "/v/polympi")


THREE = [host("a"), host("b"), host("c")]


def test_hosts_that_are_alike_give_no_warning() -> None:
    said = [
        *differences(THREE), *limits(THREE), *versions(THREE), *own_names(THREE), *same_machine(THREE),
        *interfaces(THREE), *installed(THREE, {"/s/mpiexec": "The launcher"}),
    ]  # fmt: skip
    assert {check.status for check in said} == {"ok"}
    assert any(check.text == "0.1 (0123456789) on all 3 hosts." for check in said)


def test_what_differs_is_reported_with_who_has_what() -> None:
    odd = host("c", kernel="5.10", limits={**THREE[0].metadata["limits"], "open_files": [100, 4096]})
    odd.record["cpu"]["governor"] = "powersave"
    odd.record["cpu"]["smt"] = True
    odd.record["kernel"]["tcp_congestion_control"] = "bbr"
    odd.record["memory"]["total_bytes"] = 8 * 2**30
    said = {check.name: check for check in differences([*THREE[:2], odd])}
    assert set(said) == {
        "different kernel", "different frequency governor", "different hardware threads",
        "different memory of the hosts", "different limit of open files", "different TCP congestion control",
    }  # fmt: skip
    assert said["different kernel"].text == "6.1 on a and b; 5.10 on c."
    assert said["different TCP congestion control"].text == "cubic on a and b; bbr on c."
    assert said["different hardware threads"].text == "off on a and b; on on c."
    assert said["different limit of open files"].text == "4096 on a and b; 100 on c."
    assert {check.hosts for check in said.values()} == {("c",)}
    (low,) = limits([*THREE[:2], odd])
    assert "On c, open files: 100" in low.text
    assert "ulimit -n" in low.text


def test_a_limit_that_only_infiniband_needs_is_asked_for_with_it() -> None:
    (low,) = limits([host("a", infiniband=["mlx5_0"]), host("b")])
    assert "On a, locked memory: 65536 bytes" in low.text


def test_versions_of_polympi_and_its_absence() -> None:
    old, without = host("b"), host("c")
    old.record["packages"]["polympi"] = "0.0"
    without.record, without.folder, without.why_no_polympi = {}, None, "No module named 'polympi'"
    said = {check.name: check for check in versions([THREE[0], old, without])}
    assert said["polympi differs"].text == "0.1 (0123456789) on a; 0.0 (0123456789) on b."
    assert said["polympi"].status == "problem"
    assert "not there on c (/v/bin/python: No module named 'polympi')" in said["polympi"].text
    (too_old,) = [c for c in versions([host("a", python="3.9.2")]) if c.status == "problem"]
    assert too_old.text == "3.9.2 on a."


def test_findings_of_several_hosts_are_said_once() -> None:
    busy, tired = host("b"), host("c")
    busy.record["load_average"], tired.record["load_average"] = {"one_minute": 3.0}, {"one_minute": 4.0}
    for seen in (busy, tired):
        seen.record["cpu"]["governor"] = "powersave"
    said = {check.name: check for check in findings([THREE[0], busy, tired], {})}
    assert said["Frequency scaling"].text.startswith("On b and c: The frequency governor is powersave")
    assert said["Frequency scaling"].hosts == ("b", "c")
    assert "On b: The load average was 3.00" in said["Other processes compete"].text
    assert "On c: The load average was 4.00" in said["Other processes compete"].text


def clock(ahead_s: float, drift: float, error: int) -> Line:
    return fit([Offset(t * S, round(ahead_s * S + drift * t * S), error) for t in range(4)])


def test_clocks_that_are_off_are_named_and_only_beyond_their_error() -> None:
    a, b, c = host("a"), host("b"), host("c")
    for seen, ahead, drift in ((a, 1.0, 0.0), (b, 1.05, 5e-5), (c, 3.0, 1e-3)):
        seen.of_day, seen.monotonic = clock(ahead, 0, 20_000), clock(1e5 * ahead, drift, 20_000)
    said = list(clocks([a, b, c]))
    assert [(check.name, check.hosts) for check in said[:2]] == [("clock of the day", ("c",)), ("clock drifts", ("c",))]
    assert "2 s ahead of that of a" in said[0].text
    assert "1000 parts in a million faster" in said[1].text
    for seen in (a, b, c):
        seen.of_day, seen.monotonic = clock(0 if seen is a else 3, 0, 2 * S), clock(0, 1e-3, 2 * S)
    assert [check.status for check in clocks([a, b, c])] == ["ok"]  # nothing that such round trips could tell


def test_a_clock_that_is_slow_to_read_is_named() -> None:
    hosts = [host("a", clocksource="tsc"), host("b", clocksource="hpet")]
    for seen in hosts:
        seen.of_day = seen.monotonic = clock(0, 0, 1000)
    (slow,) = [check for check in clocks(hosts) if check.name == "slow clock"]
    assert slow.hosts == ("b",)


def test_connections_that_fail_are_reported_with_a_possible_reason() -> None:
    tokens = {"a": "1", "b": "2", "c": "3"}
    good = {name: {"address": "x", "token": token} for name, token in tokens.items()}
    late, foreign = {"address": "x", "error": "ETIMEDOUT"}, {"address": "10.9.9.9", "token": ""}
    answers = {
        "a": {"b": late, "c": good["c"]},
        "b": {"a": good["a"], "c": {"error": "unknown"}},
        "c": {"a": good["a"], "b": late},
    }
    names, dropped = judge_connections(answers, tokens)
    assert names.text == "The name c is not known on b."
    assert dropped.text.startswith("From a and c no connection to b on a free port: nothing comes back")
    assert "UCX_TCP_PORT_RANGE" in dropped.advice
    assert connected(answers) == ["a", "c"]
    (other,) = judge_connections({"a": {"b": foreign}}, tokens)
    assert "another machine has the address 10.9.9.9" in other.text
    whole = {name: {to: good[to] for to in tokens if to != name} for name in tokens}
    (well,) = judge_connections(whole, tokens)
    assert (well.status, connected(whole)) == ("ok", ["a", "b", "c"])


def test_names_and_interfaces_that_mislead() -> None:
    docker = interface("docker0", "172.17.0.1")
    a = host("a", own_addresses=["127.0.1.1"])
    b = host("b", own_addresses=[], interfaces=[interface("eth0", "10.0.0.2", carries=False)])
    for seen in (a, THREE[2]):
        seen.metadata["interfaces"] = [*seen.metadata["interfaces"], docker]
    nowhere, loop = own_names([a, b, THREE[2]])
    assert (nowhere.hosts, loop.hosts) == (("b",), ("a",))
    assert "127.0.1.1" in loop.text
    twice, none = interfaces([a, b, THREE[2]])
    assert twice.hosts == ("a", "c")
    assert "btl_tcp_if_exclude=lo,docker0" in twice.advice
    assert (none.status, none.hosts) == ("problem", ("b",))
    THREE[2].metadata["interfaces"].remove(docker)
    (same,) = same_machine([host("a", machine=["m"]), host("b", machine=["m"]), THREE[2]])
    assert same.hosts == ("a", "b")


def test_a_folder_that_is_not_shared_and_programs_that_are_missing() -> None:
    answers: dict[str, dict[str, Any]] = {
        "a": {"seen": True, "written": True},
        "b": {"seen": False, "why": "there is none"},
        "c": {"seen": True, "written": False, "why": "read-only file system"},
    }
    blind, mute = judge_folder(answers, {"a": True, "b": False, "c": False}, Path("/r"))
    assert blind.text == "The folder '/r' is not shared with b: there is none."
    assert mute.text == "The folder '/r' cannot be written by c: read-only file system."
    (well,) = judge_folder({"a": answers["a"]}, {"a": True}, Path("/r"))
    assert well.status == "ok"
    (missing,) = installed([*THREE[:2], host("c", paths={})], {"/s/mpiexec": "The launcher"})
    assert missing.text == "The launcher (/s/mpiexec) is not there on c."


STACK = Stack(name="s", family="openmpi", origin="system", mpiexec="", mpicc="", python="")
PRINTED = """
times 1 9000 118000000 1000000
carried 1 first lo 10 10
carried 1 first eth0 1050000 1060000
carried 1 other eth0 1060000 1050000
carried 1 other eth1 0 0
times 2 9500 {rate} 1000000
carried 2 first eth0 1050000 1060000
carried 2 other {name} {bytes} 1050000
"""


def pairs(rate: int = 117_000_000, name: str = "eth0", nbytes: int = 1_060_000) -> list[Any]:
    return read_pairs(PRINTED.format(rate=rate, name=name, bytes=nbytes), ["a", "b", "c"])


def judged(hosts: list[Seen], printed: list[Any]) -> dict[str, Any]:
    return {check.name: check for check in judge_pairs(STACK, hosts, printed)}


def launched(text: str, exit_code: int | None) -> list[Any]:
    ended = Ended(exit_code=exit_code, flooded=False, started_ns=0, wall_ns=S, tail="")
    return list(judge_launch(STACK, THREE, text, ended, 80))


def test_a_program_that_does_not_return_from_finalize_has_launched() -> None:
    ranks = "".join(f"rank {rank} 3 {name}\n" for rank, name in enumerate("abc"))
    printed = ranks + PRINTED.format(rate=117_000_000, name="eth0", bytes=1_060_000)
    assert launched(printed, 0)[0].status == "ok"
    hung, *others = launched(printed, None)
    assert hung.status == "warning"
    assert "3 ranks ran, one on each of a, b and c; their messages arrived, but" in hung.text
    assert others == launched(printed, 0)[1:]
    for text in (ranks, printed.replace("carried 2 other", "x")):  # some messages did not arrive
        (failed,) = launched(text, None)
        assert failed.status == "problem"
        assert "did not end within 80 s" in failed.text


def test_counters_show_which_interface_was_used_and_a_slow_host_is_named() -> None:
    said = judged(THREE, pairs())
    assert {check.status for check in said.values()} == {"ok"}
    assert said["interfaces of s"].text == "Packet counters show that MPI used eth0 on all 3 hosts."
    assert judged(THREE, pairs(rate=11_000_000))["slow host with s"].hosts == ("c",)
    none = judged(THREE, pairs(nbytes=20))["interfaces of s"]
    assert (none.status, none.hosts) == ("warning", ("c",))
    assert "No interface of c has counted" in none.text


def test_a_faster_interface_that_was_not_used_and_packets_of_another_size_are_named() -> None:
    odd = host("c", interfaces=[interface(mbit=1000, mtu=9000), interface("ib0", "10.1.0.3", mbit=100_000)])
    said = judged([*THREE[:2], odd], pairs())
    assert "but ib0 of c is faster" in said["interfaces of s"].text
    assert said["interfaces of s"].advice == "Name it: OMPI_MCA_btl_tcp_if_include=ib0."
    assert "(MTU) is 1500 on a and b; 9000 on c" in said["packet sizes differ"].text


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["a"], "a"),
        (["a", "b"], "a and b"),
        (["a", "b", "c"], "all 3 hosts"),
        ([str(n) for n in range(20)], "0, 1, 2, 3, 4, 5, 6 and 13 more"),
    ],
)
def test_names_in_a_sentence(names: list[str], words: str) -> None:
    assert hosts_words(names, 3) == words


def test_equal_values_are_no_difference() -> None:
    assert who_has_what({"a": "1", "b": "1"}) is None
    assert who_has_what({"a": "1", "b": None}) == "1 on a; not known on b"
