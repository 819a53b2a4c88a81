"""All checks of several hosts, in the order in which one thing builds on another."""

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from polympi.lab.cluster.cluster import Cluster
from polympi.lab.environment.doctor import Check
from polympi.lab.errors import LabError
from polympi.lab.home import home
from polympi.lab.stacks.stack import Stack
from polympi.lab.survey.differences import clocks, differences
from polympi.lab.survey.machines import findings, limits, versions
from polympi.lab.survey.mpi import check_mpi
from polympi.lab.survey.network import connections, interfaces, own_names, same_machine
from polympi.lab.survey.reach import NAMES_ADVICE, Reach
from polympi.lab.survey.sharing import installed, shared_folder
from polympi.lab.survey.survey import Survey
from polympi.lab.survey.words import hosts_words

# Between the first and the last comparison of clocks, at least: with round trips of 0.1 ms the drift is then known to
# about 50 parts in a million, half of what counts as much.
CLOCKS_S = 2.0


def diagnose_hosts(
    slots: Mapping[str, int],
    reach: Reach,
    stacks: Sequence[Stack],
    folder: Path,
    *,
    cluster: Cluster | None = None,
    nameless: Mapping[str, str] | None = None,
    say: Callable[[str], None] = lambda _: None,
    record: dict[str, Any] | None = None,
) -> Iterator[Check]:
    """Check several hosts, but the `nameless`, and what is between them; `record` gets what each is like."""
    needed = {str(home()): "The folder of stacks and programs"}
    for stack in stacks:
        needed[stack.mpiexec] = f"The launcher of {stack.name}"
        needed[stack.python] = f"The Python of {stack.name}"
    reported: set[str] = set()
    for name, why in (nameless or {}).items():
        yield Check(
            "names", "problem", f"The name of the host {name} cannot be resolved: {why}.", NAMES_ADVICE, (name,)
        )
    slots = {name: number for name, number in slots.items() if name not in (nameless or {})}
    if not slots:
        return
    say(f"asking {hosts_words(list(slots))}")
    with Survey(slots, reach) as survey:
        yield from _lost(survey, reported)
        survey.look([*needed, sys.executable])
        survey.compare_clocks()
        yield from _of_hosts(survey, needed, {} if cluster is None else {"cluster": cluster.metadata()})
        connected: list[str] = []
        if len(survey.hosts) > 1:
            say("connecting each host with each other one")
            said, connected = connections(survey)
            yield from said
        yield from shared_folder(survey, folder)
        survey.compare_clocks()
        for stack in stacks if survey.hosts else ():
            say(f"launching a rank of {stack.name} on each host")
            try:
                yield from check_mpi(survey, stack, cluster, connected)
            except LabError as error:
                yield Check(f"stack {stack.name}", "problem", str(error))
            survey.compare_clocks()
        if len(survey.hosts) > 1:
            time.sleep(max(0.0, CLOCKS_S - survey.seconds_of_clocks()))
            survey.compare_clocks()
            yield from clocks(list(survey.hosts.values()))
        yield from _lost(survey, reported)
        if record is not None:
            record.update(_record(survey))


def _lost(survey: Survey, reported: set[str]) -> Iterator[Check]:
    for name, why in survey.lost.items():
        if name not in reported:
            reported.add(name)
            advice = "Log in by hand: 'ssh NAME true' must succeed without a question (ssh-copy-id; a known host key)."
            yield Check("host", "problem", f"{name} {why}.", advice.replace("NAME", name), (name,))


def _of_hosts(survey: Survey, needed: Mapping[str, str], common: Mapping[str, Any]) -> Iterator[Check]:
    hosts = list(survey.hosts.values())
    if not hosts:
        return
    names = [seen.name for seen in hosts]
    yield Check("hosts", "ok", f"{len(hosts)} of {len(hosts) + len(survey.lost)} answer: {hosts_words(names)}.")
    yield from same_machine(hosts)
    yield from versions(hosts)
    yield from installed(hosts, needed)
    yield from differences(hosts)
    yield from limits(hosts)
    yield from findings(hosts, common)
    yield from own_names(hosts)
    yield from interfaces(hosts)


def _record(survey: Survey) -> dict[str, Any]:
    return {
        name: {
            "slots": seen.slots,
            "facts": seen.metadata,
            "environment": seen.record,
            "clock_offset_ns": None if seen.monotonic is None else round(seen.monotonic.ns),
            "clock_drift": None if seen.monotonic is None else seen.monotonic.drift,
        }
        for name, seen in survey.hosts.items()
    }
