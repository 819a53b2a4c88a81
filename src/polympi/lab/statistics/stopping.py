"""When a row has been measured often enough, and which rule ended each row of a run.

A rule looks at how precise a row is, never at how large or how significant its effect is: who stops when a
difference becomes significant finds differences everywhere. A run ends when every row has stopped.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from polympi.lab.records import Outcome, RunRecord
from polympi.lab.statistics.intervals import median_interval
from polympi.lab.statistics.keys import RowKey

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
        """The rule that ends the sampling of a row (``precision``, ``fixed``, ``max-blocks``); None if it continues.

        For a row of a binding the values are its paired effects so far, one per block: differences to the reference in
        ns, and log-ratios, none when a time is zero. The reference has no effect of its own: pass the effects of the
        A/A arm, which are as precise as the reference is. A row without pairs (the reference does not measure the case)
        passes none and only ends with the number of blocks. More blocks than differences were made where launches
        failed, or there is nothing to pair with.
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


INTERRUPTED: Final = "interrupted"
TIME_LIMIT: Final = "time-limit"


class Stops:
    """What the run recorded, and for rows of which it recorded nothing what follows from how it ended.

    Nothing is recorded of launch figures, which are read off launches made for the sake of other rows, nor of any row
    of a run that was killed.
    """

    def __init__(self, run: RunRecord, outcome: Outcome | None) -> None:
        self._rule = StopRule(run.minimum_blocks, run.maximum_blocks)
        self._blocks = outcome.blocks if outcome else {}
        self._ended = {
            None: INTERRUPTED,
            "interrupted": INTERRUPTED,
            "host lost": INTERRUPTED,
            "time limit": TIME_LIMIT,
        }.get(outcome.ended if outcome else None)
        self._recorded = {
            (s.stack, s.binding, s.benchmark, s.mode, s.payload, s.size_bytes): s.stopped_by
            for s in (outcome.stops if outcome else [])
        }

    def of(self, row: RowKey, differences_ns: Sequence[float], log_ratios: Sequence[float]) -> str | None:
        """The rule that stopped a row, C's by the values of the A/A arm; None if the run was complete before."""
        key = (row.stack, row.binding, row.benchmark, row.mode, row.payload, row.size_bytes)
        if key in self._recorded:
            return self._recorded[key]
        rule = self._rule.check(differences_ns, log_ratios, self._blocks.get(row.stack))
        return rule or self._ended
