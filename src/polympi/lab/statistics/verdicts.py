"""The verdict of a row: what its figures allow one to say, in one word.

A row is *separated* from the reference only if both hold:

1. the confidence interval of its log-ratio excludes 0;
2. its median log-ratio is farther from 0 than that of the A/A arm (the reference launched once more, as if it were
   another binding) in the same case. What the reference seems to cost over itself is noise by construction, and an
   effect of that size is not to be believed of anyone else. Without an A/A arm there is no floor and the row is
   at best ambiguous.

A separated row is `slower` or `faster` if its q-value is at most 0.05, else `ambiguous`. The q-value is needed because
a table has many rows: an interval of ten launches covers with 97.9 %, so that of rows without any effect one in fifty
excludes 0 by chance. The floor takes some of those away, the adjustment for the false discovery rate the others.

Fewer than ten launches cannot be adjusted: the smallest p-value of six is 2/64, and q could reach 0.05 only if five
eighths of the whole table were that clear, so that a verdict would hang on what else was measured. Rows of six to nine
launches (the quick profile) are judged each by itself. Then of rows without any effect 1 in 32 excludes 0 by chance,
three in a table of a hundred, less what the floor takes away; the report says so beside them.

The rows of the A/A arm are a family of their own. They have no floor (they are the floor), and they are adjusted among
themselves: they answer whether the run can be trusted, and many true effects elsewhere in the table would lower their
q-values and make noise look like discoveries.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from polympi.lab.statistics.effects import PairedEffect
from polympi.lab.statistics.multiplicity import LIMIT, adjusted

# With ten launches the smallest p-value is 2/1024: one clear row in 26 is enough for a q of 0.05, so that the verdict
# of a row no longer depends on most of the others being clear too. It is also where the standard profile begins.
MINIMUM_ADJUSTABLE = 10

REFERENCE_ROW: Final = "reference"
SLOWER: Final = "slower"
FASTER: Final = "faster"
AMBIGUOUS: Final = "ambiguous"
NOT_SEPARATED: Final = "not separated"
TOO_FEW: Final = "too few launches"
NO_COUNTERPART: Final = "no counterpart"
INVALID: Final = "invalid"

VERDICTS = (REFERENCE_ROW, SLOWER, FASTER, AMBIGUOUS, NOT_SEPARATED, TOO_FEW, NO_COUNTERPART, INVALID)


def is_separated(effect: PairedEffect, floor: float | None) -> bool:
    """Whether the effect is more than chance and noise would show, before many rows are considered.

    Args:
        effect: the paired effect of the row.
        floor: absolute median log-ratio of the A/A arm in the same case; 0 for the rows of the A/A arm itself,
            None if the case has no A/A arm.
    """
    if effect.log_ratio is None or effect.log_interval is None:
        return False
    return effect.log_interval.excludes(0.0) and abs(effect.log_ratio) > (floor or 0.0)


def verdict(effect: PairedEffect | None, floor: float | None, q_value: float | None) -> str:
    """The verdict of a valid row that is not the reference.

    Args:
        effect: its paired effect; None when no block has a time of the reference for the case.
        floor: as for :func:`is_separated`.
        q_value: its p-value adjusted in its family; None if it has too few launches for that.

    Returns:
        One of :data:`VERDICTS`, without ``reference`` and ``invalid``.
    """
    if effect is None or effect.log_ratio is None:
        return NO_COUNTERPART
    if effect.log_interval is None:
        return TOO_FEW
    if not is_separated(effect, floor):
        return NOT_SEPARATED
    if floor is None or (q_value is not None and q_value > LIMIT):
        return AMBIGUOUS
    return SLOWER if effect.log_ratio > 0 else FASTER


def family_q_values(p_values: Sequence[float | None], is_again: Sequence[bool]) -> list[float | None]:
    """Adjusted p-values of the rows of one stack: the A/A rows among themselves, the others among themselves.

    Args:
        p_values: of each row; None where it has none.
        is_again: whether the row belongs to the A/A arm.
    """
    q_values: list[float | None] = [None] * len(p_values)
    for family in (True, False):
        members = [i for i, again in enumerate(is_again) if again is family]
        for i, q in zip(members, adjusted([p_values[i] for i in members]), strict=True):
            q_values[i] = q
    return q_values
