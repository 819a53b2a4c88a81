"""Whether hosts reach each other by their names and through any firewall, and what their interfaces are like."""

import ipaddress
import secrets
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from polympi.lab.environment.doctor import Check
from polympi.lab.survey.survey import Seen, Survey
from polympi.lab.survey.words import by_value, hosts_words

CONNECT_S = 3.0  # a connection in a local network takes less than a millisecond; the kernel asks again after 1 s
_PORTS = (
    "Let hosts of this run connect to each other on all ports (sudo ufw allow from NETWORK), or open a range and name "
    "it: MPICH MPIR_CVAR_CH3_PORT_RANGE (its launcher) and UCX_TCP_PORT_RANGE (its messages), Open MPI "
    "OMPI_MCA_btl_tcp_port_min_v4."
)
_ROUTES = "See 'ip address' and 'ip route' on both: set the interface up, give it an address in their common network."
_NAMES = "Write the addresses of all hosts into /etc/hosts of each, or into the name service."

_REASONS = {  # what the system says of a connection: what it means, and what to do
    "ETIMEDOUT": ("nothing comes back, as if a firewall drops it or its network is down", _PORTS),
    "ECONNREFUSED": ("it is refused, as by a firewall that rejects", _PORTS),
    "EHOSTUNREACH": (
        "the host is not reachable: its network is down, there is no route, or a firewall rejects",
        _ROUTES,
    ),
    "ENETUNREACH": ("there is no route to its network", _ROUTES),
    "EACCES": ("the system refuses, as a firewall on the host itself does", _PORTS),
    "EPERM": ("the system refuses, as a firewall on the host itself does", _PORTS),
}


def connections(survey: Survey) -> tuple[list[Check], list[str]]:
    """Connect every host with every other one, on a port that the system chooses; all that can talk to the first."""
    tokens = {name: secrets.token_hex(8) for name in survey.hosts}
    ports = survey.ask("listen", 2 * CONNECT_S, lambda name: {"token": tokens[name]})

    def others(name: str) -> Mapping[str, Any]:
        return {"targets": [[one, ports[one]["port"]] for one in ports if one != name], "timeout_s": CONNECT_S}

    answers = survey.ask("connect", 3 * CONNECT_S + 20, others)
    return list(judge_connections(answers, {name: tokens[name] for name in ports})), connected(answers)


def connected(answers: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The host with the fewest failed connections, and all hosts that it reaches and that reach it."""
    if not answers:
        return []
    broken = {frozenset((name, to)) for name, found in answers.items() for to in found if "token" not in found[to]}
    failures = {name: sum(name in pair for pair in broken) for name in answers}
    first = min(answers, key=lambda name: failures[name])
    return [name for name in answers if frozenset((first, name)) not in broken]


def judge_connections(answers: Mapping[str, Mapping[str, Any]], tokens: Mapping[str, str]) -> Iterator[Check]:
    """What the connections say: what each host says of each other one, and what each tells those that connect to it."""
    unknown: dict[str, list[str]] = {}
    failed: dict[tuple[str, str], list[str]] = {}
    for name, found in answers.items():
        for other, answer in found.items():
            why = answer.get("error")
            if why == "unknown":
                unknown.setdefault(other, []).append(name)
            elif why:
                failed.setdefault((name, why), []).append(other)
            elif answer.get("token") != tokens[other]:
                failed.setdefault((name, f"another machine has the address {answer['address']}"), []).append(other)
    for other, names in unknown.items():
        text = f"The name {other} is not known on {hosts_words(names)}."
        yield Check("names", "problem", text, _NAMES, tuple(names))
    together: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (name, why), others in failed.items():
        together.setdefault((why, tuple(others)), []).append(name)
    for (why, to), names in together.items():
        text, advice = _REASONS.get(why, (why, _NAMES if why.startswith("another") else _PORTS))
        yield Check(
            "connections",
            "problem",
            f"From {hosts_words(names)} no connection to {hosts_words(to)} on a free port: {text}.",
            advice,
            tuple(dict.fromkeys([*names, *to])),
        )
    pairs = sum(len(found) for found in answers.values())
    if pairs and not unknown and not failed:
        yield Check("connections", "ok", f"Every host reaches every other one on a free port ({pairs} tried).")


def own_names(hosts: Sequence[Seen]) -> Iterator[Check]:
    """Hosts whose own name leads nowhere, or to themselves only: launchers pass it to the other hosts."""
    nowhere = [seen.name for seen in hosts if not seen.metadata["own_addresses"]]
    if nowhere:
        yield Check(
            "own name",
            "warning",
            f"On {hosts_words(nowhere, len(hosts))}, the host's own name has no address: launchers that pass it on "
            "fail.",
            _NAMES,
            tuple(nowhere),
        )
    loop = [
        seen.name
        for seen in hosts
        if seen.metadata["own_addresses"]
        and all(ipaddress.ip_address(address).is_loopback for address in seen.metadata["own_addresses"])
    ]
    if loop:
        address = next(seen for seen in hosts if seen.name == loop[0]).metadata["own_addresses"][0]
        yield Check(
            "own name",
            "warning",
            f"On {hosts_words(loop, len(hosts))}, the host's own name leads to itself only ({address}): launchers pass "
            "it to other hosts.",
            "Take the name out of the line of 127.0.1.1 in /etc/hosts, or name the interface: mpiexec -iface NAME.",
            tuple(loop),
        )


def same_machine(hosts: Sequence[Seen]) -> Iterator[Check]:
    """Names that lead to one and the same machine."""
    groups = by_value({seen.name: str(seen.metadata["machine"]) for seen in hosts})
    for names in groups.values():
        if len(names) > 1:
            yield Check(
                "same machine",
                "warning",
                f"{hosts_words(names)} are one machine: its ranks share memory and no network is between them.",
                "Name each machine once in the host file, with all its slots.",
                tuple(names),
            )


def interfaces(hosts: Sequence[Seen]) -> Iterator[Check]:
    """The interfaces that could carry messages, and what of them misleads MPI libraries."""
    several: dict[tuple[str, str], list[str]] = {}
    for seen in hosts:
        for one in candidates(seen):
            several.setdefault((one["name"], one["address"]), []).append(seen.name)
    for (name, address), names in several.items():
        if len({str(seen.metadata["machine"]) for seen in hosts if seen.name in names}) > 1:
            yield Check(
                "address twice",
                "warning",
                f"Interface {name} has the same address {address} on {hosts_words(names, len(hosts))}: no message "
                "arrives through it, but MPI libraries may try (bridges of containers and virtual machines are such).",
                f"Leave it out: OMPI_MCA_btl_tcp_if_exclude=lo,{name} (Open MPI); name the right one for MPICH: "
                "UCX_NET_DEVICES=NAME, FI_TCP_IFACE=NAME, mpiexec -iface NAME.",
                tuple(names),
            )
    for seen in hosts:
        if not candidates(seen):
            yield Check(
                "interfaces",
                "problem",
                f"{seen.name} has no interface with an address that carries anything.",
                "See 'ip address' there: set the interface up, and give it an address.",
                (seen.name,),
            )


def candidates(seen: Seen) -> list[dict[str, Any]]:
    """The interfaces of a host that have an address, carry something, and lead elsewhere."""
    found: list[dict[str, Any]] = seen.metadata["interfaces"]
    return [one for one in found if one["address"] and one["carries"] and not one["loopback"]]
