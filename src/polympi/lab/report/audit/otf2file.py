"""The timeline as an OTF2 archive, which Vampir, Scalasca and other tools read; needs the package otf2."""

# ruff: noqa: PLC0415
from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from polympi.lab.audit.layout import Role
from polympi.lab.audit.model import Audit, Events
from polympi.lab.errors import UsageError, system_reason
from polympi.lab.report.audit.steps import Step, What, columns, events_of, steps

_PER_SECOND = 10**9  # ticks of the archive's clock


def write_otf2(audit: Audit, folder: Path) -> Path:
    """Write the archive into a folder, which is replaced, and return its anchor file.

    A UsageError if otf2 isn't installed, there is no timeline, or the folder can't be written.
    """
    events = events_of(audit, "OTF2")
    try:
        import otf2
    except ImportError as error:
        raise UsageError("OTF2 needs the package otf2, which isn't installed: pip install 'polympi[otf2]'.") from error
    try:
        if folder.exists():
            shutil.rmtree(folder)
        with otf2.writer.open(str(folder), timer_resolution=_PER_SECOND) as trace:
            _Writer(audit, events, trace).write()
    except (OSError, otf2.error.TraceWriterError) as error:
        reason = system_reason(error) if isinstance(error, OSError) else str(error)
        raise UsageError(f"Cannot write '{folder}': {reason}.") from error
    return folder / "traces.otf2"


class _Writer:
    """The definitions of an archive and its events."""

    def __init__(self, audit: Audit, events: Events, trace: Any) -> None:
        import otf2

        self.otf2, self.audit, self.events, self.trace = otf2, audit, events, trace
        self.steps, self.lines = steps(events), columns(events)
        self.locations = self._locations()
        self.regions: dict[tuple[int, int], Any] = {}
        self.communicators = self._communicators()

    def write(self) -> None:
        """Write the events of every thread."""
        for thread, own in self.steps.items():
            writer = self.trace.event_writer_from_location(self.locations[thread])
            for step in own:
                self._step(writer, step)

    def _locations(self) -> dict[tuple[int, int], Any]:
        """A node per host, a process per rank, a location per thread."""
        define, otf2 = self.trace.definitions, self.otf2
        job = define.system_tree_node("job", "machine")
        hosts = {rank.rank: rank.host for rank in self.audit.ranks}
        nodes = {host: define.system_tree_node(host, "node", parent=job) for host in dict.fromkeys(hosts.values())}
        groups = {
            rank: define.location_group(
                f"rank {rank}", otf2.LocationGroupType.PROCESS, system_tree_parent=nodes.get(hosts.get(rank, ""), job)
            )
            for rank in sorted({rank for rank, _ in self.steps})
        }
        return {
            (rank, thread): define.location(f"thread {thread}", otf2.LocationType.CPU_THREAD, group=groups[rank])
            for rank, thread in self.steps
        }

    def _communicators(self) -> list[tuple[Any, dict[int, int]]]:
        """The communicators, each with the place of its ranks; the last one has all ranks of the timeline."""
        define, otf2 = self.trace.definitions, self.otf2
        first: dict[int, Any] = {}
        for (rank, _), location in self.locations.items():
            first.setdefault(rank, location)
        everybody = tuple(first)
        define.group("ranks", otf2.GroupType.COMM_LOCATIONS, otf2.Paradigm.MPI, members=tuple(first.values()))
        made: list[tuple[Any, dict[int, int]]] = []
        for name, ranks in [*((one.name, one.ranks) for one in self.audit.communicators), ("all ranks", everybody)]:
            members = tuple(rank for rank in ranks if rank in first)
            group = define.group(
                *(f"{name} {len(made)}", otf2.GroupType.COMM_GROUP, otf2.Paradigm.MPI),
                members=tuple(first[rank] for rank in members),
            )
            made.append((define.comm(name, group=group), {rank: place for place, rank in enumerate(members)}))
        return made

    def _communicator(self, event: int) -> tuple[Any, dict[int, int]]:
        """The communicator of an event, or one with all ranks where it isn't known or lacks one of the two."""
        index, peer = self.lines[event].communicator, self.lines[event].peer
        if 0 <= index < len(self.communicators) - 1:
            found = self.communicators[index]
            if peer < 0 or peer in found[1]:
                return found
        return self.communicators[-1]

    def _region(self, event: int) -> Any:
        """The procedure at a site: tools list regions with their file and line."""
        key = self.lines[event].procedure, self.lines[event].site
        if key not in self.regions:
            name, site = self.events.procedures[key[0]], self.events.sites[key[1]]
            self.regions[key] = self.trace.definitions.region(
                *(name, f"{name} at {site}", str(site)),
                region_role=self.otf2.RegionRole.FUNCTION,
                paradigm=self.otf2.Paradigm.MPI,
                source_file=site.file,
                begin_line_number=site.line or 0,
                end_line_number=site.line or 0,
            )
        return self.regions[key]

    def _step(self, writer: Any, step: Step) -> None:
        event, now = step.event, step.nanoseconds
        line = self.lines[event]
        size, tag = line.bytes, max(0, line.tag)
        communicator, place = self._communicator(event)
        peer = place.get(line.peer)
        collective = self._collective(event) if line.role & Role.COLLECTIVE.value else None
        if step.what is What.BEGIN:
            writer.enter(now, self._region(event))
            if collective is not None:
                writer.mpi_collective_begin(now)
            if line.role & Role.SENDS.value and peer is not None:
                writer.mpi_send(now, peer, communicator, tag, size)
        elif step.what is What.ARRIVED and peer is not None:
            writer.mpi_recv(now, peer, communicator, tag, size)
        elif step.what is What.END:
            if collective is not None:
                root = self.otf2.Undefined.UINT32.value if peer is None else peer
                writer.mpi_collective_end(now, collective, communicator, root, size, size)
            writer.leave(now, self._region(event))

    def _collective(self, event: int) -> Any:
        """OTF2's constant for a blocking collective; None for what it has none."""
        name = self.events.procedures[self.lines[event].procedure].removeprefix("MPI_").upper().removesuffix("_C")
        return getattr(self.otf2.CollectiveOp, name, None)
