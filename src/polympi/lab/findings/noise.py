"""What the A/A arm says: how far two runs of the same C program differ."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median

from polympi.lab.findings.phrases import count, percent, verb
from polympi.lab.findings.rows import Row
from polympi.lab.samples.records import AGAIN
from polympi.lab.units import format_size


@dataclass(frozen=True)
class NoiseFloor:
    """The A/A arm of one stack.

    Attributes:
        rows: rows with a ratio and an interval.
        largest: the row that differs most.
        typical: median over rows of the relative difference.
        separated: rows whose interval excludes 1.
        expected: rows that would by chance alone: the sum of what their intervals leave uncovered.
    """

    rows: int
    largest: Row
    typical: float
    separated: int
    expected: float


def noise_floor(rows: list[Row]) -> NoiseFloor | None:
    """The noise floor seen in the rows of one stack; None if it had no A/A arm, or too few launches.

    Figures of launches (start-up) are left out: they vary with the machine's process handling, not with messages.
    """
    arm = [row for row in rows if row.binding == AGAIN and row.benchmark != "startup"]
    judged = [row for row in arm if None not in (row.ratio_to_c, row.ratio_low, row.ratio_high, row.confidence)]
    if not judged:
        return None
    return NoiseFloor(
        rows=len(judged),
        largest=max(judged, key=_distance),
        typical=median(map(_distance, judged)),
        separated=sum(_excludes_one(row) for row in judged),
        expected=sum(1.0 - (row.confidence or 0.0) for row in judged),
    )


def noise_sentence(stack: str, rows: list[Row]) -> str:
    """What is known of the noise on a stack, in one or two sentences."""
    floor = noise_floor(rows)
    if floor is None:
        return f"On {stack} the noise floor is unknown: the A/A arm (C again) has no interval."
    where = f"{floor.largest.family.title}"
    if floor.largest.size_bytes:
        where += f" at {format_size(floor.largest.size_bytes)}"
    chance = f"{floor.expected:.1f}" if floor.expected < 9.95 else f"{floor.expected:.0f}"
    return (
        f"On {stack} two runs of the same C program differ by up to {percent(_distance(floor.largest))} ({where}), "
        f"typically {percent(floor.typical)}; {floor.separated} of {count(floor.rows, 'A/A row')} "
        f"{verb(floor.separated, 'looks', 'look')} separated, chance alone gives about {chance}."
    )


def _distance(row: Row) -> float:
    return math.expm1(abs(math.log(row.ratio)))


def _excludes_one(row: Row) -> bool:
    low, high = row.ratio_low, row.ratio_high
    return low is not None and high is not None and (low > 1.0 or high < 1.0)
