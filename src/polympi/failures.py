"""What ranks print that fail alike: the first one of a machine its traceback, and how many others have the same.

Ranks that fail at the same place of a program meet at a socket of the machine with the name of that place. It is an
abstract one (Linux, unix(7)), of which nothing is left when its rank is killed, and needs no MPI, which may be stuck.
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

WINDOW_S = 0.2  # that the first one waits for others: ranks leave a call with an exception within some ms of each other
OWN_RANK = r"\brank {}\b( of this communicator \(rank \d+ of the world\))?"  # as sentences of errors name it
LONGEST = 4096  # bytes of what another one tells it: room for a few sentences


class Failure(NamedTuple):
    """An exception that ends a rank.

    Attributes:
        place: the traceback without the message, as which it is the same on other ranks.
        message: the last lines.
        digest: of the message, alike where ranks say the same, each of itself.
    """

    place: str
    message: str
    digest: str


def failure_of(error: BaseException) -> Failure:
    """Describe an exception; one that only tells that another rank has failed has no place."""
    message = "".join(traceback.format_exception_only(type(error), error))
    text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    place = "" if is_consequence(error) else text.removesuffix(message)
    said = re.sub(OWN_RANK.format(error.rank), "", message, count=1) if isinstance(error, Error) else message
    return Failure(place, message, _digest(said))


def is_consequence(error: BaseException) -> bool:
    """Whether an exception only tells that another rank has failed: that one says why, and ends the job."""
    return isinstance(error, Error) and error.consequence


def say_once(failure: Failure, label: str, say: Callable[[str, str], object]) -> bool:
    """Say what has ended this rank, unless another one of this job and machine has failed at the same place.

    Args:
        failure: what has ended it.
        label: what the lines of this rank begin with.
        say: writes a text, each line after a label.

    Returns:
        Whether it was said here; if not, the other one speaks for both, and ends the job.
    """
    meeting = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    name = _name(failure.place)
    first = _is_first(meeting, name)
    if not first and _told(meeting, name, f"{label}\n{failure.digest}\n{failure.message}"):
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


_kept: list[socket.socket] = []  # until this process ends: ranks that fail alike still later need not say so


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


def _told(meeting: socket.socket, name: bytes, text: str) -> bool:
    """Tell the first one; False if it has gone."""
    meeting.settimeout(1)
    try:
        meeting.sendto(text.encode(errors="replace")[:LONGEST], name)
    except OSError:
        return False
    return True


def _others(meeting: socket.socket) -> Iterator[tuple[str, str, str]]:
    """Label, digest and message of each rank that comes in time."""
    end = time.monotonic() + WINDOW_S
    while (left := end - time.monotonic()) > 0:
        meeting.settimeout(left)
        try:
            label, digest, message = meeting.recv(LONGEST).decode(errors="replace").split("\n", 2)
        except (OSError, ValueError):  # nobody any more, or somebody else
            continue
        yield label, digest, message
