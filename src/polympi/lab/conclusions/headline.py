"""One sentence on what the bindings of a stack cost over C: a small message and a large one."""

from collections.abc import Sequence

from polympi.lab.conclusions.overview import Overview
from polympi.lab.conclusions.phrases import duration, factor, listing
from polympi.lab.conclusions.rows import Row

MOST_NAMED = 3  # bindings by name in a clause; of more, the two extremes
NOTABLE = (
    1.1  # a large message that takes this factor of C's time, or its inverse, is named; copies cost more than that
)

_LEAST = f"{100 * (NOTABLE - 1):.0f} %"


def headline(seen: Overview) -> str:
    """What a small message takes more or less than in C, and which bindings make a large one longer or shorter.

    Only what is separated from C counts as a difference. Empty if no message was judged.
    """
    said = []
    for index, column in enumerate(seen.columns):
        rows = [row for arm in seen.bindings for row in [arm.spots[index].row] if row is not None and row.judged]
        if rows and column.topic == "small":
            said.append(f"a message of {column.size} {_differences(rows)}")
        elif rows and column.topic == "large":
            said.append(f"one of {column.size} {_factors(rows)}")
    text = "; ".join(said)
    return f"{text[0].upper()}{text[1:]}." if text else ""


def _differences(rows: Sequence[Row]) -> str:
    separated = sorted((row for row in rows if row.separated), key=lambda row: row.delta)
    if not separated:
        return "takes as long as in C, as far as is known"
    words = [f"{duration(row.delta)} {'more' if row.delta > 0 else 'less'} with {row.binding}" for row in separated]
    if len(words) <= MOST_NAMED:
        return f"takes {listing(words)} than in C"
    return f"takes from {words[0]} to {words[-1]} than in C"


def _factors(rows: Sequence[Row]) -> str:
    notable = [row for row in rows if row.separated and not 1 / NOTABLE < row.ratio < NOTABLE]
    words = [f"{factor(row.ratio)} times C's with {row.binding}" for row in sorted(notable, key=lambda row: row.ratio)]
    if not words:
        return f"isn't shown to differ from C's by {_LEAST}"
    named = listing(words) if len(words) <= MOST_NAMED else f"from {words[0]} to {words[-1]}"
    rest = len(rows) - len(notable)
    with_others = "the other" if rest == 1 else f"{rest} others"
    return f"takes {named}; with {with_others} no difference of {_LEAST} is shown" if rest else f"takes {named}"
