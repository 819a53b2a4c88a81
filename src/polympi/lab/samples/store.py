"""The result directory: append-only, one directory a run, never taken over (format: ``docs/results.md``)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import polars as pl

from polympi.lab.errors import ResultError, UsageError
from polympi.lab.samples.records import FORMAT, SAMPLE_SCHEMA, Environment, LaunchRecord, Outcome, RunRecord

_Record = TypeVar("_Record")


class RunDirectory:
    """A result directory, new or read.

    Use :meth:`create` for a run that begins and :meth:`open` for one that is there.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def create(cls, path: Path, run: RunRecord, environment: Environment) -> RunDirectory:
        """Make the directory and write what was asked.

        Raises:
            UsageError: the path exists, or cannot be written.
        """
        if path.exists():
            raise UsageError(f"'{path}' exists and results are never overwritten: choose another directory with -o.")
        try:
            (path / "samples").mkdir(parents=True)
        except OSError as error:
            raise UsageError(f"Cannot create the result directory '{path}': {error.strerror}.") from error
        directory = cls(path)
        directory.write_run(run)
        directory._write_json("environment.json", environment)
        return directory

    @classmethod
    def open(cls, path: Path) -> RunDirectory:
        """Open an existing result directory.

        Raises:
            ResultError: it is missing, not a result directory, damaged, or of a newer format.
        """
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
        target = self.path / "samples" / f"{record.launch:06d}.parquet"
        partial = target.with_suffix(".partial")
        with partial.open("wb") as sink:
            samples.cast(SAMPLE_SCHEMA).write_parquet(sink)  # type: ignore[arg-type]
        partial.rename(target)
        with (self.path / "launches.jsonl").open("ab") as stream:
            stream.write(msgspec.json.encode(record) + b"\n")

    def write_outcome(self, outcome: Outcome) -> None:
        """Say how the run ended."""
        self._write_json("outcome.json", outcome)

    def run(self) -> RunRecord:
        """What was asked."""
        return self._read_json("run.json", RunRecord)

    def environment(self) -> Environment:
        """The machine and the software, as recorded before the first launch."""
        return self._read_json("environment.json", Environment)

    def outcome(self) -> Outcome | None:
        """How the run ended; None when it was killed before it could say so."""
        return self._read_json("outcome.json", Outcome) if (self.path / "outcome.json").is_file() else None

    def launches(self) -> list[LaunchRecord]:
        """All launches in the order they were made.

        Raises:
            ResultError: a line is damaged.
        """
        path = self.path / "launches.jsonl"
        if not path.is_file():
            return []
        records = []
        # A last line without its end was cut off by whatever ended the run; the launches before it are whole.
        for number, line in enumerate(path.read_bytes().split(b"\n")[:-1], start=1):
            try:
                records.append(msgspec.json.decode(line, type=LaunchRecord))
            except msgspec.MsgspecError as error:
                raise ResultError(f"'{path}' is damaged in line {number}: {error}.") from error
        return records

    def samples(self) -> pl.LazyFrame:
        """All samples, lazily; columns as in :data:`SAMPLE_SCHEMA`.

        Raises:
            ResultError: a file is damaged or missing columns.
        """
        files = list(self.samples_of_launches())
        return pl.concat(files) if files else pl.LazyFrame(schema=SAMPLE_SCHEMA)

    def samples_of_launches(self) -> Iterator[pl.LazyFrame]:
        """The samples of one launch after the other, lazily; columns as in :data:`SAMPLE_SCHEMA`.

        Raises:
            ResultError: a file is damaged or missing columns.
        """
        files = sorted((self.path / "samples").glob("*.parquet"))
        there = {file.stem for file in files}
        for record in self.launches():
            if record.outcome == "ok" and f"{record.launch:06d}" not in there:
                raise ResultError(f"'{self.path}' is damaged: the samples of launch {record.launch} are missing.")
        for file in files:
            try:
                frame = pl.scan_parquet(file, glob=False)  # a result directory may be called 'run[1]'
                schema = frame.collect_schema()
            except (pl.exceptions.PolarsError, OSError) as error:
                raise ResultError(f"'{file}' is damaged and cannot be read; remove it to report the rest.") from error
            if dict(schema) != SAMPLE_SCHEMA:
                raise ResultError(f"'{file}' does not hold samples: its columns differ from docs/results.md.")
            yield frame

    def _write_json(self, name: str, content: Any) -> None:
        target = self.path / name
        partial = target.with_suffix(".partial")
        partial.write_bytes(msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n")
        partial.rename(target)

    def _read_json(self, name: str, kind: type[_Record]) -> _Record:
        path = self.path / name
        try:
            return msgspec.json.decode(path.read_bytes(), type=kind)
        except OSError as error:
            raise ResultError(f"Cannot read '{path}': {error.strerror}.") from error
        except msgspec.MsgspecError as error:
            raise ResultError(f"'{path}' is damaged: {error}.") from error
