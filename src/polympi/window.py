"""Windows: memory of ranks that other ranks read and write without their help (MPI 5.0, chapter 12)."""

from __future__ import annotations

import numpy as np

from polympi.communicator import Communicator
from polympi.freed import Freed
from polympi.native import core
from polympi.topology import cast, exchanged, mismatch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any

    from numpy.typing import DTypeLike, NDArray


class Window(Freed, core.Window):
    """An array on each rank of a communicator that other ranks access: :meth:`Communicator.window` makes it.

    Accesses are made between two fences, which all ranks call, or to a rank that this one has locked, in which that
    rank takes no part. In a ``with`` statement the window is freed at the end. One thread at a time uses it.

    Attributes:
        array: of this rank, or None.
        dtype: of all ranks.
        sizes: how many elements each rank has.
    """

    def lock(self, rank: int, *, exclusive: bool = False) -> Lock:
        """Lock the window of a rank for the accesses in a ``with`` statement, at whose end they are complete.

        Args:
            rank: whose window.
            exclusive: until no other rank has locked it; else several may have, whose accesses are at the same time.

        Raises:
            StateError: at its beginning, if this rank has locked it already, or makes accesses between fences.
            RankError: likewise, if there is no such rank.
            Timeout: the rank did not answer within POLYMPI_TIMEOUT, or another one kept its lock; the window is
                unusable afterwards.

        MPI 5.0, section 12.5.3.
        """
        return Lock(self, rank, exclusive)

    def lock_all(self) -> Lock:
        """Lock the windows of all ranks, not exclusively, for the accesses in a ``with`` statement.

        Raises:
            StateError: at its beginning, if this rank has locked a rank already, or makes accesses between fences.
            Timeout: a rank did not answer within POLYMPI_TIMEOUT; the window is unusable afterwards.

        MPI 5.0, section 12.5.3.
        """
        return Lock(self, None, exclusive=False)


class Lock:
    """What :meth:`Window.lock` and :meth:`Window.lock_all` return, for a ``with`` statement."""

    __slots__ = ("_exclusive", "_rank", "_window")

    def __init__(self, window: Window, rank: int | None, exclusive: bool) -> None:
        self._window = window
        self._rank = rank
        self._exclusive = exclusive

    def __enter__(self) -> Window:
        """Wait for the lock."""
        if self._rank is None:
            self._window._lock_all()
        else:
            self._window._lock(self._rank, self._exclusive)
        return self._window

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Complete the accesses, and unlock; also after an exception."""
        if self._rank is None:
            self._window._unlock_all()
        else:
            self._window._unlock(self._rank)


def make(comm: core.Communicator, array: NDArray[Any] | None) -> Window:
    """The window of :meth:`polympi.Communicator.window`."""

    def request() -> tuple[int, np.dtype[Any] | None]:
        if array is None:
            return 0, None
        problem = (
            "array must be a NumPy array, or None on a rank without memory"
            if not isinstance(array, np.ndarray)
            else f"{array.dtype} has Python objects, which other processes can't use"
            if array.dtype.hasobject
            else f"elements of {array.dtype} have no bytes"
            if not array.dtype.itemsize
            else "array is read-only"
            if not array.flags.writeable
            else "array isn't contiguous in C order: make it so with np.ascontiguousarray(array)"
            if not array.flags.c_contiguous
            else ""
        )
        if problem:
            raise mismatch(comm, "window", problem)
        return array.size, array.dtype

    answers = exchanged(comm, "window", request)
    kinds: dict[np.dtype[Any], int] = {}  # each with its first rank
    for rank, (_, given) in enumerate(answers):
        if given is not None:
            kinds.setdefault(given, rank)
    if len(kinds) != 1:
        found = " and ".join(f"rank {rank} gives {kind}" for kind, rank in kinds.items())
        raise mismatch(
            comm, "window", f"all arrays must have one dtype, but {found}" if found else "no rank has an array"
        )
    (kind,) = kinds
    sizes = tuple(size for size, _ in answers)
    return cast(core.Communicator.dup(comm), Communicator)._window(Window, array, kind, sizes)


def elements(value: object, dtype: DTypeLike) -> NDArray[Any]:
    """A number, list or other memory as an array, with a number in this dtype if that can hold it."""
    if isinstance(value, (bool, int, float, complex)):
        try:
            fits = np.result_type(dtype, value) == dtype
        except TypeError:  # a structure, for example
            fits = False
        return np.asarray(value, dtype if fits else None)
    return np.asarray(value)
