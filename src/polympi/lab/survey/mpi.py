"""Whether MPI runs over all hosts: one library everywhere, a launch that reaches all, and which interfaces it uses."""

import base64
import re
import secrets
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from polympi.lab.cluster.cluster import Cluster
from polympi.lab.cluster.hostfile import hostfile_text
from polympi.lab.environment.doctor import Check
from polympi.lab.process import Ended, run_tree
from polympi.lab.stacks.command import mpiexec_command
from polympi.lab.stacks.stack import Stack
from polympi.lab.survey.network import candidates
from polympi.lab.survey.survey import Seen, Survey
from polympi.lab.survey.words import by_value, hosts_words, who_has_what
from polympi.lab.units import format_bytes, format_ns, format_range

_SOURCE = Path(__file__).with_name("pingpong.c")
_COMPILE_S = 60.0
_LIBRARY_S = 20.0  # for a program to load the library and to say which it is
_LAUNCH_S = 60.0  # for a launch over all hosts: ssh, daemons, connections
_PAIR_S = 5.0  # and for what rank 0 exchanges with each other rank
_CARRIES = 0.8  # of the bytes that were exchanged, an interface that MPI uses has counted at least this many
# Three times as slow as the usual pair of hosts: another kind of network, or one that is in use. Hosts that are alike
# differ by up to twice on a busy machine.
_SLOW = 3.0
_TROUBLE = re.compile("error|fail|cannot|unable|signal|refused|denied|unreachable|no route|not found", re.IGNORECASE)
_HYDRA_ITSELF = re.compile(r"\[(?:proxy|mpiexec)[^\]]*\] \w+ \(")  # where in its source it gave up
_SAID = 300  # characters of a launcher's last words in a sentence


@dataclass
class Pair:
    """What rank 0 and another rank have exchanged."""

    host: str  # the other's, as the host file calls it
    latency_ns: int = 0  # one-way time of a small message
    bytes_per_s: int = 0  # one way, of large messages
    nbytes: int = 0  # in large messages, each way
    # `first` and `other`: by the names of interfaces, bytes that each host sent and received meanwhile
    first: dict[str, tuple[int, int]] = field(default_factory=dict)
    other: dict[str, tuple[int, int]] = field(default_factory=dict)

    def used(self, end: str) -> list[str]:
        """The interfaces at the ``first`` or ``other`` end that carried the messages."""
        counted: dict[str, tuple[int, int]] = getattr(self, end)
        total = sum(min(both) for both in counted.values())
        if total < _CARRIES * self.nbytes:
            return []
        share = _CARRIES * self.nbytes / max(1, len(counted))  # several may share the work
        return [name for name, both in counted.items() if min(both) >= share]


def check_mpi(survey: Survey, stack: Stack, cluster: Cluster | None, connected: Sequence[str]) -> Iterator[Check]:
    """Build the ping-pong for a stack, ask each host for its library, then launch it over those that are connected."""
    # The hosts of a cluster see its folder, whatever else of this machine they see.
    place = cluster.folder if cluster else None
    with tempfile.TemporaryDirectory(prefix="polympi-doctor-", dir=place) as scratch:
        program = Path(scratch) / "pingpong"
        if error := _build(stack, program):
            yield Check(f"stack {stack.name}", "problem", error, f"polympi stack add {stack.name}")
            return
        # On hosts that share no files, too: the probes put it where it has the same path on all of them.
        placed = f"/tmp/polympi-doctor-{secrets.token_hex(8)}/pingpong"
        text = base64.b64encode(program.read_bytes()).decode()
        # Hosts of one machine share the folder: each places what the others have placed.
        survey.ask("place", _LIBRARY_S, lambda _: {"program": text, "path": placed})
        answers = survey.ask(
            "run",
            _LIBRARY_S + 10,
            lambda _: {"command": [placed, "library"], "variables": stack.environment, "timeout_s": _LIBRARY_S},
        )
        said = {name: str(answer["output"]) for name, answer in answers.items() if answer["code"] == 0}
        versions = {name: _field(text, "library") for name, text in said.items()}
        yield from _libraries(stack, versions)
        failed = {name: str(answer["output"]) for name, answer in answers.items() if answer["code"] != 0}
        for name, output in failed.items():
            yield Check(
                f"stack {stack.name}",
                "problem",
                f"Its library does not load on {name}: {_last_line(output)}.",
                "Install the stack into a folder that all hosts see (POLYMPI_HOME), or the same MPI on each.",
                (name,),
            )
        ready = [name for name in connected if name in said]
        if len(set(versions.values())) == 1 and len(ready) > 1:
            yield from _launch(stack, cluster, [survey.hosts[name] for name in ready], placed, Path(scratch))


def _build(stack: Stack, program: Path) -> str | None:
    command = [stack.mpicc, "-std=gnu11", "-O2", str(_SOURCE), "-o", str(program), "-ldl"]
    try:
        done = subprocess.run(
            command, env=stack.variables(), capture_output=True, text=True, check=False, timeout=_COMPILE_S
        )
    except subprocess.TimeoutExpired:
        return f"{stack.mpicc} did not end within {_COMPILE_S:.0f} s."
    return f"{stack.mpicc} cannot compile a C program: {_last_line(done.stderr)}." if done.returncode else None


