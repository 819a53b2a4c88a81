"""What a rank answers to a call, and what is raised here if ranks have failed."""

from __future__ import annotations

import builtins
import linecache
import os
import pickle
import re
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from polympi import failures
from polympi.errors import RemoteError
from polympi.launching.pickling import dumps

if TYPE_CHECKING:
    from collections.abc import Mapping

PACKAGE = Path(failures.__file__).parent
FRAME = re.compile(r'^(  File "(.+)", line (\d+), in .*\n)(?=  File|\S|\Z)', re.MULTILINE)


class Returned(NamedTuple):
    """The function returned; the payload is its pickled result."""


class Raised(NamedTuple):
    """The function raised an exception; the payload is pickled, and empty if that isn't possible.

    Attributes:
        message: the last lines of its traceback.
        trace: all of it.
        place: where the program was, file and line.
        consequence: whether it only reports another rank's failure.
        interrupted: whether it is a KeyboardInterrupt.
    """

    message: str
    trace: str
    place: str
    consequence: bool
    interrupted: bool


class Aborted(NamedTuple):
    """The rank is about to end the job: ``polympi.abort`` or ``os._exit``."""

    how: str


Answer = Returned | Raised


class RemoteTraceback(Exception):  # noqa: N818  (it isn't raised, but shown as the cause of an exception)
    """The traceback of an exception on ranks.

    Attributes:
        text: the traceback, with labels.
        ranks: that have raised it.
        stopped: sentences on ranks that were interrupted for it.
    """

    def __init__(self, text: str, ranks: list[int], stopped: list[str]) -> None:
        super().__init__(text, ranks, stopped)
        self.text, self.ranks, self.stopped = text, ranks, stopped

    def __str__(self) -> str:
        return "\n".join(["", self.text, *self.stopped])


def returned(value: object) -> tuple[Answer, bytes]:
    """The answer with a result."""
    try:
        return Returned(), dumps(value)
    except Exception as error:
        reason = f"the result, of type {type(value).__name__}, can't be pickled: {type(error).__name__}: {error}"
        refused = pickle.PicklingError(f"{reason}; return something else")
        return raised(refused)


def raised(error: BaseException) -> tuple[Answer, bytes]:
    """The answer with an exception."""
    trace = error.__traceback__ and error.__traceback__.tb_next  # without the frame that called the function
    text = "".join(traceback.format_exception(type(error), error, trace))
    message = "".join(traceback.format_exception_only(type(error), error)).rstrip("\n")
    answer = Raised(
        message=message,
        trace=text.rstrip("\n"),
        place=_place(error),
        consequence=failures.is_consequence(error),
        interrupted=isinstance(error, KeyboardInterrupt),
    )
    try:
        payload = dumps(error) if isinstance(error, Exception) else b""
    except Exception:
        payload = b""
    return answer, payload


def _place(error: BaseException) -> str:
    """File, line and function where the program was, outside of polympi."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not is_of_polympi(frame.filename)] or frames
    return f"{own[-1].name} at {own[-1].filename}:{own[-1].lineno}" if own else "an unknown place"


def is_of_polympi(file: str) -> bool:
    """Whether a file is one of this package."""
    return file.startswith(f"{PACKAGE}{os.sep}")


def to_raise(name: str, found: Mapping[int, tuple[Raised, bytes]], stopped: Mapping[int, Raised]) -> BaseException:
    """One exception for those of ranks.

    Args:
        name: of the function.
        found: the exceptions by rank.
        stopped: ranks that were interrupted only because others had failed.
    """
    leading = {rank: answer for rank, answer in found.items() if not answer[0].consequence} or dict(found)
    alike: dict[tuple[str, str], list[int]] = {}
    for rank, (answer, _) in sorted(leading.items()):
        alike.setdefault((answer.message, answer.place), []).append(rank)
    errors = [_error(name, ranks, *leading[ranks[0]], stopped=stopped) for ranks in alike.values()]
    if len(errors) == 1:
        return errors[0]
    if sys.version_info >= (3, 11):
        return builtins.ExceptionGroup(f"{name} failed on {ranks_in_words(list(leading))}", errors)
    errors[0].__cause__ = RemoteTraceback("\n".join(str(error.__cause__) for error in errors), sorted(leading), [])
    return errors[0]


def _error(name: str, ranks: list[int], answer: Raised, payload: bytes, *, stopped: Mapping[int, Raised]) -> Exception:
    label = f"[{ranks_in_words(ranks)}] "
    text = "\n".join(f"{label}{line}" for line in _with_lines(answer.trace).splitlines())
    others = [f"[rank {rank}] was interrupted in {of.place}, since others had failed" for rank, of in stopped.items()]
    error = _unpickled(payload)
    if error is None:
        error = RemoteError(f"{name} raised {answer.message} on {ranks_in_words(ranks)}", rank=ranks[0])
    error.__cause__ = RemoteTraceback(text, ranks, others)
    if sys.version_info >= (3, 11):
        error.add_note(f"on {ranks_in_words(ranks)}")
    return error


def _unpickled(payload: bytes) -> Exception | None:
    if not payload:
        return None
    try:
        error = pickle.loads(payload)
    except Exception:
        return None
    return error if isinstance(error, Exception) else None


def _with_lines(trace: str) -> str:
    """A traceback with lines of cells and prompts, which only the process here has."""

    def with_line(found: re.Match[str]) -> str:
        line = linecache.getline(found[2], int(found[3])).strip()
        return f"{found[1]}    {line}\n" if line else found[1]

    return FRAME.sub(with_line, trace)


def ranks_in_words(ranks: list[int]) -> str:
    """``rank 2``, or ``ranks 0, 1 and 3``."""
    *first, last = map(str, sorted(ranks))
    return f"ranks {', '.join(first)} and {last}" if first else f"rank {last}"
