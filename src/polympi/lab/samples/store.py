"""The result directory: append-only, one directory for each run, never used again (format: ``docs/results.md``)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import polars as pl

from polympi.lab.decoding import what_is_wrong
from polympi.lab.demands import Demand, Instructions
from polympi.lab.errors import ResultError, UsageError, system_reason
from polympi.lab.records import (
    FORMAT,
    SAMPLE_SCHEMA,
    Environment,
    Finding,
    LaunchRecord,
    Metadata,
    Outcome,
    RunRecord,
    StackMetadata,
    StackRun,
    ToolLaunch,
)
from polympi.lab.samples.counting import mark_uncounted

_Record = TypeVar("_Record")
ENVIRONMENT = "environment.json"
LAUNCHES = "launches.jsonl"
TOOLS = "tools.jsonl"
DEMANDS = "demands.json"
INSTRUCTIONS = "instructions.json"
_CASE = ("benchmark", "mode", "payload", "size_bytes")


class LostSamplesError(ResultError):
    """The samples of one launch are missing or damaged; the text names the file."""


def file_name(record: LaunchRecord) -> str:
    """The name of a launch's file of samples, without its ending."""
    return f"{record.launch:06d}"


def _is_of(record: LaunchRecord, samples: pl.DataFrame) -> bool:
    fields = ("launch", "stack", "block", "binding", "ranks")
    return all(samples[name].eq_missing(getattr(record, name)).all() for name in fields)


def _is_planned(stack: StackRun, samples: pl.DataFrame) -> bool:
    planned = {tuple(getattr(case, name) for name in _CASE) for case in stack.cases}
    return planned.issuperset(samples.select(_CASE).unique().iter_rows())


