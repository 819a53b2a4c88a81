"""One traceback for ranks that fail alike: the first one of a machine prints it, and how many others have the same.

Ranks that fail at the same place of a program meet at a local socket named after that place. It is abstract (Linux,
unix(7)), so it disappears when its rank is killed, and needs no MPI, which may be stuck.
"""

from __future__ import annotations

import hashlib
import os
import re
import socket
import time
import traceback
from typing import TYPE_CHECKING, NamedTuple

from polympi.errors import Error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

WINDOW_S = 0.2  # the first one's wait for others, which fail within some ms of each other
OWN_RANK = r"\brank {}\b( of this communicator \(rank \d+ of the world\))?"  # as sentences of errors name it
LONGEST = 4096  # bytes of a report to the first one: room for a few sentences


class Failure(NamedTuple):
    """An exception that ends a rank.

    Attributes:
        place: the traceback without the message, equal on ranks that fail at the same place.
        message: the last lines.
        digest: of the message without the rank's own number.
    """

    place: str
    message: str
    digest: str


def failure_of(error: BaseException) -> Failure:
    """Describe an exception; one that only reports another rank's failure has no place."""
    message = "".join(traceback.format_exception_only(type(error), error))
    text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    place = "" if is_consequence(error) else text.removesuffix(message)
    said = re.sub(OWN_RANK.format(error.rank), "", message, count=1) if isinstance(error, Error) else message
    return Failure(place, message, _digest(said))


def is_consequence(error: BaseException) -> bool:
    """Whether an exception only reports another rank's failure: that rank gives the reason, and ends the job."""
    return isinstance(error, Error) and error.consequence


def say_once(failure: Failure, label: str, say: Callable[[str, str], object]) -> bool:
    """Report what has ended this rank, unless another one of this job and machine has failed at the same place.

    Args:
        failure: what has ended it.
        label: what the lines of this rank begin with.
        say: writes a text, each line after a label.

    Returns:
        Whether it was reported here; if not, the other one reports for both, and ends the job.
    """
    meeting = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    name = _name(failure.place)
    first = _is_first(meeting, name)
    if not first and _reported(meeting, name, f"{label}\n{failure.digest}\n{failure.message}"):
        return False
    _kept.append(meeting)
    say(failure.place + failure.message, label)
    alike = 0
    for other, digest, message in _others(meeting) if first else ():
        if digest == failure.digest:
            alike += 1
        else:
            say(message, other)
    if alike:
        say(f"and the same on {alike} other rank{'s' if alike > 1 else ''}", label)
    return True


_kept: list[socket.socket] = []  # until this process ends: ranks that fail alike later needn't report it


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()


def _name(place: str) -> bytes:
    job = os.environ.get("PMIX_NAMESPACE") or os.getppid()  # Open MPI's, or the process that started the ranks here
    return b"\0polympi " + _digest(f"{os.getuid()} {job} {place}").encode()


def _is_first(meeting: socket.socket, name: bytes) -> bool:
    try:
        meeting.bind(name)
    except OSError:
        return False
    return True


def _reported(meeting: socket.socket, name: bytes, text: str) -> bool:
    """Report to the first one; False if it is gone."""
    meeting.settimeout(1)
    try:
        meeting.sendto(text.encode(errors="replace")[:LONGEST], name)
    except OSError:
        return False
    return True


def _others(meeting: socket.socket) -> Iterator[tuple[str, str, str]]:
    """Label, digest and message of each rank that reports in time."""
    end = time.monotonic() + WINDOW_S
    while (left := end - time.monotonic()) > 0:
        meeting.settimeout(left)
        try:
            label, digest, message = meeting.recv(LONGEST).decode(errors="replace").split("\n", 2)
        except (OSError, ValueError):  # no report is left, or another program's
            continue
        yield label, digest, message
