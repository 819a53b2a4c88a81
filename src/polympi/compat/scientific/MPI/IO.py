"""A log file of all ranks."""  # noqa: N999  (its name)

from __future__ import annotations

from pathlib import Path

from polympi.compat.scientific.MPI.communicator import Communicator, world
from polympi.compat.scientific.MPI.errors import MPIError, own_errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TextIO

__all__ = ["LogFile"]

DIFFERENCES = {
    "LogFile": "Each rank's text appears as it was written, rank after rank, at the next flush or close of all ranks."
}


class LogFile:
    """A text file that all ranks write to. Rank 0 keeps it; the others need not see its disk.

    Text is kept in the ranks until all of them call :meth:`flush` or :meth:`close`. It then comes into the file in the
    order of ranks.
    """

    def __init__(self, filename: str, communicator: Communicator | None = None) -> None:
        """Make it; all ranks of the communicator, or of world, do that.

        Raises:
            MPIError: rank 0 cannot write to it; on all ranks.
        """
        self.filename = filename
        self.communicator = communicator or world
        self._texts: list[str] = []
        self._file: TextIO | None = None
        self._closed = False
        self._on_first(self._open)

    def write(self, string: str) -> None:
        """Write a text; other ranks need not call this.

        Raises:
            ValueError: the file is closed.
        """
        self._must_be_open()
        self._texts.append(string)

    @own_errors
    def flush(self) -> None:
        """Let what all ranks have written appear in the file; all ranks call it.

        Raises:
            MPIError: rank 0 cannot write to it; on all ranks.
            ValueError: the file is closed.
        """
        self._must_be_open()
        text, self._texts = "".join(self._texts), []
        texts = self.communicator._comm.gather(text)
        self._on_first(lambda: self._append(texts or []))

    def close(self) -> None:
        """Flush, and end; all ranks call it. A second call does nothing."""
        if not self._closed:
            self.flush()
            self._closed = True
            if self._file is not None:
                self._file.close()

    def _open(self) -> None:
        self._file = Path(self.filename).open("w", encoding="utf-8")  # noqa: SIM115  (until close)

    def _append(self, texts: list[str]) -> None:
        assert self._file is not None
        self._file.writelines(texts)
        self._file.flush()

    @own_errors
    def _on_first(self, action: Any) -> None:
        """Do something on rank 0, and learn on all ranks whether it could be done."""
        failed = None
        if self.communicator.rank == 0:
            try:
                action()
            except OSError as error:
                failed = error.strerror or str(error)
        failed = self.communicator._comm.bcast(failed)
        if failed:
            raise MPIError(f"rank 0 cannot write to the log file {self.filename}: {failed}: choose another place")

    def _must_be_open(self) -> None:
        if self._closed:
            raise ValueError(f"the log file {self.filename} is closed: make another one")
