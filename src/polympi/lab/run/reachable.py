"""Whether the hosts of a run answer and can connect: before a launch fails without saying which of them cannot."""

import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from polympi.lab.cluster.cluster import Cluster
from polympi.lab.cluster.hostfile import read_hostfile
from polympi.lab.conclusions.phrases import listing
from polympi.lab.environment.allocation import allocation
from polympi.lab.environment.doctor import Check
from polympi.lab.errors import UsageError
from polympi.lab.records import Finding
from polympi.lab.run.request import Request
from polympi.lab.survey.network import connections
from polympi.lab.survey.reach import NAMES_ADVICE, Reach, short_name, unresolved, way_to
from polympi.lab.survey.session import ANSWER_S
from polympi.lab.survey.survey import Survey
from polympi.lab.units import format_bytes

TRIES = 2  # before hosts are said not to be connected: one that is very busy may once answer too late
FULL_BYTES = 8 * 2**20  # free, with which not even two ranks or a launcher can be sure to start
_NEEDED = (
    ("Shared memory is full", "shared_memory_free_bytes", "/dev/shm", "ranks that share it may be ended by SIGBUS"),
    (
        "Temporary files are full",
        "temporary_free_bytes",
        "TMPDIR (/tmp)",
        "daemons of Open MPI's launcher cannot start",
    ),
)
_AGAIN = "Leave it out, or bring it back; 'polympi doctor --hostfile FILE' checks all hosts."


def hosts_of(request: Request) -> list[str]:
    """The hosts on which ranks will run, as the launcher knows them; none where that is this one alone, or unknown."""
    if request.hostfile is not None:
        return list(read_hostfile(request.hostfile))
    job = allocation()
    return [] if job is None or job.only_here else list(job.hosts)


def check_names(request: Request) -> None:
    """Make sure that the names of a host file can be resolved here, unless the user's own launcher reaches them."""
    own_way = request.launching.launcher or any(stack.launcher for stack in request.stacks)
    if request.hostfile is None or request.cluster is not None or own_way:
        return
    if found := unresolved(read_hostfile(request.hostfile)):
        name, why = next(iter(found.items()))
        others = f" (nor can {listing(list(found)[1:])})" if len(found) > 1 else ""
        raise UsageError(
            f"The name of the host {name} in the host file '{request.hostfile}' cannot be resolved: {why}{others}. "
            f"{NAMES_ADVICE}"
        )


def unconnected(request: Request, say: Callable[[str], None]) -> list[Finding]:
    """Ask all hosts of a run to connect; warnings about those that cannot, or have no room left.

    Ports of real hosts may be closed but for those that MPI is told to use, and MPI may have another network than TCP,
    so that these are warnings. A test cluster has nothing else: there it is a UsageError, as it is when a host does not
    answer, although others do.
    """
    hosts, cluster = hosts_of(request), request.cluster
    own_way = request.launching.launcher and cluster is None and request.hostfile is not None
    if len(hosts) < 2 or own_way:  # who names a launcher reaches hosts in a way that is not known here
        return []
    try:
        reach = way_to(cluster, None)
    except UsageError:  # there is no way to ask; the launcher may have one
        return []
    say(f"trying the connections between {len(hosts)} hosts")
    problems, full = _problems(hosts, reach)
    if problems and cluster is not None:
        raise UsageError(_broken(cluster, problems[0]))
    return [*(Finding("warning", "Hosts not connected", one.text, one.advice) for one in problems), *full]


def _problems(hosts: Sequence[str], reach: Reach) -> tuple[list[Check], list[Finding]]:
    """What is wrong with connections, the last time that they were tried, and with shared memory."""
    found: list[Check] = []
    full: list[Finding] = []
    for _ in range(TRIES):
        with Survey(dict.fromkeys(hosts, 1), reach) as survey:
            checks, _ = connections(survey) if survey.hosts else ([], [])
            metadata = survey.ask("metadata", ANSWER_S, lambda _: {"paths": []})
            _check_answers(hosts, survey)
        full = list(_full(metadata))
        found = [check for check in checks if check.status == "problem"]
        if not found:
            break
    return found, full


def _full(metadata: Mapping[str, Mapping[str, Any]]) -> Iterator[Finding]:
    """Warnings about hosts on which launchers cannot start, or ranks are ended, without a word on why."""
    for title, field, where, what in _NEEDED:
        free = {
            name: one[field] for name, one in metadata.items() if one[field] is not None and one[field] < FULL_BYTES
        }
        if free:
            left = listing([format_bytes(nbytes) for nbytes in free.values()])
            text = f"On {listing(list(free))} {where} has only {left} left: {what}."
            yield Finding("warning", title, text, f"Remove files that programs left in {where} there.")


def _check_answers(hosts: Sequence[str], survey: Survey) -> None:
    """Make sure that no host is silent while others answer; this one is there, whether it reaches itself or not.

    Where none answers, the way to reach them does not work, which says nothing about the hosts.
    """
    here = short_name(socket.gethostname())
    silent = {name: survey.lost[name] for name in hosts if name in survey.lost and short_name(name) != here}
    if silent and len(survey.lost) < len(hosts):
        name, why = next(iter(silent.items()))
        others = f" ({len(silent) - 1} more do not answer either)" if len(silent) > 1 else ""
        raise UsageError(f"The host {name} {why}{others}. {_AGAIN}")


def _broken(cluster: Cluster, problem: Check) -> str:
    return (
        f"The hosts of the cluster '{cluster.name}' cannot connect to each other. {problem.text} Look for a firewall "
        f"('polympi cluster exec --name {cluster.name} -- iptables-save'), or make the cluster again."
    )
