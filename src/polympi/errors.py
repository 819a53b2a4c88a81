"""The exceptions of polympi: the message is one sentence, the details are attributes.

Every class is also the built-in exception that a Python program would expect there, so that ``except TimeoutError`` or
``except ValueError`` works as expected.
"""

from __future__ import annotations


class Error(Exception):
    """Any error of polympi or of the MPI library.

    Attributes:
        operation: the name of the call (``"recv"``); None outside of calls, like all below.
        rank: the caller's rank in the communicator.
        peer: the rank sent to or received from; None in collectives.
        tag: of the message; None in collectives.
        code: error class of the MPI library (MPI 5.0, section 9.4), if the library reported the error.
        consequence: whether this rank fails only because another one has failed, whose exception says why.
    """

    def __init__(
        self,
        sentence: str = "",
        *,
        operation: str | None = None,
        rank: int | None = None,
        peer: int | None = None,
        tag: int | None = None,
        code: int | None = None,
        consequence: bool = False,
    ) -> None:
        super().__init__(sentence)
        self.operation = operation
        self.rank = rank
        self.peer = peer
        self.tag = tag
        self.code = code
        self.consequence = consequence


class RankError(Error, ValueError):
    """A rank that the communicator does not have."""


class TagError(Error, ValueError):
    """A tag that no message can have: negative, or beyond what the MPI library allows."""


class MismatchError(Error, TypeError):
    """Memory or a message that does not fit: other element types, other shapes, not writable, not an array."""


class TruncationError(Error):
    """More elements arrived than the memory has."""


class Timeout(Error, TimeoutError):  # noqa: N818  (it says what happened, as the built-in ones of this kind do)
    """A call waited longer than its ``timeout``, or ``POLYMPI_TIMEOUT``, allows."""


class EndedError(Error, EOFError):
    """A call waits for a rank that has reached its end, so that it can never be completed."""


class StateError(Error, RuntimeError):
    """A call when MPI is not running: before its start, after its end, or in a forked child."""


class NoBufferError(Error, BufferError):
    """A buffered send without room in the attached buffer (``polympi.buffer_attach``)."""


class FileError(Error, OSError):
    """A file that can't be opened, read or written, or that ends before what is read.

    It is also the built-in exception that fits, such as ``FileNotFoundError``, with ``errno`` and ``filename``.
    """

    def __str__(self) -> str:
        """The sentence alone, which has the reason and the path in it."""
        return str(self.args[0]) if self.args else ""


class LibraryError(Error, ImportError):
    """No MPI library, no core compiled for its ABI, two libraries in the process, or ranks with different polympis."""


class LauncherError(Error, RuntimeError):
    """The launcher belongs to another MPI than the library, so that every rank would be rank 0 of 1."""


class RemoteError(Error, RuntimeError):
    """An exception on a rank that a program has launched, if it can't be raised again there, such as SystemExit."""
