"""What is said of made-up hosts: what differs is named with its hosts, what does not is not (``checks.tsv``).

After a check was changed on purpose: ``PYTHONPATH=tests/lab:tests python tests/lab/survey/test_checks.py`` writes the
file again, and its difference shows what a user will see.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from polympi.lab.environment.doctor import Check
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
SNAPSHOT = Path(__file__).with_name("checks.tsv")


def interface(name: str = "eth0", address: str = "10.0.0.1", **more: Any) -> dict[str, Any]:
    return {"name": name, "address": address, "carries": True, "loopback": False, "mtu": 1500, "mbit": None, **more}


def host(name: str, **metadata: Any) -> Seen:
    """A host like any other, save for some metadata."""
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
    return Seen(name, 2, {**usual, **metadata}, record, "/v/polympi")


THREE = [host("a"), host("b"), host("c")]


def odd() -> Seen:
    """The third host with other settings."""
    seen = host("c", kernel="5.10", limits={**THREE[0].metadata["limits"], "open_files": [100, 4096]})
    seen.record["cpu"] |= {"governor": "powersave", "smt": True}
    seen.record["kernel"]["tcp_congestion_control"] = "bbr"
    seen.record["memory"]["total_bytes"] = 8 * 2**30
    return seen


def with_record(name: str, **changes: Any) -> Seen:
    """A host whose record has other parts."""
    seen = host(name)
    for part, values in changes.items():
        seen.record[part] = {**seen.record.get(part, {}), **values}
    return seen


def without_polympi() -> Seen:
    seen = host("c")
    seen.record, seen.folder, seen.why_no_polympi = {}, None, "No module named 'polympi'"
    return seen


def busy(name: str, load: float) -> Seen:
    return with_record(name, load_average={"one_minute": load}, cpu={"governor": "powersave"})


def clock(ahead_s: float, drift: float, error: int) -> Line:
    return fit([Offset(t * S, round(ahead_s * S + drift * t * S), error) for t in range(4)])


def with_clocks(*of_day_and_monotonic: tuple[Line, Line], **metadata: list[str]) -> list[Seen]:
    found = []
    for number, (name, both) in enumerate(zip("abc", of_day_and_monotonic, strict=False)):
        seen = host(name, **{key: values[number] for key, values in metadata.items()})
        seen.of_day, seen.monotonic = both
        found.append(seen)
    return found


FAR_OFF = [(clock(a, 0, 20_000), clock(1e5 * a, d, 20_000)) for a, d in ((1.0, 0.0), (1.05, 5e-5), (3.0, 1e-3))]
VAGUE = [(clock(a, 0, 2 * S), clock(0, 1e-3, 2 * S)) for a in (0, 3, 3)]  # nothing that such round trips could show
EXACT = [(clock(0, 0, 1000), clock(0, 0, 1000))] * 2

TOKENS = {"a": "1", "b": "2", "c": "3"}
GOOD = {name: {"address": "x", "token": token} for name, token in TOKENS.items()}
WHOLE = {name: {to: GOOD[to] for to in TOKENS if to != name} for name in TOKENS}
LATE, FOREIGN = {"address": "x", "error": "ETIMEDOUT"}, {"address": "10.9.9.9", "token": ""}
BROKEN = {
    "a": {"b": LATE, "c": GOOD["c"]},
    "b": {"a": GOOD["a"], "c": {"error": "unknown"}},
    "c": {"a": GOOD["a"], "b": LATE},
}
FOLDER: dict[str, dict[str, Any]] = {
    "a": {"seen": True, "written": True},
    "b": {"seen": False, "why": "there is none"},
    "c": {"seen": True, "written": False, "why": "read-only file system"},
}
BACK = {"a": True, "b": False, "c": False}


def misled() -> list[Seen]:
    """Hosts with a bridge of the same address on two of them, and without an address of their own name."""
    docker = interface("docker0", "172.17.0.1")
    nowhere = host("b", own_addresses=[], interfaces=[interface("eth0", "10.0.0.2", carries=False)])
    others = host("a", own_addresses=["127.0.1.1"]), host("c")
    for seen in others:
        seen.metadata["interfaces"] = [*seen.metadata["interfaces"], docker]
    return [others[0], nowhere, others[1]]


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


def judged(hosts: list[Seen] | None = None, **printed: Any) -> Iterator[Check]:
    text = PRINTED.format(**{"rate": 117_000_000, "name": "eth0", "bytes": 1_060_000, **printed})
    return judge_pairs(STACK, hosts or THREE, read_pairs(text, ["a", "b", "c"]))


RANKS = "".join(f"rank {rank} 3 {name}\n" for rank, name in enumerate("abc"))
WORKED = RANKS + PRINTED.format(rate=117_000_000, name="eth0", bytes=1_060_000)


def launched(text: str, exit_code: int | None) -> Iterator[Check]:
    ended = Ended(exit_code=exit_code, flooded=False, started_ns=0, wall_ns=S, tail="")
    return judge_launch(STACK, THREE, text, ended, 80)


FAST = host("c", interfaces=[interface(mbit=1000, mtu=9000), interface("ib0", "10.1.0.3", mbit=100_000)])
LAUNCHER = {"/s/mpiexec": "The launcher"}
SAID: dict[str, Callable[[], Iterable[Check]]] = {
    "alike": lambda: [*differences(THREE), *limits(THREE), *versions(THREE), *own_names(THREE), *same_machine(THREE)],
    "alike, interfaces and programs": lambda: [*interfaces(THREE), *installed(THREE, LAUNCHER)],
    "different": lambda: [*differences([*THREE[:2], odd()]), *limits([*THREE[:2], odd()])],
    "infiniband": lambda: limits([host("a", infiniband=["mlx5_0"]), host("b")]),
    "versions": lambda: versions([THREE[0], with_record("b", packages={"polympi": "0.0"}), without_polympi()]),
    "old Python": lambda: versions([host("a", python="3.9.2")]),
    "findings": lambda: list(findings([THREE[0], busy("b", 3.0), busy("c", 4.0)], {}))[:2],
    "clocks far off": lambda: clocks(with_clocks(*FAR_OFF)),
    "vague clocks": lambda: clocks(with_clocks(*VAGUE)),
    "slow clock": lambda: clocks(with_clocks(*EXACT, clocksource=["tsc", "hpet"])),
    "no connection": lambda: judge_connections(BROKEN, TOKENS),
    "foreign address": lambda: judge_connections({"a": {"b": FOREIGN}}, TOKENS),
    "connected": lambda: judge_connections(WHOLE, TOKENS),
    "misled": lambda: [*own_names(misled()), *interfaces(misled())],
    "same machine": lambda: same_machine([host("a", machine=["m"]), host("b", machine=["m"]), THREE[2]]),
    "folder": lambda: judge_folder(FOLDER, BACK, Path("/r")),
    "shared folder": lambda: judge_folder({"a": FOLDER["a"]}, BACK, Path("/r")),
    "missing": lambda: installed([*THREE[:2], host("c", paths={})], LAUNCHER),
    "launched": lambda: launched(WORKED, 0),
    "hung in MPI_Finalize": lambda: launched(WORKED, None),
    "hung before messages": lambda: launched(RANKS, None),
    "hung before some messages": lambda: launched(WORKED.replace("carried 2 other", "x"), None),
    "slow host": lambda: judged(rate=11_000_000),
    "not counted": lambda: judged(bytes=20),
    "faster interface": lambda: judged([*THREE[:2], FAST]),
}


def lines(name: str) -> list[str]:
    found = [(name, one.status, one.name, ", ".join(one.hosts), one.text, one.advice) for one in SAID[name]()]
    return ["\t".join(cell or "–" for cell in line) for line in found]


@pytest.mark.parametrize("name", SAID)
def test_checks_are_those_of_the_snapshot(name: str) -> None:
    kept = SNAPSHOT.read_text(encoding="utf-8").splitlines()
    assert lines(name) == [line for line in kept if line.partition("\t")[0] == name]


def test_only_hosts_that_reach_each_other_are_launched_on() -> None:
    assert connected(BROKEN) == ["a", "c"]
    assert connected(WHOLE) == ["a", "b", "c"]


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


if __name__ == "__main__":
    SNAPSHOT.write_text("".join(f"{line}\n" for name in SAID for line in lines(name)), encoding="utf-8")