def _libraries(stack: Stack, versions: Mapping[str, str | None]) -> Iterator[Check]:
    names = list(versions)
    if words := who_has_what(versions):
        yield Check(
            f"MPI of {stack.name} differs",
            "problem",
            f"{words}.",
            "Ranks of different versions do not understand one another: install the same on all hosts.",
            tuple(name for odd in list(by_value(versions).values())[1:] for name in odd),
        )
    elif names:
        yield Check(f"MPI of {stack.name}", "ok", f"{versions[names[0]]} on {hosts_words(names, len(names))}.")


def _launch(
    stack: Stack, cluster: Cluster | None, hosts: Sequence[Seen], program: str, scratch: Path
) -> Iterator[Check]:
    hostfile, output = scratch / "hosts", scratch / "output"
    hostfile.write_text(hostfile_text(stack.family, {seen.name: 1 for seen in hosts}), encoding="ascii")
    command = mpiexec_command(
        stack, len(hosts), [program], processors=len(hosts), hostfile=hostfile, cluster=cluster, folder=Path("/")
    )
    limit_s = _LAUNCH_S + _PAIR_S * len(hosts)
    ended = run_tree(command, environment=stack.variables(), timeout_s=limit_s, output=output)
    yield from judge_launch(stack, hosts, output.read_text(errors="replace"), ended, limit_s)


def judge_launch(stack: Stack, hosts: Sequence[Seen], text: str, ended: Ended, limit_s: float) -> Iterator[Check]:
    """What a launch of the ping-pong says, a rank on each host, in the order of the ranks."""
    title = f"launch with {stack.name}"
    names = [seen.name for seen in hosts]
    ranks = re.findall(r"^rank (\d+) (\d+) (.*)$", text, re.MULTILINE)
    pairs = read_pairs(text, names) if len(ranks) == len(hosts) else []
    ran = f"{len(hosts)} ranks ran, one on each of {hosts_words(names)}"
    if ended.timed_out and pairs and all(pair.first and pair.other for pair in pairs):
        yield Check(
            title,
            "warning",
            f"{ran}; their messages arrived, but they did not end within {limit_s:.0f} s: MPI_Finalize does not "
            "return.",
            "MPICH 4.0 with UCX is known for that where a host is busy: take a newer MPICH.",
        )
        yield from judge_pairs(stack, hosts, pairs)
        return
    if ended.exit_code != 0:
        how = f"did not end within {limit_s:.0f} s" if ended.timed_out else f"ended with code {ended.exit_code}"
        yield Check(
            title,
            "problem",
            f"A program with a rank on each host {how}: {_telling_line(text)}.",
            f"The first host starts the others: try 'ssh {hosts[1].name} true' on {hosts[0].name}, and see the "
            "checks of names and connections above; MPI may also choose an interface that leads nowhere: name one "
            f"({_choose(stack.family, 'NAME')}).",
        )
        return
    if len(ranks) != len(hosts):
        yield Check(
            title,
            "problem",
            f"The launcher does not belong to the MPI: {len(ranks)} of {len(hosts)} ranks were seen.",
            f"polympi stack add {stack.name}",
        )
        return
    yield Check(title, "ok", f"{ran}.")
    yield from judge_pairs(stack, hosts, pairs)


def read_pairs(text: str, names: Sequence[str]) -> list[Pair]:
    """What the ping-pong has printed, a pair for each host but the first."""
    pairs = {rank: Pair(name) for rank, name in enumerate(names) if rank}
    for rank, *figures in re.findall(r"^times (\d+) (\d+) (\d+) (\d+)$", text, re.MULTILINE):
        pair = pairs[int(rank)]
        pair.latency_ns, pair.bytes_per_s, pair.nbytes = map(int, figures)
    for rank, end, name, *figures in re.findall(r"^carried (\d+) (\w+) (\S+) (-?\d+) (-?\d+)$", text, re.MULTILINE):
        sent, received = map(int, figures)
        getattr(pairs[int(rank)], end)[name] = (sent, received)
    return list(pairs.values())


