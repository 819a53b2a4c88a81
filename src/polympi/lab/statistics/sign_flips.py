"""Many rows: how many of the rows that look this clear would do so without any effect?

If a binding and C take equally long, the log-ratio of a block is as likely to be above 0 as below: its sign could
have been the other one. Flipping the signs of whole blocks therefore makes tables without any effect out of the
measured one, with the same noise. How clear their rows look by chance shows how many of the rows that look clear in
the measured table are chance (Tusher, Tibshirani & Chu, "Significance analysis of microarrays applied to the ionizing
radiation response", PNAS 98 (2001) 5116-5121; the q-value is that of Storey & Tibshirani, PNAS 100 (2003) 9440-9445,
with the share of rows without an effect taken to be 1).

- A block is flipped in all rows at once. Rows of one block come from the same launches and move together; so they do
  in the flipped tables, where chance too comes in clusters.
- How clear a row looks does not depend on its signs alone, of which six to ten launches have too few for a table of
  hundreds of rows (the smallest p-value of nine is 2/512), but on how far its median is from 0 in units of the interval
  that the report shows. So an effect far beyond its noise is found also if it is the only one in a large table.
- Rows with an effect take part in the flipped tables too, which makes those look noisier than they should be, and q
  larger. The share of rows without an effect, by which that is often corrected, is not estimated: where
  rows move together the estimate is at times far too small.
"""

import math

import numpy as np
from numpy.typing import NDArray

from polympi.lab.statistics.intervals import MINIMUM_LAUNCHES, interval_ranks

# Half an interval is never taken to be less than 1 %, to which rows are measured (``stopping.RELATIVE_PRECISION``):
# a row whose few values agree by luck would look clear with no effect to speak of (Tusher et al. add it likewise).
SMALLEST_SCALE = math.log(1.01)
# Flipped tables: all that differ up to 11 blocks, since a table and its negative count the same; else this many, drawn
# at random. It gives the share of 0.05 to 0.007 (one standard error).
TABLES = 1024
_AT_ONCE = 2**21  # values sorted at a time: 16 MiB

_Table = NDArray[np.float64]


def flip_q_values(log_ratios: _Table) -> list[float | None]:
    """For each row, the share of chance to expect among the rows that look at least as clear: its q-value, at most 1.

    It holds for rows whose log-ratio without an effect is symmetric around 0. The same table, a column for each block
    and NaN where a row has no value, gives the same values; None for rows with fewer than six values. The smallest
    possible is 2 / 2^n of n blocks.
    """
    present = np.isfinite(log_ratios)
    members = np.flatnonzero(present.sum(axis=1) >= MINIMUM_LAUNCHES)
    q_values: list[float | None] = [None] * len(log_ratios)
    if not members.size:
        return q_values
    clear = _clearness_when_flipped(log_ratios[members], present[members], _flips(log_ratios.shape[1]))
    for row, q in zip(members, _expected_share(clear), strict=True):
        q_values[row] = float(q)
    return q_values


def clearness(log_ratios: _Table) -> _Table:
    """How far the median of the last axis is from 0, in units of half its interval and 1 %."""
    count = log_ratios.shape[-1]
    ranks = interval_ranks(count)
    if ranks is None:
        raise ValueError("how clear a row is cannot be computed without an interval")
    lower, upper, _ = ranks
    ordered = np.sort(log_ratios, axis=-1)
    medians = (ordered[..., (count - 1) // 2] + ordered[..., count // 2]) / 2
    halves = (ordered[..., upper - 1] - ordered[..., lower - 1]) / 2
    result: _Table = np.abs(medians) / (halves + SMALLEST_SCALE)
    return result


def _flips(blocks: int) -> _Table:
    """Signs of the blocks, one row per flipped table; the first flips nothing."""
    if 2 ** (blocks - 1) <= TABLES:
        numbers = np.arange(2 ** (blocks - 1))[:, None]
        flipped = (numbers >> np.arange(blocks)) & 1
    else:
        flipped = np.random.default_rng(TABLES).integers(0, 2, (TABLES, blocks))
        flipped[0] = 0
    return np.where(flipped, -1.0, 1.0)


def _clearness_when_flipped(log_ratios: _Table, present: NDArray[np.bool_], flips: _Table) -> _Table:
    """The clearness of all rows in all flipped tables: one row per table, one column per row of the family."""
    clear = np.empty((len(flips), len(log_ratios)))
    patterns, pattern_of = np.unique(present, axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        rows = np.flatnonzero(pattern_of == number)
        values, signs = log_ratios[np.ix_(rows, pattern)], flips[:, pattern]
        step = max(1, _AT_ONCE // values.size)
        for first in range(0, len(flips), step):
            part = slice(first, first + step)
            clear[part, rows] = clearness(signs[part, None, :] * values)
    return clear


def _expected_share(clear: _Table) -> _Table:
    """The q-values: rows as clear in a flipped table on average, over rows as clear in the measured one (the first).

    That of a row is the smallest share of any threshold that lets it pass, so that clearer rows have no larger one.
    """
    measured, every = clear[0], np.sort(clear, axis=None)
    order = np.argsort(measured)
    thresholds = measured[order]
    by_chance = (every.size - np.searchsorted(every, thresholds)) / len(clear)
    found = len(thresholds) - np.searchsorted(thresholds, thresholds)
    q_values: _Table = np.empty(len(measured))
    q_values[order] = np.minimum(np.minimum.accumulate(by_chance / found), 1.0)
    return q_values
