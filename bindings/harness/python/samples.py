"""The samples file: the results of a launch, one record in each line (format: ``docs/protocol.md``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class SampleError(Exception):
    """The samples cannot be written; the text is one sentence that says why."""


class SampleFile:
    """The file that rank 0 writes.

    Every record leaves the process at once, outside everything timed, so that a crash loses no more than its own case.

    Args:
        path: where the file goes; one that is there is overwritten.

    Raises:
        SampleError: the file cannot be written; every method may find that out.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        try:
            self._file = open(path, "w", encoding="ascii", errors="replace", buffering=1)  # noqa: SIM115 until close()
        except OSError as error:
            raise self._failure(error) from error
        self.record("polympi-samples", 2)

    def record(self, *fields: object) -> None:
        """Write one record; line ends inside a field become spaces, for a record is a line."""
        line = " ".join(str(field).replace("\r", " ").replace("\n", " ") for field in fields)
        try:
            self._file.write(line + "\n")
        except OSError as error:
            raise self._failure(error) from error

    def times(self, kind: str, number: int, nanoseconds: Iterable[int]) -> None:
        """Write the times of a case, ``batch`` or ``event``; nothing if there are none."""
        values = list(nanoseconds)
        if values:
            self.record(kind, number, *values)

    def close(self) -> None:
        """End the file, which tells the reader that the launch came to its end."""
        self.record("end")
        self._file.close()

    def _failure(self, error: OSError) -> SampleError:
        return SampleError(f"The samples {self._path} cannot be written: {error.strerror}.")
