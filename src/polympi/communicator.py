"""The communicator as programs see it: the class of the core, and the methods that need not be fast."""

from __future__ import annotations

from polympi.native import core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import NoReturn


class Communicator(core.Communicator):
    """A group of ranks that send each other any object (MPI 5.0, chapters 3, 6 and 7).

    :data:`polympi.world` holds all ranks; :meth:`split` and :meth:`dup` make others. In a ``with`` statement it is
    freed at the end.

    Attributes:
        rank: this process's rank, from 0.
        size: how many ranks there are.
    """

    def __enter__(self) -> Communicator:
        """The communicator itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Free it, on all ranks; not after an exception, since the other ranks may not call it."""
        if kind is None:
            self.free()

    def __reduce__(self) -> NoReturn:
        """Refuse to be pickled: a communicator has no meaning in another process."""
        raise TypeError("a communicator cannot be sent or pickled: split or dup it on all ranks instead")
