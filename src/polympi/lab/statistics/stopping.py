"""When a row has been measured often enough.

A rule looks at how precise a row is, never at how large or how significant its effect is: who stops when a
difference becomes significant finds differences everywhere. A run ends when every row has stopped.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from polympi.lab.statistics.intervals import median_interval

PRECISION: Final = "precision"
FIXED: Final = "fixed"
MAX_BLOCKS: Final = "max-blocks"

RELATIVE_PRECISION = 0.01  # of the ratio: who chooses a binding does not choose by less
ABSOLUTE_PRECISION_NS = 20.0  # of the difference: about what one reading of a clock costs


@dataclass(frozen=True)
class StopRule:
    """Blocks until a row is precise: at least ``minimum``, at most ``maximum``; a fixed number if both are equal.

    Precise is a row of which the 95 % interval of the ratio lies within 1 % of the ratio, or that of the difference
    within 20 ns of the difference. The second matters for short messages, where 1 % is less than a clock tells.
    """

    minimum: int
    maximum: int

    def check(
        self, differences_ns: Sequence[float], log_ratios: Sequence[float], blocks: int | None = None
    ) -> str | None:
        """The rule that ends the sampling of a row, or None if it continues.

        For a row of a binding the values are its paired effects so far. The reference has no effect of its own: pass
        the effects of the A/A arm, which are as precise as the reference is. A row without pairs (the
        reference does not measure the case) passes none and only ends with the number of blocks.

        Args:
            differences_ns: binding - reference, one value per block, in ns.
            log_ratios: ``log(binding / reference)``, likewise; empty when a time is zero.
            blocks: blocks made so far, if that is more than there are differences (launches failed, or nothing to
                pair with).

        Returns:
            ``precision``, ``fixed`` or ``max-blocks``; None: not yet.
        """
        made = max(len(differences_ns), len(log_ratios), blocks or 0)
        if self.minimum == self.maximum:
            return FIXED if made >= self.maximum else None
        if made >= self.minimum and is_precise(differences_ns, log_ratios):
            return PRECISION
        return MAX_BLOCKS if made >= self.maximum else None


def is_precise(differences_ns: Sequence[float], log_ratios: Sequence[float]) -> bool:
    """Whether the effects of a row pin it down to 1 % of the ratio or to 20 ns of the difference."""
    upwards, downwards = math.log1p(RELATIVE_PRECISION), -math.log1p(-RELATIVE_PRECISION)
    return _within(log_ratios, downwards, upwards) or _within(
        differences_ns, ABSOLUTE_PRECISION_NS, ABSOLUTE_PRECISION_NS
    )


def _within(values: Sequence[float], below: float, above: float) -> bool:
    interval = median_interval(values)
    if interval is None:
        return False
    centre = float(np.median(values))
    return centre - interval.low <= below and interval.high - centre <= above
