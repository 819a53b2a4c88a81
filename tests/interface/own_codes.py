"""Jobs on several hosts, which a rank of Open MPI may end with another code."""

from collections.abc import Callable
from typing import Any


def ended_with(code: int, start: Callable[[], Any]) -> Any:
    """How a program ends that ends the job with a code.

    A rank of Open MPI that sees the connection end before it is told of the abort may end the job by its own code: on a
    busy machine, and not three times in a row.
    """
    for _ in range(3):
        ended = start()
        if "An error occurred in Socket closed" not in ended.stderr or ended.exit_code == code:
            break
    return ended
