"""Whether the ranks of a job are in step after a failure; it runs on them."""

from __future__ import annotations

from polympi.errors import StateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

LOOKS = 20  # MPI libraries take in what has arrived step by step


def in_step(seconds: float) -> None:
    """Check that all ranks are in the same place, and have received what was sent.

    Args:
        seconds: for ranks to come there.

    Raises:
        Error: another rank is in another place; or a call is pending, or a message was received by nobody.
    """
    from polympi.native import core
    from polympi.startup import init

    world = init()

    def pending(sentence: str) -> NoReturn:
        raise StateError(sentence)

    world.barrier(timeout=seconds)
    if sentences := core.settle(pending, True):
        raise StateError("; ".join(sentences))
    world.barrier(timeout=seconds)
    if message := next(filter(None, (world.iprobe() for _ in range(LOOKS))), None):
        raise StateError(f"a message was received by no rank: {message}")
