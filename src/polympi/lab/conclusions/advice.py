"""What to do about the costs of one binding, as far as its run shows that it helps."""

from __future__ import annotations

from collections.abc import Sequence

from polympi.lab.conclusions.brief import ping_pong
from polympi.lab.conclusions.headline import NOTABLE
from polympi.lab.conclusions.phrases import duration, factor, size_words
from polympi.lab.conclusions.rows import SMALL, Row, example_size
from polympi.lab.demand.split import MULTIPLE

WORTH_IT = 1.5  # a way is recommended if the other one takes this factor of its time: more than noise ever does


def advice(rows: Sequence[Row], arms: Sequence[str]) -> list[str]:
    """Sentences on what a program can do; empty if the run shows nothing.

    Args:
        rows: those of one stack.
        arms: of the binding; the first is how it sends a buffer.
    """
    of_arms = {arm: _judged(ping_pong([row for row in rows if row.binding == arm])) for arm in arms}
    said = [_other_arm(of_arms), _fewer_messages(of_arms.get(arms[0], [])), _thread_level(rows)]
    return [text for text in said if text]


def _judged(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row.judged]


def _other_arm(of_arms: dict[str, list[Row]]) -> str:
    """The arm to use instead of another one, at the size where that helps most."""
    by_size: dict[int, list[Row]] = {}
    for rows in of_arms.values():
        for row in rows:
            by_size.setdefault(row.size_bytes, []).append(row)
    pairs = [(max(same, key=_ratio), min(same, key=_ratio)) for same in by_size.values()]
    helpful = [(worse, better) for worse, better in pairs if worse.separated and worse.ratio > WORTH_IT * better.ratio]
    if not helpful:
        return ""
    worse, better = max(helpful, key=lambda pair: pair[0].ratio / pair[1].ratio)
    return (
        f"Where data lie in memory as they are sent, send them as {better.binding} does, not as {worse.binding}: at "
        f"{size_words(better)} that takes {factor(better.ratio)} times C's time instead of {factor(worse.ratio)}."
    )


def _ratio(row: Row) -> float:
    return row.ratio


def _fewer_messages(rows: Sequence[Row]) -> str:
    """From which size on a call's own time no longer counts."""
    small = [row for row in rows if row.size_bytes <= SMALL]
    if not small:
        return ""
    example = next(row for row in small if row.size_bytes == example_size(row.size_bytes for row in small))
    if not example.separated or example.delta <= 0 or example.ratio < NOTABLE:
        return ""
    slow = max((place for place, row in enumerate(rows) if row.separated and row.ratio >= NOTABLE), default=-1)
    more = f"Each message of {size_words(example)} takes {duration(example.delta)} more than in C"
    if slow + 1 == len(rows):
        return f"{more}: send few large messages instead of many small ones."
    less = f"from {size_words(rows[slow + 1])} on the difference is under {100 * (NOTABLE - 1):.0f} % of C's time"
    return f"{more}, and {less}: send few large messages instead of many small ones."


def _thread_level(rows: Sequence[Row]) -> str:
    """What the highest thread level costs C itself, which a program that doesn't need it can save."""
    of_c = _judged(ping_pong([row for row in rows if row.binding == MULTIPLE]))
    small = [row for row in of_c if row.size_bytes <= SMALL and row.separated and row.ratio >= NOTABLE]
    if not small:
        return ""
    return (
        f"If one thread alone calls MPI, ask for a lower thread level: MPI_THREAD_MULTIPLE alone costs C "
        f"{duration(small[0].delta)} at {size_words(small[0])} ({factor(small[0].ratio)} times)."
    )
