"""What all ranks free together, at the end of a ``with`` statement."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self


class Freed:
    """A class with a method ``free``, which all ranks call."""

    if TYPE_CHECKING:

        def free(self) -> None:
            """Free it, on all ranks."""

    def __enter__(self) -> Self:
        """The object itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Free it, on all ranks; not after an exception, since the other ranks may not call it."""
        if kind is None:
            self.free()