class RunDirectory:
    """A result directory: use :meth:`create` for a run that begins and :meth:`open` for one that is there."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def create(cls, path: Path, run: RunRecord, environment: Environment) -> RunDirectory:
        """Make the directory and write what was asked; UsageError if the path exists, or cannot be written."""
        if path.exists():
            raise UsageError(f"'{path}' exists and results are never overwritten: choose another directory with -o.")
        try:
            (path / "samples").mkdir(parents=True)
        except OSError as error:
            raise UsageError(
                f"Cannot create the result directory '{path}': {system_reason(error)}; choose another with -o."
            ) from error
        directory = cls(path)
        directory.write_run(run)
        directory._write_json(
            ENVIRONMENT, {**environment.metadata, "stacks": environment.stacks, "findings": environment.findings}
        )
        return directory

    @classmethod
    def open(cls, path: Path) -> RunDirectory:
        """Open a result directory; ResultError if it is missing, damaged, of a newer format, or none."""
        if not path.is_dir():
            raise ResultError(f"There is no result directory '{path}'.")
        if not (path / "run.json").is_file():
            raise ResultError(f"'{path}' is not a result directory: it has no run.json.")
        directory = cls(path)
        if directory.run().format != FORMAT:
            raise ResultError(
                f"'{path}' has result format {directory.run().format}; this polympi reads format {FORMAT}: "
                "use the version of polympi that wrote it, or a newer one."
            )
        return directory

    def write_run(self, run: RunRecord) -> None:
        """Write ``run.json``; called again when calibration has chosen the iterations of a stack."""
        self._write_json("run.json", run)

    def append_launch(self, record: LaunchRecord, samples: pl.DataFrame) -> None:
        """Keep a launch: its samples first, so that a line in ``launches.jsonl`` always has its file."""
        target = self.path / "samples" / f"{file_name(record)}.parquet"
        partial = target.with_suffix(".partial")
        with partial.open("wb") as sink:
            samples.cast(SAMPLE_SCHEMA).write_parquet(sink)  # type: ignore[arg-type]
        partial.rename(target)
        self._append_line(LAUNCHES, record)

    def append_tool(self, record: ToolLaunch) -> None:
        """Keep a launch of a third-party tool."""
        self._append_line(TOOLS, record)

    def write_demands(self, demands: Sequence[Demand]) -> None:
        """Keep what bindings ask of MPI, instead of what was kept before."""
        self._write_json(DEMANDS, demands)

    def demands(self) -> list[Demand]:
        """What bindings ask of MPI; empty if it was not recorded, or cannot be read."""
        return self._read_unless_damaged(DEMANDS, list[Demand]) or []

    def write_instructions(self, counts: Sequence[Instructions]) -> None:
        """Keep how many instructions bindings execute."""
        self._write_json(INSTRUCTIONS, counts)

    def instructions(self) -> list[Instructions]:
        """How many instructions bindings execute; empty if they were not counted, or cannot be read."""
        return self._read_unless_damaged(INSTRUCTIONS, list[Instructions]) or []

    def write_outcome(self, outcome: Outcome) -> None:
        """Say how the run ended."""
        self._write_json("outcome.json", outcome)

    def begin_again(self, when: str) -> None:
        """Note that the run is continued: it has not ended any more."""
        run = self.run()
        run.resumed.append(when)
        self.write_run(run)
        self._end_last_lines()
        (self.path / "outcome.json").unlink(missing_ok=True)

    def run(self) -> RunRecord:
        """What was asked; ResultError if ``run.json`` is missing or damaged."""
        path = self.path / "run.json"
        try:
            return self._read_json("run.json", RunRecord)
        except OSError as error:
            raise ResultError(f"Cannot read '{path}': {system_reason(error)}.") from error
        except ValueError as error:
            raise ResultError(
                f"'{path}' is damaged ({what_is_wrong(error)}): without it nothing is known of the run; "
                "take it from a copy of the directory, or measure again."
            ) from error

    def environment(self) -> Environment:
        """The machine and the software, as recorded before the first launch; empty if that cannot be read."""
        return self._recorded_environment() or Environment()

    def outcome(self) -> Outcome | None:
        """How the run ended; None when it was killed before it could record this, or the record cannot be read."""
        return self._read_unless_damaged("outcome.json", Outcome)

    def damaged_files(self) -> list[str]:
        """Names of the files next to ``run.json`` that exist and can't be read."""
        read = {
            ENVIRONMENT: self._recorded_environment(),
            "outcome.json": self.outcome(),
            DEMANDS: self._read_unless_damaged(DEMANDS, list[Demand]),
        }
        damaged = [name for name, content in read.items() if content is None and (self.path / name).exists()]
        return damaged + [TOOLS] * any(record is None for _, record in self._lines(TOOLS, ToolLaunch))

    def launches(self) -> list[LaunchRecord]:
        """All launches in the order they were made; those that cannot count say so by their outcome.

        A damaged line costs its launch (:meth:`damaged_lines`). A launch without its samples is ``lost``; one that a
        later launch took the place of is ``repeated`` (:func:`~polympi.lab.samples.counting.mark_uncounted`).
        """
        there = {file.stem for file in self._sample_files()}
        records = [record for _, record in self._lines(LAUNCHES, LaunchRecord) if record is not None]
        return mark_uncounted(records, there=lambda record: file_name(record) in there)

    def tool_launches(self) -> list[ToolLaunch]:
        """The launches of third-party tools that count: for a repeated block, those of the last attempt."""
        records = [record for _, record in self._lines(TOOLS, ToolLaunch) if record is not None]
        tries: dict[tuple[str, int], int] = {}
        every: Iterable[LaunchRecord | ToolLaunch] = (*records, *self.launches())
        for one in every:
            if one.block is not None:
                block = (one.stack, one.block)
                tries[block] = max(one.attempt, tries.get(block, 0))
        return [record for record in records if record.attempt == tries[record.stack, record.block]]

    def damaged_lines(self) -> list[int]:
        """Numbers of the lines of ``launches.jsonl`` that cannot be read, from 1."""
        return [number for number, record in self._lines(LAUNCHES, LaunchRecord) if record is None]

    def next_launch(self) -> int:
        """The first number that no launch has, not even one of which the record was lost."""
        recorded = [record.launch for _, record in self._lines(LAUNCHES, LaunchRecord) if record is not None]
        taken = [int(file.stem) for file in self._sample_files() if file.stem.isdigit()]
        return max([*taken, *recorded], default=-1) + 1

    def samples(self) -> pl.LazyFrame:
        """The samples of all launches that ended well, lazily, as in :data:`SAMPLE_SCHEMA`, or LostSamplesError."""
        files = [self.samples_of(record) for record in self.launches() if record.outcome == "ok"]
        return pl.concat(files).lazy() if files else pl.LazyFrame(schema=SAMPLE_SCHEMA)

    def samples_of(self, record: LaunchRecord) -> pl.DataFrame:
        """The samples of one launch, as in :data:`SAMPLE_SCHEMA`; LostSamplesError if there are none that count."""
        name = f"samples/{file_name(record)}.parquet"
        try:
            # The bytes are read first: a result directory may be called 'run[1]', which would be taken for a pattern.
            frame = pl.read_parquet(BytesIO((self.path / name).read_bytes()))
        except FileNotFoundError:
            raise LostSamplesError(f"{name} is missing") from None
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
            raise LostSamplesError(f"{name} is damaged") from error
        if dict(frame.schema) != SAMPLE_SCHEMA:
            raise LostSamplesError(f"{name} does not hold samples")
        if not _is_of(record, frame):
            raise LostSamplesError(f"{name} holds the samples of another launch")
        for stack in self.run().stacks:
            if stack.stack == record.stack and not _is_planned(stack, frame):
                raise LostSamplesError(f"{name} holds samples of a case that was not planned")
        return frame

    def _append_line(self, name: str, record: LaunchRecord | ToolLaunch) -> None:
        with (self.path / name).open("ab") as stream:
            stream.write(msgspec.json.encode(record) + b"\n")

    def _end_last_lines(self) -> None:
        """End last lines that were cut off, so that the next record begins a new line."""
        for path in (self.path / LAUNCHES, self.path / TOOLS):
            if path.is_file() and (content := path.read_bytes()) and not content.endswith(b"\n"):
                with path.open("ab") as stream:
                    stream.write(b"\n")

    def _lines(self, name: str, kind: type[_Record]) -> Iterator[tuple[int, _Record | None]]:
        """The lines of a file of records by their numbers from 1; None where one cannot be read."""
        path = self.path / name
        if not path.is_file():
            return
        # A last line without its end was cut off when the run ended; the launches before it are complete.
        for number, line in enumerate(path.read_bytes().split(b"\n")[:-1], start=1):
            try:
                yield number, msgspec.json.decode(line, type=kind)
            except (msgspec.MsgspecError, UnicodeDecodeError):
                yield number, None

    def _sample_files(self) -> list[Path]:
        return sorted((self.path / "samples").glob("*.parquet"))

    def _write_json(self, name: str, content: Any) -> None:
        target = self.path / name
        partial = target.with_suffix(".partial")
        partial.write_bytes(msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n")
        partial.rename(target)

    def _recorded_environment(self) -> Environment | None:
        """The metadata are next to what every environment has; None if the file can't be read."""
        try:
            metadata = self._read_json(ENVIRONMENT, Metadata)
            stacks = msgspec.convert(metadata.pop("stacks", None) or {}, dict[str, StackMetadata])
            findings = msgspec.convert(metadata.pop("findings", None) or [], list[Finding])
        except (OSError, ValueError):
            return None
        return Environment(metadata=metadata, stacks=stacks, findings=findings)

    def _read_json(self, name: str, kind: type[_Record]) -> _Record:
        return msgspec.json.decode((self.path / name).read_bytes(), type=kind)

    def _read_unless_damaged(self, name: str, kind: type[_Record]) -> _Record | None:
        try:
            return self._read_json(name, kind)
        except (OSError, ValueError):  # msgspec's errors are ValueErrors, as are those of bytes that aren't text
            return None
