"""Messages whose elements do not lie side by side: made, filled and checked (``docs/protocol.md``, datatype)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from arena import UNSEEN, space
from catalogue import LAYOUTS
from pattern import double_pattern, first_difference
from pieces import Piece
from plan import whole_groups

if TYPE_CHECKING:
    from arena import Arena
    from numpy.typing import NDArray
    from plan import Case


class Layouts:
    """Both messages of one rank in one case of ``datatype``.

    Args:
        case: of that benchmark.
        rank: 0 or 1.
        arena: what the messages are carved out of.

    Attributes:
        groups: how many groups a message has.
        outgoing: the memory of the message that is sent, with the elements that stay, a group a row.
        incoming: likewise, of the one that is received.
    """

    def __init__(self, case: Case, rank: int, arena: Arena) -> None:
        self._case = case
        self._rank = rank
        self.groups = whole_groups(case.size)
        self.period, self._sent = LAYOUTS[case.mode]
        self.outgoing, self.incoming = (
            memory.view(np.float64).reshape(self.groups, self.period)
            for memory in arena.carve([Layouts.size(case), Layouts.size(case)])
        )

    @staticmethod
    def size(case: Case) -> int:
        """Bytes of memory that a message lies in."""
        return whole_groups(case.size) * 8 * LAYOUTS[case.mode][0]

    @staticmethod
    def space(case: Case) -> int:
        """Bytes of arena that both take."""
        return space([Layouts.size(case), Layouts.size(case)])

    def clear(self) -> None:
        """Overwrite both, and fill the one that is sent."""
        for message in (self.outgoing, self.incoming):
            message.view(np.uint8).fill(UNSEEN)
        self.outgoing[:, self._sent] = self._pattern(self._rank)

    def check(self) -> str:
        """Compare what arrived with what was sent, and see that nothing between its parts was written to.

        The first difference in words, empty if there is none. What arrived is overwritten.
        """
        parts: NDArray[Any] = self.incoming[:, self._sent]
        difference = first_difference(parts.reshape(-1), self._pattern(1 - self._rank).reshape(-1))
        if difference:
            return difference
        self.incoming[:, self._sent] = np.full(8, UNSEEN, np.uint8).view(np.float64)[0]
        beside = self.incoming.view(np.uint8) != UNSEEN
        return "an element between the parts of the message was written to" if beside.any() else ""

    def _pattern(self, origin: int) -> NDArray[np.float64]:
        pattern = double_pattern(self._case.size // 8, self._case.number, Piece(origin, 0))
        return pattern.reshape(self.groups, len(self._sent))
