"""Messages one after another, for ``async for``."""

from __future__ import annotations

from polympi import ANY_SOURCE, ANY_TAG, PROC_NULL
from polympi.native import core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from typing import Any, Literal, overload


class Messages(core.Communicator):
    """A communicator whose messages can be iterated over."""

    if TYPE_CHECKING:

        @overload
        def messages(
            self, source: int = ANY_SOURCE, tag: int = ANY_TAG, *, status: Literal[False] = False
        ) -> AsyncGenerator[Any, None]: ...
        @overload
        def messages(
            self, source: int = ANY_SOURCE, tag: int = ANY_TAG, *, status: Literal[True]
        ) -> AsyncGenerator[tuple[Any, core.Status], None]: ...

    async def messages(
        self, source: int = ANY_SOURCE, tag: int = ANY_TAG, *, status: bool = False
    ) -> AsyncGenerator[Any, None]:
        """Receive messages without end: ``async for message in world.messages(tag=5):``.

        A receive is pending only while the next message is awaited, so leaving the loop loses none.

        Args:
            source: rank to receive from, ANY_SOURCE, or PROC_NULL, from which there are no messages.
            tag: number or ANY_TAG.
            status: yield ``(message, Status)``.

        Raises:
            RankError, TagError: there is no such rank or tag; at the first message.
        """
        while source != PROC_NULL:
            request = self.irecv(source, tag)
            message = await request
            yield request.wait(status=True) if status else message
