"""What pyMPI had and this facade has not: each says what to do instead."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def lacks(call: str, instead: str) -> NotImplementedError:
    """The error of a call that is not there."""
    return NotImplementedError(f"{call} of pyMPI is not in polympi.compat.pympi: {instead}.")


MAP = "cut the list by scatter, compute on each rank, and put the results together by gather"


class RemoteObject:
    """An object whose methods other ranks call, in pyMPI; here it says what to do instead."""

    def __init__(self, *_args: object, **_keywords: object) -> NoReturn:
        raise lacks(
            "RemoteObject",
            "send the name of the method and its arguments to the rank that has the object, and let that rank receive "
            "and call it",
        )
