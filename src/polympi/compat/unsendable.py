"""A value that one rank of a collective call does not have: the call fails on all ranks, and none waits."""

from __future__ import annotations


class Unsendable:
    """In the place of such a value: it cannot be sent, for the reason that it has."""

    def __init__(self, reason: Exception) -> None:
        self.reason = reason

    def __reduce__(self) -> tuple[object, ...]:
        raise self.reason
