"""Start programs with the recorder, and read what it wrote."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from polympi.lab.audit import layout
from polympi.lab.audit.recorder import recorder_variables
from polympi.lab.stacks.command import mpiexec_command
from polympi.lab.stacks.stack import Stack

PROGRAMS = Path(__file__).parent / "audit" / "programs"
TIMEOUT_S = 120


@dataclass(frozen=True)
class Called:
    """An entry of the profile, or a record of the timeline, with names."""

    procedure: str
    communicator: int
    file: str
    function: str
    line: int
    values: Any  # the record itself


class Recorded:
    """What one process wrote."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._data = path.read_bytes()
        self.header = np.frombuffer(self._data, layout.HEADER, 1)[0]
        names = self._table("procedures", np.dtype("u1")).tobytes().decode()
        self.procedures = names.splitlines()
        self.sites = self._table("sites", layout.SITE)
        self.communicators = self._table("communicators", layout.COMMUNICATOR)
        self.segments = [
            np.frombuffer(self._data, layout.SEGMENT, 1, int(offset))[0]
            for offset in self.header["segments"][: self.header["threads"]["used"]]
        ]

    @property
    def rank(self) -> int:
        return int(self.header["rank"])

    @property
    def state(self) -> layout.State:
        return layout.State(int(self.header["state"]))

    def text(self, number: int) -> str:
        begin = int(self.header["strings"]["offset"]) + number
        return self._data[begin : self._data.index(b"\0", begin)].decode()

    def calls(self, procedure: str = "", thread: int = 0) -> list[Called]:
        """The entries of a thread's profile, of one procedure or of all; their names are without ``_c``."""
        return self._named([entry for entry in self._part(thread, 0) if entry["calls"]], procedure)

    def pending(self, thread: int = 0) -> list[Any]:
        return [operation for operation in self._part(thread, 1) if operation["request"]]

    def peers(self, thread: int = 0) -> Any:
        return self._part(thread, 2)

    def events(self, procedure: str = "", thread: int = 0) -> list[Called]:
        segment = self.segments[thread]
        return self._named(list(self._part(thread, 3)[: min(int(segment["events"]), int(segment["ring"]))]), procedure)

    def count(self, procedure: str) -> int:
        """How often a procedure was called, on all threads."""
        threads = range(len(self.segments))
        return sum(int(call.values["calls"]) for thread in threads for call in self.calls(procedure, thread))

    def _named(self, records: list[Any], procedure: str) -> list[Called]:
        named = [self._name(record) for record in records]
        return [one for one in named if not procedure or one.procedure == procedure]

    def _name(self, record: Any) -> Called:
        site = self.sites[record["site"]]
        name = self.procedures[record["procedure"]].removesuffix("_c")
        place = self.text(int(site["file"])), self.text(int(site["function"])), int(site["line"])
        return Called(name, int(record["communicator"]), *place, values=record)

    def _table(self, name: str, kind: Any) -> Any:
        table = self.header[name]
        assert name == "procedures" or table["size"] == kind.itemsize
        return np.frombuffer(self._data, kind, int(table["used"]), int(table["offset"]))

    def _part(self, thread: int, wanted: int) -> Any:
        offset = int(self.header["segments"][thread]) + layout.SEGMENT.itemsize
        sizes = (
            (layout.ENTRY, layout.MAX_ENTRIES),
            (layout.PENDING, layout.MAX_PENDING),
            (layout.PEER, int(self.header["ranks"])),
            (layout.EVENT, int(self.header["timeline"])),
        )
        for kind, number in sizes[:wanted]:
            offset += kind.itemsize * number
        return np.frombuffer(self._data, *sizes[wanted], offset)


@dataclass(frozen=True)
class Job:
    """How a recorded program ended, and its files in the order of ranks."""

    code: int
    stdout: str
    stderr: str
    ranks: list[Recorded]


def compiled(stack: Stack, source: str, into: Path, *options: str) -> Path:
    """A program in C, compiled for a stack."""
    program = into / Path(source).stem
    command = [stack.mpicc, "-O1", "-g", str(PROGRAMS / source), "-o", str(program), "-lpthread", *options]
    subprocess.run(command, env=stack.variables(), check=True, timeout=TIMEOUT_S)
    return program


def record(
    stack: Stack,
    ranks: int,
    program: list[str],
    folder: Path,
    *,
    before: Path | None = None,
    variables: Mapping[str, str] | None = None,
) -> Job:
    """Run a program on ranks with the recorder; on 0 ranks without a launcher. A library can be loaded before it."""
    folder.mkdir(exist_ok=True)
    environment = {**stack.variables(), **recorder_variables(folder), **(variables or {})}
    if before:
        environment["LD_PRELOAD"] = f"{before}:{environment['LD_PRELOAD']}"
    if ranks:
        # The launcher's own processes would load the recorder as well.
        own = {name: environment.pop(name) for name in ("LD_PRELOAD",)}
        program = ["env", *(f"{name}={value}" for name, value in own.items()), *program]
        program = mpiexec_command(stack, ranks, program, processors=2)
    done = subprocess.run(
        program,
        env=environment,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    return Job(done.returncode, done.stdout, done.stderr, recorded(folder))


def recorded(folder: Path) -> list[Recorded]:
    """The files of a folder, in the order of ranks."""
    return sorted((Recorded(path) for path in folder.glob("*.audit")), key=lambda one: (one.rank, one.path))
