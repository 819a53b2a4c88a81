"""What every solver has: each rank's part of the data, and what all ranks say where one has no memory for its own."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from methods.interfaces import Ranks

Result = TypeVar("Result")


class Solver:
    """What every solver has.

    Attributes:
        communication_ns: nanoseconds that this rank has spent in communication.
    """

    communication_ns = 0

    def _communicate(self, call: Callable[..., Result], *given: Any) -> Result:
        begun = time.perf_counter_ns()
        result = call(*given)
        self.communication_ns += time.perf_counter_ns() - begun
        return result


def part_of(length: int, ranks: int, place: int) -> tuple[int, int]:
    """The first element of a rank, and the one after its last. Of those left over, the first ranks get one more."""
    each, more = divmod(length, ranks)
    start = place * each + min(place, more)
    return start, start + each + (place < more)


def made_on_all(world: Ranks, what: str, make: Callable[[], None]) -> None:
    """Make what takes memory on this rank, and learn whether the others could make theirs.

    Raises:
        ValueError: on all ranks; one has no memory for it, or lacks the package of a kernel.
    """
    problem = ""
    try:
        make()
    except ImportError as error:
        problem = f"the kernel numba needs a package, which pip install numba installs: {error}"
    except MemoryError as error:
        problem = f"there is no memory for {what} on one of the ranks: {error}"
    for found in world.allgather(problem):
        if found:
            raise ValueError(found)
