"""Where a message came from."""

from __future__ import annotations


class Status:
    """Where a message came from.

    Attributes:
        source: the rank that sent it.
        tag: its tag.
        error: 0, since an error is an exception.
        cancelled: whether the receive was given up before a message came.
    """

    __slots__ = ("cancelled", "error", "source", "tag")

    def __init__(self, source: int, tag: int, cancelled: bool = False) -> None:
        self.source = source
        self.tag = tag
        self.error = 0
        self.cancelled = cancelled

    def __repr__(self) -> str:
        return f"<boostmpi status: source {self.source}, tag {self.tag}{', cancelled' * self.cancelled}>"
