"""Whether the ranks of a job are in step after a failure; it runs on them."""

from __future__ import annotations

from polympi.errors import StateError
from polympi.native import core
from polympi.startup import init

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

STEP_S = 3.0  # for ranks that are in the same place
LOOKS = 20  # MPI libraries take in what has arrived step by step


def in_step() -> None:
    """Check that all ranks are in the same place, and have received what was sent.

    Raises:
        Error: another rank is in another place; or a call is pending, or a message was received by nobody.
    """
    world = init()

    def pending(sentence: str) -> NoReturn:
        raise StateError(sentence)

    world.barrier(timeout=STEP_S)
    if sentences := core.settle(pending, True):
        raise StateError("; ".join(sentences))
    world.barrier(timeout=STEP_S)
    if message := next(filter(None, (world.iprobe() for _ in range(LOOKS))), None):
        raise StateError(f"a message was received by no rank: {message}")
