"""Files that several ranks read and write at once (MPI 5.0, chapter 14).

MPI's calls for all ranks would hang, or have no defined result, if one rank can't make its part: the ranks agree before
each of them, and afterwards on what went wrong.
"""

from __future__ import annotations

import errno
import operator
import os
import stat
import warnings
from contextlib import contextmanager, suppress

import numpy as np

from polympi import file_pieces
from polympi.communicator import Communicator
from polympi.errors import Error, FileError, MismatchError, StateError
from polympi.file_pieces import NOTHING, Piece, array_over, bytes_of, fill, pieces_of, placed
from polympi.native import core
from polympi.operations import MAX
from polympi.topology import cast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import TracebackType
    from typing import Any, NoReturn, TypeVar

    from typing_extensions import Buffer, Self

    _Memory = TypeVar("_Memory")
    _Value = TypeVar("_Value")
    _Reason = tuple[str, bool, int]  # of an error: its text, whether it is a MismatchError, its number of errno or 0

# What ranks may call together; they exchange its number.
OPERATIONS = ("open", "close", "read_at_all", "write_at_all", "resize", "sync", "save_npy", "load_npy")
LEFT = "left"  # what a rank calls whose `with` an exception has ended

# How rank 0 opens the file at first, by the letter of the mode; the others open what is there then.
CREATION = {"r": 0, "w": os.O_CREAT | os.O_TRUNC, "x": os.O_CREAT | os.O_EXCL, "a": os.O_CREAT}

REASONS = {
    errno.ENOSPC: "no space is left on the device",
    errno.EFBIG: "the file would be larger than this process may make it",
    errno.EDQUOT: "the quota of the disk is used up",
}


class Mode:
    """What a file is opened for, as Python's ``open`` has it.

    Raises:
        TypeError, ValueError: there is no such mode.
    """

    __slots__ = ("creation", "reads", "text", "writes")

    def __init__(self, text: str) -> None:
        if not isinstance(text, str):
            raise TypeError(f"mode must be a string, not {type(text).__name__}")
        letter, rest = text[:1], text[1:].replace("b", "", 1)
        if letter not in CREATION or not letter or rest not in ("", "+"):
            raise ValueError(f"mode is {text!r}, but must be 'r', 'w', 'x' or 'a', with a '+' to read and write")
        self.text = text
        self.creation = CREATION[letter]
        self.reads = letter == "r" or bool(rest)
        self.writes = letter != "r" or bool(rest)

    @property
    def flags(self) -> int:
        """Of POSIX, without the creation."""
        access = (os.O_RDWR if self.reads else os.O_WRONLY) if self.writes else os.O_RDONLY
        return access | os.O_CLOEXEC | os.O_NONBLOCK  # which only matters for what isn't a file


