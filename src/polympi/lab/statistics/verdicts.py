"""The verdict of a row: the conclusion from its figures, in one word.

A row is *separated* from the reference only if both hold:

1. the confidence interval of its log-ratio excludes 0;
2. its median log-ratio is beyond the noise floor (:mod:`~polympi.lab.statistics.floor`), which says how far the
   launches of the reference itself differ. Without an A/A arm there is no floor, and the row is at best ambiguous.

A separated row is `slower` or `faster` if its q-value is at most 0.05, else `ambiguous`. The q-value is needed because
a table has many rows: an interval of nine launches covers with 96.1 %, so that of rows without any effect one in 26
excludes 0 by chance. It says which share of the rows that are at least as clear as this one is chance
(:mod:`~polympi.lab.statistics.sign_flips`).

The rows of the A/A arm are a separate family. They have no floor (they are the floor), and their q-values are
computed among themselves: they answer whether the run can be trusted, and many true effects elsewhere in the table
would lower their q-values and make noise look like discoveries.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import Final

from polympi.lab.records import AGAIN
from polympi.lab.statistics.effects import PairedEffect
from polympi.lab.statistics.keys import RowKey
from polympi.lab.statistics.pairs import Pairs, log_ratio_table
from polympi.lab.statistics.sign_flips import flip_q_values

REFERENCE_ROW: Final = "reference"
SLOWER: Final = "slower"
FASTER: Final = "faster"
AMBIGUOUS: Final = "ambiguous"
NOT_SEPARATED: Final = "not separated"
TOO_FEW: Final = "too few launches"
NO_COUNTERPART: Final = "no counterpart"
INVALID: Final = "invalid"

LIMIT: Final = 0.05  # the false discovery rate that verdicts accept
VERDICTS = (REFERENCE_ROW, SLOWER, FASTER, AMBIGUOUS, NOT_SEPARATED, TOO_FEW, NO_COUNTERPART, INVALID)


def is_separated(effect: PairedEffect, floor: float | None) -> bool:
    """Whether the effect is more than chance and noise would show, before many rows are considered.

    The noise floor is an absolute log-ratio; 0 for the rows of the A/A arm itself, None if the case has none.
    """
    if effect.log_ratio is None or effect.log_interval is None:
        return False
    return effect.log_interval.excludes(0.0) and abs(effect.log_ratio) > (floor or 0.0)


def verdict(effect: PairedEffect | None, floor: float | None, q_value: float | None) -> str:
    """The verdict of a valid row that is not the reference, by its effect, if any block has a time of the reference.

    The floor is as for :func:`is_separated`; the q-value is the share of chance among the rows of its family that are
    at least as clear, None without an interval.
    """
    if effect is None or effect.log_ratio is None:
        return NO_COUNTERPART
    if effect.log_interval is None:
        return TOO_FEW
    if not is_separated(effect, floor):
        return NOT_SEPARATED
    if floor is None or q_value is None or q_value > LIMIT:
        return AMBIGUOUS
    return SLOWER if effect.log_ratio > 0 else FASTER


def family_q_values(pairs: Mapping[RowKey, Pairs]) -> dict[RowKey, float | None]:
    """The q-values of all rows: on each stack the A/A rows among themselves, the others among themselves."""
    families: dict[tuple[str, bool], list[RowKey]] = defaultdict(list)
    for key in pairs:
        families[key.stack, key.binding == AGAIN].append(key)
    q_values: dict[RowKey, float | None] = {}
    for members in families.values():
        table = log_ratio_table([pairs[key] for key in members])
        q_values.update(zip(members, flip_q_values(table), strict=True))
    return q_values