def judge_pairs(stack: Stack, hosts: Sequence[Seen], pairs: Sequence[Pair]) -> Iterator[Check]:
    """Which interfaces carried the messages of each pair, and how fast; rank 0 is on the first of the hosts."""
    first, by_name = hosts[0], {seen.name: seen for seen in hosts}
    used = {first.name: pairs[0].used("first"), **{pair.host: pair.used("other") for pair in pairs}}
    yield from _interfaces_used(stack, used, by_name)
    yield from _packet_sizes(used, by_name)
    rates = sorted(pair.bytes_per_s for pair in pairs)
    times = sorted(pair.latency_ns for pair in pairs)
    usual_rate, usual_time = rates[len(rates) // 2], times[(len(times) - 1) // 2]
    slow = [p for p in pairs if p.bytes_per_s * _SLOW < usual_rate or p.latency_ns > _SLOW * usual_time]
    for pair in slow:
        yield Check(
            f"slow host with {stack.name}",
            "warning",
            f"Messages between {first.name} and {pair.host} take {format_ns(pair.latency_ns)} and reach "
            f"{format_bytes(pair.bytes_per_s)}/s; usual here are {format_ns(usual_time)} and "
            f"{format_bytes(usual_rate)}/s.",
            f"See the speed of its interface ('ethtool NAME' on {pair.host}), its cable and switch, and who else "
            "uses it.",
            (pair.host,),
        )
    if not slow:
        yield Check(
            f"messages of {stack.name}",
            "ok",
            f"Between {first.name} and another host a small message takes "
            f"{format_range(format_ns(times[0]), format_ns(times[-1]))}, large ones reach "
            f"{format_range(f'{format_bytes(rates[0])}/s', f'{format_bytes(rates[-1])}/s')}.",
        )


def _interfaces_used(stack: Stack, used: Mapping[str, Sequence[str]], hosts: Mapping[str, Seen]) -> Iterator[Check]:
    title = f"interfaces of {stack.name}"
    values = {name: "+".join(names) or None for name, names in used.items()}
    none = [name for name, value in values.items() if value is None]
    if none:
        yield Check(
            title,
            "warning",
            f"No interface of {hosts_words(none, len(used))} has counted the messages: ranks shared memory, or the "
            "network does not pass the kernel.",
            "If the hosts are one machine, its figures show no network.",
            tuple(none),
        )
        return
    groups = by_value(values)
    words = "; ".join(f"{value} on {hosts_words(names, len(used))}" for value, names in groups.items())
    slow = [name for name, names in used.items() if _faster(hosts[name], names)]
    if slow:
        better = _faster(hosts[slow[0]], used[slow[0]])
        yield Check(
            title,
            "warning",
            f"Packet counters show that MPI used {words}; but {better} of {hosts_words(slow, len(used))} is faster.",
            f"Name it: {_choose(stack.family, str(better))}.",
            tuple(slow),
        )
    else:
        yield Check(
            title,
            "ok",
            f"Packet counters show that MPI used {words}.",
            f"To choose another: {_choose(stack.family, 'NAME')}."
            if any(len(candidates(seen)) > 1 for seen in hosts.values())
            else "",
        )


def _faster(seen: Seen, used: Sequence[str]) -> str | None:
    """An interface that is faster, by what the kernel says, than all those that were used; None if there is none."""
    speeds = {one["name"]: one["mbit"] for one in candidates(seen) if one["mbit"]}
    known = [speeds[name] for name in used if name in speeds]
    better = max(speeds, key=lambda name: speeds[name], default=None)
    return better if better and known and len(known) == len(used) and speeds[better] > max(known) else None


def _packet_sizes(used: Mapping[str, Sequence[str]], hosts: Mapping[str, Seen]) -> Iterator[Check]:
    """Interfaces that were used and take packets of different sizes: large ones are lost without a word."""
    sizes: dict[str, str | None] = {}
    for name, names in used.items():
        mtus = [str(one["mtu"]) for one in hosts[name].metadata["interfaces"] if one["name"] in names]
        sizes[name] = "+".join(mtus) or None
    if words := who_has_what(sizes):
        yield Check(
            "packet sizes differ",
            "warning",
            f"The largest packet (MTU) is {words}: large messages may hang where a switch drops what is too large.",
            "Set the same on all hosts: sudo ip link set NAME mtu 1500.",
            tuple(name for names in list(by_value(sizes).values())[1:] for name in names),
        )


def _choose(family: str, name: str) -> str:
    """How a user tells MPI which interface to use."""
    return {
        "openmpi": f"OMPI_MCA_btl_tcp_if_include={name}",
        "impi": f"FI_TCP_IFACE={name} and mpiexec -iface {name}",
    }.get(family, f"UCX_NET_DEVICES={name} (or FI_TCP_IFACE={name}) and mpiexec -iface {name}")


def _field(text: str, name: str) -> str | None:
    found = re.search(rf"^{name} (.*)$", text, re.MULTILINE)
    return " ".join(found[1].split()) if found else None


def _telling_line(text: str) -> str:
    """Of what a launcher has written, the line that says most: where a rank ended, or the first one about an error."""
    if ended := re.search(r"RUNNING AT (\S+)\n=\s+((?:EXIT CODE|KILLED BY SIGNAL): [^\n]*)", text):  # of Hydra
        return f"'{ended[2]}' on {ended[1]}"
    errors = [line.strip() for line in text.splitlines() if _TROUBLE.search(line) and not _HYDRA_ITSELF.match(line)]
    return f"'{errors[0][:_SAID]}'" if errors else _last_line(text)


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if re.search(r"\w", line)]
    return f"'{lines[-1][:_SAID]}'" if lines else "it said nothing"
