"""What the A/A arm says: how far launches of the same C program differ."""

import math
from dataclasses import dataclass
from statistics import median

from polympi.lab.conclusions.phrases import count, percent, size_words, verb
from polympi.lab.conclusions.rows import Row
from polympi.lab.records import AGAIN
from polympi.lab.statistics.floor import reach
from polympi.lab.statistics.intervals import MedianInterval


@dataclass(frozen=True)
class NoiseFloor:
    """The A/A arm of one stack."""

    rows: int  # rows with a ratio and an interval
    largest: Row
    typical: float  # median over rows of that reach, as a relative difference
    separated: int  # rows whose interval excludes 1
    expected: float  # rows that would by chance alone: the sum of what their intervals leave uncovered


def noise_floor(rows: list[Row]) -> NoiseFloor | None:
    """The noise floor seen in the rows of one stack; None if it had no A/A arm, or too few launches.

    Figures of launches (start-up) are left out: they vary with the machine's process handling, not with messages.
    """
    arm = [row for row in rows if row.binding == AGAIN and row.benchmark != "startup"]
    judged = [row for row in arm if row.ratio_low and row.ratio_high and row.confidence]
    if not judged:
        return None
    return NoiseFloor(
        rows=len(judged),
        largest=max(judged, key=_reach),
        typical=median(map(_reach, judged)),
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
        where += f" at {size_words(floor.largest)}"
    one = 1 if 1 in (floor.rows, floor.separated) else 2
    chance = f"{floor.expected:.1f}" if floor.expected < 9.95 else f"{floor.expected:.0f}"
    return (
        f"On {stack} noise moves the time of C against itself by {percent(floor.typical)} typically and "
        f"{percent(_reach(floor.largest))} at most ({where}); a smaller effect there counts as noise. "
        f"{floor.separated} of {count(floor.rows, 'A/A interval')} {verb(one, 'excludes', 'exclude')} 1, "
        f"chance alone gives about {chance}."
    )


def _reach(row: Row) -> float:
    """How far noise moves the median of a binding there, as a relative difference (:mod:`statistics.floor`)."""
    low, high = row.ratio_low or 1.0, row.ratio_high or 1.0
    return math.expm1(reach(MedianInterval(math.log(low), math.log(high), row.confidence or 0.0)))


def _excludes_one(row: Row) -> bool:
    low, high = row.ratio_low, row.ratio_high
    return low is not None and high is not None and (low > 1.0 or high < 1.0)
