"""Which blocks of different stacks, levels or numbers of ranks were made at the same time."""

from __future__ import annotations

from collections.abc import Iterable

from polympi.lab.records import LaunchRecord, RunRecord
from polympi.lab.statistics.operations import counts


def sittings_of(run: RunRecord, launches: Iterable[LaunchRecord]) -> dict[tuple[str, int], int]:
    """How often the run had been resumed when a block was made, by stack and block.

    Blocks of the same number from before and after an interruption aren't paired: hours may lie between them.
    """
    return {
        (record.stack, record.block): sum(when <= record.started for when in run.resumed)
        for record in launches
        if counts(record) and record.block is not None
    }
