"""What the methods ask of a communicator, be it of polympi or of mpi4py, and of what fills ghost layers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Sequence

Field = NDArray[np.float64]


class Ranks(Protocol):
    """All ranks: what communicators of polympi and of mpi4py have alike."""

    @property
    def rank(self) -> int:
        """The number of this rank."""
        ...

    @property
    def size(self) -> int:
        """How many there are."""
        ...

    def barrier(self) -> Any:
        """Wait for all."""

    def allgather(self, value: Any, /) -> Any:
        """The values of all ranks."""

    def gather(self, value: Any, /) -> Any:
        """The values of all ranks, on rank 0."""

    def exscan(self, value: Any, /) -> Any:
        """The sum over the ranks below; None on rank 0."""


class Mesh(Ranks, Protocol):
    """The ranks as cells of a mesh."""

    @property
    def dims(self) -> Sequence[int]:
        """How many there are along each axis."""
        ...

    @property
    def coords(self) -> Sequence[int]:
        """The place of this one."""
        ...


class Ghosts(Protocol):
    """What fills a field's ghost layers from the neighbouring ranks: in one call, or from start to finish."""

    def start(self) -> None:
        """Begin to send and to receive."""

    def finish(self) -> None:
        """Wait for all that has begun."""

    def __call__(self) -> None:
        """Do both."""
        self.start()
        self.finish()

    def free(self) -> None:
        """Give back what it holds."""
