"""Output of several ranks, in the order of ranks."""

from __future__ import annotations

import os
import sys
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

    import polympi


def trace(*args: object) -> None:
    """Write the arguments, with blanks between, and let them appear at once."""
    sys.stdout.write(_text(args))
    sys.stdout.flush()


def traceln(*args: object) -> None:
    """Like :func:`trace`, as a line."""
    trace(_text(args) + "\n")


def write(comm: polympi.Communicator, args: tuple[object, ...], end: str, file: TextIO | None) -> None:
    """Write what all ranks give, in the order of ranks.

    What is for standard output or standard error goes through rank 0: launchers do not keep the order in which several
    ranks write. Other files may be those of one rank, and so each rank writes its own.
    """
    place = sys.stdout if file is None else file
    text = _text(args) + end
    name = next((name for name in ("stdout", "stderr") if place is getattr(sys, name)), None)
    for turn, (stream, written) in enumerate(comm.allgather((name, text if name else ""))):
        if stream is None:
            if turn == comm.rank:
                place.write(text)
                place.flush()
            comm.barrier()
        elif comm.rank == 0:
            getattr(sys, stream).write(written)
            getattr(sys, stream).flush()
    comm.barrier()  # what a rank writes next comes after it


def place(given: TextIO | str | None, standard: TextIO) -> TextIO:
    """The file whose output is to appear. Nothing is queued for a file with a name: it is only made."""
    if isinstance(given, (str, os.PathLike)):
        Path(given).touch()
        return standard
    return standard if given is None else given


def flush(comm: polympi.Communicator, *files: TextIO) -> None:
    """Let what has been written appear, in the order of ranks."""
    for turn in range(comm.size):
        if turn == comm.rank:
            for file in files:
                file.flush()
        comm.barrier()


def _text(args: tuple[object, ...]) -> str:
    return " ".join(map(str, args))
