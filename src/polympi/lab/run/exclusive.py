"""One run at a time on a machine: two that measure at the same time disturb each other.

Every user has a lock file in a folder that all of a machine share, readable by all. A run holds it by
``flock``, which the kernel lets go when the process dies, however it dies. A run of another user is found by
trying that user's file.
"""

import contextlib
import fcntl
import os
import random
import re
import stat
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from polympi.lab.errors import UsageError

FOLDER_VARIABLE = "POLYMPI_LOCKS"  # for tests, and for containers that share a machine but not its /tmp
_FOLDER = Path("/tmp")
_NAME = re.compile(r"polympi-(\d+)\.lock")
_LARGEST = 4096  # bytes of a lock file: what stands in another user's file is not ours to trust
_PATIENCE_S = 0.3  # another run that only looks holds a file for microseconds
_POLL_S = 1.0  # between two looks while waiting; rare, because a run is measuring


class Holder(msgspec.Struct, kw_only=True):
    """The process that is measuring, when it began (ISO 8601), and its result directory."""

    pid: int
    since: str
    where: str

    def __str__(self) -> str:
        where = "".join(sign if sign.isprintable() else "?" for sign in self.where)
        return f"process {self.pid}, since {self.since[:19].replace('T', ' ')}, into '{where}'"


@dataclass
class _Busy(Exception):  # noqa: N818 - it is what was found, not an error
    holder: Holder | None


@contextlib.contextmanager
def only_run_here(holder: Holder, *, wait: bool, say: Callable[[str], None]) -> Iterator[None]:
    """Hold this machine for one run; let go at the end, and if the process dies."""
    descriptor = _acquire(holder, wait=wait, say=say)
    try:
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _acquire(holder: Holder, *, wait: bool, say: Callable[[str], None]) -> int | None:
    announced, impatient_at = False, time.monotonic() + _PATIENCE_S
    while True:
        try:
            return _try(holder)
        except _Busy as busy:
            who = str(busy.holder) if busy.holder else "it does not say which"
            if not wait and time.monotonic() > impatient_at:
                raise UsageError(
                    f"Another run of polympi is measuring on this machine ({who}): two at once would disturb each "
                    "other. Wait for it to end, or add --wait."
                ) from None
            if wait and not announced and time.monotonic() > impatient_at:
                say(f"waiting for another run to end ({who})")
                announced = True
        # Not at regular times: two that wait for each other's files would try at the same moment again and again.
        time.sleep((_POLL_S if announced else _PATIENCE_S / 10) * random.uniform(0.5, 1.5))


def _try(holder: Holder) -> int | None:
    """Take our own lock, and make sure that no other user's is held; None where no lock can be had at all."""
    folder = Path(os.environ.get(FOLDER_VARIABLE) or _FOLDER)
    descriptor = _own(folder / f"polympi-{os.geteuid()}.lock")
    try:
        if descriptor is not None:
            _take(descriptor, fcntl.LOCK_EX)
        for path in folder.glob("polympi-*.lock"):
            _look_at(path)
    except BaseException:
        if descriptor is not None:
            os.close(descriptor)
        raise
    if descriptor is not None:
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, msgspec.json.encode(holder), 0)
    return descriptor


def _take(descriptor: int, kind: int) -> None:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        raise _Busy(_read(descriptor)) from None


def _own(path: Path) -> int | None:
    """Open our lock file; None if something else has its place, which must not keep anybody from measuring."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o644)
    except OSError:
        return None
    if not _is_of(descriptor, os.geteuid()):
        os.close(descriptor)
        return None
    return descriptor


def _look_at(path: Path) -> None:
    """Make sure that no process holds another user's lock file; other files are skipped."""
    name = _NAME.fullmatch(path.name)
    if name is None or int(name[1]) == os.geteuid():
        return
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            if _is_of(descriptor, int(name[1])):
                _take(descriptor, fcntl.LOCK_SH)
        finally:
            os.close(descriptor)


def _is_of(descriptor: int, user: int) -> bool:
    status = os.fstat(descriptor)
    return stat.S_ISREG(status.st_mode) and status.st_uid == user


def _read(descriptor: int) -> Holder | None:
    """The holder of the lock; None if it hasn't been written yet, or isn't such a record."""
    try:
        return msgspec.json.decode(os.pread(descriptor, _LARGEST, 0), type=Holder)
    except (OSError, ValueError):
        return None
