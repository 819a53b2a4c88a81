"""Which rule ended the sampling of each row of a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from polympi.lab.records import Outcome, RunRecord
from polympi.lab.statistics.keys import RowKey
from polympi.lab.statistics.stopping import StopRule

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
        """The rule that stopped a row; None when the run was complete for others' sake before any did.

        The values of the reference are those of the A/A arm.
        """
        key = (row.stack, row.binding, row.benchmark, row.mode, row.payload, row.size_bytes)
        if key in self._recorded:
            return self._recorded[key]
        rule = self._rule.check(differences_ns, log_ratios, self._blocks.get(row.stack))
        return rule or self._ended