class File:
    """A file that all ranks of a communicator have open: ``with comm.open(path, "w") as file`` opens and closes it.

    Offsets are in bytes, from the beginning of the file.

    Attributes:
        path: as it was given.
        mode: likewise.
    """

    def __init__(self, comm: Communicator, path: str, mode: Mode, hints: tuple[str, ...] = ()) -> None:
        self.path = path
        self.mode = mode.text
        self._mode = mode
        self._hints = hints  # keys, each with its value after it
        self._comm = comm  # of the file's own
        self._core: core.File | None = None
        self._agreed: BaseException | None = None  # the last exception that all ranks have raised, each its own

    # ---- errors ----

    def _error(self, operation: str, reason: str, kind: type[Error] = FileError, *, consequence: bool = False) -> Error:
        rank = self._comm.rank
        sentence = f"{core.rank_and_host(self._comm, rank)}, {operation}() of {self.path!r}: {reason}"
        return kind(sentence, operation=operation, rank=rank, consequence=consequence)

    def _from_os(self, operation: str, cause: OSError) -> Error:
        """The error of the operating system or of the MPI library; also the built-in class that fits it."""
        number = cause.errno or errno.EIO
        if number == errno.EIO and operation in WRITING and _is_full(self.path):
            number = errno.ENOSPC  # Open MPI 5.0 has no class of errors for it
        reason = REASONS.get(number) or cause.strerror or str(cause)
        if number == errno.EIO and cause.strerror:
            reason = f"the MPI library reports: {cause.strerror}"
        error = self._error(operation, reason[0].lower() + reason[1:], _kind(type(OSError(number, ""))))
        _describe(error, number, reason, self.path)
        return error

    def _reason_of(self, error: BaseException | None) -> _Reason:
        """What the other ranks learn of an error."""
        text = str(error)
        _, of_file, reason = text.rpartition(f"() of {self.path!r}: ")
        number = getattr(error, "errno", None) or 0
        return reason if of_file else f"{type(error).__name__}: {text}", isinstance(error, MismatchError), number

    def _consequence(self, operation: str, failed: int, reason: str, mismatch: bool, number: int) -> Error:
        """The error of a rank where another one has failed: of the same class, so that all may handle it alike."""
        there = core.rank_and_host(self._comm, failed)
        kind = MismatchError if mismatch else _kind(type(OSError(number, ""))) if number else FileError
        error = self._error(operation, f"{there} could not do its part: {reason}", kind, consequence=True)
        if number:
            _describe(error, number, reason, self.path)
        return error

    def _explained(self, operation: str, error: Exception) -> Exception:
        """What a call of this file raises instead of an exception in it."""
        if isinstance(error, Error):
            return error
        if isinstance(error, OSError):
            return self._from_os(operation, error)
        return error

    # ---- agreement ----

    @contextmanager
    def _named(self, operation: str) -> Iterator[None]:
        """Exceptions of the file's communicator are those of this call."""
        try:
            yield
        except Error as error:
            said = str(error)
            for inner in (error.operation, "file"):
                said = said.replace(f"{inner}()", f"{operation}()")
            raise type(error)(
                said, operation=operation, rank=error.rank, peer=error.peer, consequence=error.consequence
            ) from None

    def _agree(self, operation: str, error: Exception | None = None, most: tuple[int, int] = (0, 0)) -> list[int]:
        """Raise what went wrong on any rank, on all ranks; otherwise the largest of two numbers of all.

        Raises:
            Exception: `error` of this rank, or a FileError about that of another one.
            MismatchError: another rank makes another call.
        """
        own, number = self._comm, OPERATIONS.index(operation)
        mine = np.array([number, -number, own.rank if error else -1, *most], np.int64)
        with self._named(operation):
            highest, lowest, failed, *largest = (int(value) for value in own.allreduce(mine, MAX))
            if highest == -lowest and failed < 0:
                return largest
            known: list[tuple[str, _Reason]] = own.allgather((operation, self._reason_of(error)))
        calls = [call for call, _ in known]
        if LEFT in calls:
            self._core = None  # which MPI closes only with the rank that has left
            raise error or self._error_of_left(operation, calls.index(LEFT), known)
        if highest != -lowest:
            rank = next(rank for rank, call in enumerate(calls) if call != operation)
            said = f"{core.rank_and_host(own, rank)} called {calls[rank]}() where this rank called {operation}()"
            error = self._error(operation, said, MismatchError)
        self._agreed = error or self._consequence(operation, failed, *known[failed][1])
        raise self._agreed

    def _error_of_left(self, operation: str, rank: int, known: list[tuple[str, _Reason]]) -> Error:
        there = core.rank_and_host(self._comm, rank)
        said = f"{there} has left this file by an exception, so that it can't be closed: {known[rank][1][0]}"
        return self._error(operation, said, consequence=True)

    def _leave(self, error: BaseException) -> None:
        """Let the others learn of an exception of this rank alone, in their next call of all ranks, without waiting."""
        neutral = np.iinfo(np.int64).min
        self._core = None
        with suppress(Error):  # at the end of MPI, for example
            self._comm.iallreduce(np.array([neutral, neutral, self._comm.rank, neutral, neutral]), MAX)
            self._comm.iallgather((LEFT, self._reason_of(error)))

    def _together(self, operation: str, action: Callable[[core.File], None]) -> None:
        """Make a call of all ranks, and raise what went wrong on any."""
        opened = self._opened(operation)
        self._agree(operation)
        error: Exception | None = None
        try:
            with self._named(operation):
                action(opened)
        except Exception as raised:
            error = self._explained(operation, raised)
        self._agree(operation, error)

    def _from_first(self, operation: str, action: Callable[[], _Value]) -> _Value:
        """What the action returns on rank 0, for all ranks."""
        value: Any = None
        error: Exception | None = None
        if self._comm.rank == 0:
            try:
                value = action()
            except Exception as raised:
                error = self._explained(operation, raised)
        self._agree(operation, error)
        with self._named(operation):
            return self._comm.bcast(value)  # type: ignore[no-any-return]

    # ---- opening and closing ----

    def _open(self) -> None:
        """Find or make the file, on rank 0 first, and open it."""
        first = self._from_first("open", self._found)
        error: Exception | None = None
        try:
            self._compare(first)
        except Exception as raised:
            error = self._explained("open", raised)
        self._agree("open", error)
        try:
            with self._named("open"):
                hints = tuple(word.encode() for word in self._hints)
                self._core = core.File.open(
                    self._comm, os.fsencode(self.path), self._mode.reads, self._mode.writes, hints
                )
        except Exception as raised:
            error = self._explained("open", raised)
        self._agree("open", error)

    def _found(self) -> tuple[int, ...]:
        """Which file it is: numbers that are the same on all hosts that share it, at least in part."""
        creation = self._mode.creation if self._comm.rank == 0 else 0
        descriptor = os.open(self.path, self._mode.flags | creation, 0o666)
        try:
            found = os.fstat(descriptor)
        finally:
            os.close(descriptor)
        if stat.S_ISDIR(found.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        return found.st_ino, found.st_size, found.st_mtime_ns

    def _compare(self, first: tuple[int, ...]) -> None:
        """Find the file that rank 0 has found. Copies on several hosts may be read, and not be written."""
        try:
            own = self._found() if self._comm.rank else first
        except FileNotFoundError as error:
            raise FileNotFoundError(error.errno, "only rank 0 has it: give a path that all hosts share") from None
        if self._mode.writes and own[0] != first[0] and own[1:] != first[1:]:
            raise self._error("open", "this is another file than that of rank 0: give a path that all hosts share")

    def close(self) -> None:
        """Close the file. All ranks call it; a second time it does nothing.

        Raises:
            FileError: another rank could not close it, or what was written can't be stored.
            Timeout: not all ranks called it within POLYMPI_TIMEOUT.

        MPI 5.0, section 14.2.2.
        """
        if self._core is None:
            return
        try:
            self._together("close", core.File.close)
        finally:
            self._core = None
        self._comm.free()

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self._core is None

    def __enter__(self) -> Self:
        """The file itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it. After an exception of this rank alone it stays open, and others get an error in their next call."""
        if error is None or error is self._agreed or self._comm.size == 1:
            self.close()
        elif self._core is not None:
            self._leave(error)

    def __del__(self) -> None:
        """Warn of a file that was dropped: MPI can't close it on one rank alone."""
        if getattr(self, "_core", None) is not None:
            warnings.warn(f"{self!r} was never closed: use it in a with statement", ResourceWarning, stacklevel=2)

    def __repr__(self) -> str:
        state = ", closed" if self.closed else ""
        return f"<polympi.File {self.path!r}, mode {self.mode!r}{state}>"

    def __reduce__(self) -> NoReturn:
        """Refuse to be pickled."""
        raise TypeError("a file cannot be sent or pickled: open it on all ranks instead")

    def _opened(self, operation: str) -> core.File:
        if self._core is None:
            raise self._error(operation, "the file is closed", StateError)
        return self._core

    # ---- reading and writing ----

    def read_at(self, offset: int, into: _Memory) -> _Memory:
        """Read bytes from this offset on into memory, on this rank alone.

        Args:
            offset: in bytes, from the beginning of the file.
            into: an array of any layout, or a writable bytes-like object. As many bytes are read as it has.

        Returns:
            What was given as ``into``.

        Raises:
            FileError: the file ends before, and says after how many bytes, which are in ``into``; it isn't open for
                reading; or it can't be read.
            MismatchError: ``into`` is read-only, or has objects.
            TypeError, ValueError: an argument is wrong.
            StateError: the file is closed.

        MPI 5.0, section 14.4.2.
        """
        self._move_alone("read_at", offset, into)
        return into

    def write_at(self, offset: int, array: Buffer | Any) -> None:
        """Write the bytes of an array from this offset on, on this rank alone.

        Args:
            offset: in bytes, from the beginning of the file.
            array: an array of any layout, whose elements are written in C order, or a bytes-like object.

        Raises:
            FileError: the disk is full; the file isn't open for writing; or it can't be written.
            MismatchError: the array has objects.
            TypeError, ValueError: an argument is wrong.
            StateError: the file is closed.

        MPI 5.0, section 14.4.2.
        """
        self._move_alone("write_at", offset, array)

    def read_at_all(self, offset: int, into: _Memory, *, strides: Sequence[int] | None = None) -> _Memory:
        """Read as :meth:`read_at` does. All ranks call it, each with its own offset and memory.

        Together the ranks read a file faster whose parts are interleaved.

        Args:
            offset: in bytes, from the beginning of the file.
            into: an array of any layout, or a writable bytes-like object; one without elements reads nothing.
            strides: how many bytes apart elements are in the file that are neighbours along each axis, as in
                ``array.strides`` of an array in memory; None: they follow one another in C order.

        Returns:
            What was given as ``into``.

        Raises:
            FileError, MismatchError, TypeError, ValueError, StateError: as in :meth:`read_at`; on another rank a
                FileError that names this one.
            Timeout: not all ranks called it within POLYMPI_TIMEOUT.

        MPI 5.0, sections 14.3 and 14.4.2.
        """
        self._move_together("read_at_all", offset, into, strides)
        return into

    def write_at_all(self, offset: int, array: Buffer | Any, *, strides: Sequence[int] | None = None) -> None:
        """Write as :meth:`write_at` does. All ranks call it, each with its own offset and array.

        Together the ranks write a file faster whose parts are interleaved. Where parts of ranks overlap, either may be
        in the file.

        Args:
            offset: in bytes, from the beginning of the file.
            array: an array of any layout, or a bytes-like object; one without elements writes nothing.
            strides: how many bytes apart elements are in the file that are neighbours along each axis, as in
                ``array.strides`` of an array in memory; None: they follow one another in C order.

        Raises:
            FileError, MismatchError, TypeError, ValueError, StateError: as in :meth:`write_at`; on another rank a
                FileError that names this one.
            Timeout: not all ranks called it within POLYMPI_TIMEOUT.

        MPI 5.0, sections 14.3 and 14.4.2.
        """
        self._move_together("write_at_all", offset, array, strides)

    def _whole(self, operation: str, offset: int, memory: object, strides: Sequence[int] | None) -> Piece:
        """The memory and its place, checked."""
        writes = operation in WRITING
        if not (self._mode.writes if writes else self._mode.reads):
            verb = "writing" if writes else "reading"
            raise self._error(operation, f"the file is open with mode {self.mode!r}, which isn't for {verb}")
        try:
            return placed(array_over(memory, writable=not writes), offset, strides)
        except (TypeError, ValueError) as error:
            if isinstance(error, MismatchError):
                raise self._error(operation, str(error), MismatchError) from None
            raise type(error)(f"{operation}(): {error}") from None

    def _move_alone(self, operation: str, offset: int, memory: object) -> None:
        opened = self._opened(operation)
        whole = self._whole(operation, offset, memory, None)
        moved = 0
        try:
            for piece in pieces_of(whole, file_pieces.MOST_BYTES):
                moved += _move(opened, piece, operation in WRITING)
        except OSError as raised:
            raise self._explained(operation, raised) from None
        self._check_moved(operation, whole, moved)

    def _move_together(self, operation: str, offset: int, memory: object, strides: Sequence[int] | None) -> None:
        opened = self._opened(operation)
        writes = operation in WRITING
        error: Exception | None = None
        whole, pieces = NOTHING, []
        try:
            whole = self._whole(operation, offset, memory, strides)
            pieces = list(pieces_of(whole, file_pieces.MOST_BYTES))
        except Exception as raised:
            error = raised
        count, viewed = self._agree(operation, error, (len(pieces), any(piece.viewed for piece in pieces)))
        moved = 0
        for number in range(count):  # as often as all others, whatever happens here
            try:
                with self._named(operation):
                    piece = pieces[number] if number < len(pieces) else NOTHING
                    moved += _move(opened, piece, writes, together=True, viewed=bool(viewed))
            except Exception as raised:
                error = error or self._explained(operation, raised)
        try:
            if not error:
                self._check_moved(operation, whole, moved)
        except Exception as raised:
            error = self._explained(operation, raised)
        self._agree(operation, error)

    def _check_moved(self, operation: str, whole: Piece, moved: int) -> None:
        """All bytes must have been moved."""
        nbytes = whole.array.nbytes
        if operation in WRITING:
            if moved < nbytes:
                raise self._error(operation, f"only {moved} of {nbytes} bytes were written: is the disk full?")
            return
        size = self._opened(operation).size()
        if moved >= nbytes and whole.end <= size:
            return
        came = f"{min(moved, max(size - whole.offset, 0))} of {nbytes} bytes came"
        if whole.viewed:
            came = f"{nbytes} bytes up to offset {whole.end} were asked for"
        raise self._error(operation, f"the file ends after {size} bytes: from offset {whole.offset} on, {came}")

    # ---- its size ----

    @property
    def size(self) -> int:
        """How many bytes the file has.

        Raises:
            StateError: the file is closed.

        MPI 5.0, section 14.2.6.
        """
        opened = self._opened("size")
        try:
            return opened.size()
        except OSError as raised:
            raise self._explained("size", raised) from None

    def resize(self, nbytes: int) -> None:
        """Cut or extend the file to this size. All ranks call it. New bytes are 0, and take no space on the disk yet.

        Raises:
            FileError: the file isn't open for writing, or can't have this size.
            MismatchError: ranks give different sizes.
            StateError: the file is closed.
            Timeout: not all ranks called it within POLYMPI_TIMEOUT.

        MPI 5.0, section 14.2.4.
        """
        self._opened("resize")
        error: Exception | None = None
        size = -1
        try:
            size = operator.index(nbytes)
            if size < 0:
                error = ValueError(f"resize(): a file can't have {size} bytes")
            elif not self._mode.writes:
                error = self._error("resize", f"the file is open with mode {self.mode!r}, which isn't for writing")
        except TypeError:
            error = TypeError(f"resize(): nbytes must be an integer, not {type(nbytes).__name__}")
        most, least = self._agree("resize", error, (size, -size))
        if most != -least:
            error = self._error("resize", f"ranks give sizes from {-least} to {most}", MismatchError)
        self._agree("resize", error)
        self._together("resize", lambda opened: opened.resize(size))

    def sync(self) -> None:
        """Store on the device what the ranks have written; then each sees what the others wrote. All ranks call it.

        Raises:
            FileError: it can't be stored.
            StateError: the file is closed.
            Timeout: not all ranks called it within POLYMPI_TIMEOUT.

        MPI 5.0, section 14.6.1.
        """
        self._together("sync", core.File.sync)


WRITING = ("write_at", "write_at_all", "save_npy")


def _move(opened: core.File, piece: Piece, writes: bool, *, together: bool = False, viewed: bool = False) -> int:
    """Make one call of MPI: the bytes that were moved."""
    array = piece.array
    copied = not writes and not array.flags.c_contiguous
    try:
        data = np.empty(array.nbytes, np.uint8) if copied else bytes_of(array)
    except MemoryError:
        if together:  # the others wait for this rank
            opened.move(writes, together, viewed, 0, NOTHING.array, None)
        raise
    moved = opened.move(writes, together, viewed, piece.offset, data, piece.places)
    if copied:
        fill(array, data[:moved])
    return moved


def _is_full(path: str) -> bool:
    """Whether no space is left where a file is."""
    try:
        return os.statvfs(path).f_bavail == 0
    except OSError:
        return False


def _describe(error: Error, number: int, reason: str, path: str) -> None:
    """Fill the attributes of the built-in exception."""
    assert isinstance(error, OSError)
    error.errno, error.strerror, error.filename = number, reason, path


def _kind(builtin: type[OSError]) -> type[Error]:
    """FileError, which is also this built-in exception."""
    if builtin is OSError:
        return FileError
    kind: type[Error] = type("FileError", (FileError, builtin), {"__module__": FileError.__module__})
    return kind


def _words_of(hints: Mapping[str, object] | None) -> tuple[str, ...]:
    """Of hints: keys, each with its value after it, as MPI takes them."""
    return tuple(str(word) for pair in dict(hints or {}).items() for word in pair)


def open_file(
    comm: core.Communicator, path: str | os.PathLike[str], mode: str, hints: Mapping[str, object] | None
) -> File:
    """What :meth:`Communicator.open` does."""
    own = cast(core.Communicator.dup(comm), Communicator)
    error: Exception | None = None
    file = File(own, str(path), Mode("r"))
    try:
        file = File(own, os.fsdecode(path), Mode(mode), _words_of(hints))
    except (TypeError, ValueError) as raised:
        error = type(raised)(f"open(): {raised}")
    try:
        file._agree("open", error)
        with file._named("open"):
            first = own.bcast((file.path, file.mode, file._hints))
        if first != (file.path, file.mode, file._hints):
            same = "with other hints" if first[:2] == (file.path, file.mode) else f"with mode {first[1]!r}"
            said = f"mode {file.mode!r}, but rank 0 opens {first[0]!r} {same}"
            error = file._error("open", said, MismatchError)
        file._agree("open", error)
        file._open()
    except BaseException as raised:
        if raised is file._agreed:  # on all ranks
            own.free()
        raise
    return file
