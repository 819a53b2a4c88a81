"""What a rank writes, line by line, with its label; or kept, for those who ask for it."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

CHUNK = 1 << 18


class Stream:
    """Standard output or standard error of one rank.

    Attributes:
        at_end: whether all that the rank wrote in this call has arrived.
        kept: texts that are kept rather than shown; None shows them.
    """

    def __init__(self, rank: int, name: str, link: Connection, mark: bytes) -> None:
        self._label, self._name, self.link, self._mark = f"[rank {rank}] ", name, link, mark
        self._rest = bytearray()
        self.at_end = False
        self.kept: list[str] | None = None

    def fileno(self) -> int:
        """For select."""
        return self.link.fileno()

    def take(self) -> bool:
        """Take in what has arrived; False if it was the last."""
        try:
            data = os.read(self.fileno(), CHUNK)
        except OSError:  # the rank was killed
            data = b""
        if not data:
            self.at_end = True
            self._finish_line()
            return False
        begin = max(0, len(self._rest) - len(self._mark))  # the part before has been searched
        self._rest += data
        while (found := self._rest.find(self._mark, begin)) >= 0:
            self._emit(bytes(self._rest[:found]))
            del self._rest[: found + len(self._mark)]
            self.at_end, begin = True, 0
        complete = self._rest.rfind(b"\n") + 1
        if complete:
            self._emit(bytes(self._rest[:complete]))
            del self._rest[:complete]
        return True

    def _finish_line(self) -> None:
        self._emit(bytes(self._rest))
        self._rest.clear()

    def _emit(self, data: bytes) -> None:
        if not data:
            return
        text = data.decode(errors="replace")
        if self.kept is not None:
            self.kept.append(text)
            return
        lines = text.removesuffix("\n").split("\n")
        # polympi's own reports on a rank begin with the label.
        labelled = (line if line.startswith(self._label) else self._label + line for line in lines)
        stream = getattr(sys, self._name)
        if stream is not None:
            stream.write("\n".join(labelled) + "\n")
            stream.flush()
