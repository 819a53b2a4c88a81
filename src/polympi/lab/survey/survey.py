"""Asking all hosts at once, and going on without those that do not answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

from polympi.lab.survey.clocks import NS_PER_S, ROUND_TRIPS, Line, best_offset, fit
from polympi.lab.survey.reach import HostLost, Reach
from polympi.lab.survey.session import START_S, Session

RECORD_S = 60.0  # for a host to record its machine, with all the modules that this imports
_T = TypeVar("_T")


@dataclass
class Seen:
    """What is known of a host."""

    name: str
    slots: int = 1  # ranks that it takes
    metadata: dict[str, Any] = field(default_factory=dict)  # what `metadata` says
    # The record of its machine; empty where polympi is not installed there.
    record: dict[str, Any] = field(default_factory=dict)
    folder: str | None = None  # where polympi is there; None where it is not installed
    why_no_polympi: str = ""
    # `monotonic` and `of_day`: its clocks compared with ours
    monotonic: Line | None = None
    of_day: Line | None = None

    @property
    def version(self) -> str | None:
        """The version of polympi there, with its commit and whether it was changed, as far as they are known."""
        version: str | None = (self.record.get("packages") or {}).get("polympi")
        source = self.record.get("source") or {}
        commit = source.get("commit")
        return f"{version} ({commit[:10]}{', changed' if source.get('changed') else ''})" if commit else version


class Survey:
    """All hosts of a run that answer, each with a probe, and the ends of sentences on those that were `lost`."""

    def __init__(self, slots: Mapping[str, int], reach: Reach) -> None:
        self.hosts: dict[str, Seen] = {name: Seen(name, number) for name, number in slots.items()}
        self.lost: dict[str, str] = {}
        self._reach = reach
        self._sessions: dict[str, Session] = {}
        self._rounds: dict[str, list[Any]] = {name: [] for name in slots}

    def __enter__(self) -> Survey:
        def begin(name: str) -> None:
            self._sessions[name] = Session(name, self._reach)
            self._sessions[name].begin(START_S)

        try:
            self._all(begin)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        with ThreadPoolExecutor(max(1, len(self._sessions))) as pool:
            list(pool.map(lambda session: session.close(), self._sessions.values()))

    def look(self, paths: Sequence[str]) -> None:
        """Ask each host what it is like, and which of these paths are there."""
        for name, metadata in self._all(lambda name: self._sessions[name].ask("metadata", paths=list(paths))).items():
            self.hosts[name].metadata = metadata
        # One after the other: hosts of one machine would find each other's work in the load of the machine.
        for name in list(self.hosts):
            for answer in self._all(lambda one: self._sessions[one].ask("environment", RECORD_S), [name]).values():
                seen = self.hosts[name]
                seen.record, seen.folder = answer.get("record", {}), answer.get("folder")
                seen.why_no_polympi = answer.get("why", "")

    def ask(self, what: str, timeout_s: float, arguments: Callable[[str], Mapping[str, Any]]) -> dict[str, Any]:
        """Ask all hosts the same, each with its own arguments; the answers of those that give one."""
        return self._all(lambda name: self._sessions[name].ask(what, timeout_s, **arguments(name)))

    def compare_clocks(self) -> None:
        """Compare the clocks of all hosts with ours once more, one by one, so that no round trip waits for another."""
        for name in list(self.hosts):
            self._all(lambda one: [self._sessions[one].exchange() for _ in range(ROUND_TRIPS)], [name], self._rounds)
        for name, seen in self.hosts.items():
            seen.monotonic = fit([best_offset(one) for one in self._rounds[name]])
            seen.of_day = fit([best_offset(one, of_day=True) for one in self._rounds[name]])

    def seconds_of_clocks(self) -> float:
        """How long ago the clocks were compared first, at their last comparison."""
        rounds = [one for name in self.hosts for one in self._rounds[name]]
        moments = [exchange.sent for one in rounds for exchange in one]
        return (max(moments) - min(moments)) / NS_PER_S if moments else 0.0

    def _all(
        self, act: Callable[[str], _T], names: Sequence[str] | None = None, into: dict[str, list[Any]] | None = None
    ) -> dict[str, _T]:
        """Do something with hosts that answer, all together, by name, and add `into` lists; leave lost ones out."""
        names = list(self.hosts) if names is None else list(names)
        results: dict[str, _T] = {}

        def one(name: str) -> None:
            try:
                results[name] = act(name)
            except HostLost as lost:
                self.lost[name] = str(lost)

        with ThreadPoolExecutor(max(1, len(names))) as pool:
            list(pool.map(one, names))
        for name in names:
            if name in self.lost:
                self.hosts.pop(name, None)
            elif into is not None:
                into[name].append(results[name])
        return {name: results[name] for name in names if name in results and name not in self.lost}
