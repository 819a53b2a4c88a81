"""Time over message size as straight lines, ``t(m) = latency + m / bandwidth``, one for each protocol.

An MPI library changes its protocol with the size (eager, rendezvous, single copy, pipelined), and each has a latency
and its own bandwidth (Hockney, "The communication challenge for MPP", Parallel Computing 20 (1994), for the line;
Hoefler & Belli, SC15, for not fitting one line through all). Where the protocols change is found, not given: of all
ways to cut the measured sizes into segments, dynamic programming finds the best for each number of segments (Bai &
Perron, J. Appl. Econometrics 18 (2003)), and the number is the one of the least Bayesian information criterion
(Yao, Statistics & Probability Letters 6 (1988)), with a higher charge for few sizes.
"""

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from polympi.lab.statistics.model import Segment

MINIMUM_SIZES = 4  # sizes a fit needs: one more than a segment needs
SEGMENT_SIZES = 3  # sizes a segment needs: two make a line, the third a residual
PERFECT = 0.005  # relative residual below which a line is as good as it need be; no break is made to get lower

# What a parameter costs, in units of the Bayesian criterion. 1 is right for very many points; with 6 to 12 of them, and
# breaks that are searched for, it cuts one straight line of eight in two. 1.5 cuts one of twenty, as the tests show.
CHARGE = 1.5

_Vector = NDArray[np.float64]
_Matrix = NDArray[np.float64]


def fit_segments(sizes: Sequence[int], times_ns: Sequence[float]) -> tuple[Segment, ...]:
    """The protocol segments of a time in ns over ascending sizes, four at least; together they hold every size once.

    Residuals are relative to the measured time (weights ``1 / t**2``), since noise is; so the small sizes count as much
    as the large ones. Neither the latency nor the time for a byte is allowed below zero: a line that would need it is
    replaced by the best one through the origin or the best flat one. ValueError if there are too few sizes, they are
    not ascending, or a time is not positive.
    """
    m, t = np.asarray(sizes, dtype=np.float64), np.asarray(times_ns, dtype=np.float64)
    if len(m) < MINIMUM_SIZES or m.shape != t.shape or (np.diff(m) <= 0).any() or not (t > 0).all():
        raise ValueError("a fit needs at least four ascending sizes with a positive time each")
    costs = _segment_costs(m, t)
    cuts = min(
        _best_cuts(costs), key=lambda c: _criterion(float(sum(costs[i, j] for i, j in pairwise(c))), len(m), len(c) - 1)
    )
    return tuple(_segment(m, t, first, last) for first, last in pairwise(cuts))


def fitted_times(segments: Sequence[Segment], sizes: Sequence[int]) -> tuple[float, ...]:
    """What the segments say for each size, in ns; every size must lie in one of them."""
    return tuple(
        next(s.latency_ns + s.per_byte_ns * m for s in segments if s.first_size <= m <= s.last_size) for m in sizes
    )


def line_through(sizes: _Vector, times_ns: _Vector) -> tuple[float, float, float]:
    """The line of least relative squares with latency and time for a byte not below zero, and the squares' sum."""
    # Both sides divided by t: every equation then reads "fitted / measured = 1".
    design = np.column_stack((np.ones_like(sizes), sizes)) / times_ns[:, None]
    ones = np.ones_like(sizes)
    scale = np.linalg.norm(design, axis=0)
    free = np.linalg.lstsq(design / scale, ones, rcond=None)[0] / scale
    if (free >= 0).all():
        candidates = [free]
    else:  # the least of a convex function lies on the border
        flat, origin = design.T @ ones / scale**2
        candidates = [np.array([flat, 0.0]), np.array([0.0, origin])]
    cost, best = min(((float(((design @ c - 1) ** 2).sum()), c) for c in candidates), key=lambda pair: pair[0])
    return float(best[0]), float(best[1]), cost


def _segment_costs(m: _Vector, t: _Vector) -> _Matrix:
    """Cost, as :func:`line_through` gives it, of a segment from size i up to but without size j; infinite if too short.

    All segments with the same start are solved at once by the normal equations over running sums; sizes are
    counted from the start of the segment, without which neighbouring large sizes would lose all their digits.
    """
    n = len(m)
    costs = np.full((n + 1, n + 1), np.inf)
    for i in range(n - SEGMENT_SIZES + 1):
        rows = np.column_stack((np.ones(n - i), m[i:] - m[i], m[i:])) / t[i:, None]
        one, x, size = rows.T
        products = (one * one, one * x, x * x, one, x, size * size, size, np.ones(n - i))
        s0, s1, s2, t0, t1, u2, u1, count = np.cumsum(products, axis=1)[:, SEGMENT_SIZES - 1 :]
        determinant = s0 * s2 - s1 * s1
        level = (s2 * t0 - s1 * t1) / determinant
        per_byte = (s0 * t1 - s1 * t0) / determinant
        free = count - level * t0 - per_byte * t1
        border = count - np.maximum(t0 * t0 / s0, u1 * u1 / u2)
        legal = (per_byte >= 0) & (level - per_byte * m[i] >= 0)
        costs[i, i + SEGMENT_SIZES :] = np.maximum(np.where(legal, free, border), 0.0)
    return costs


def _best_cuts(costs: _Matrix) -> list[list[int]]:
    """For each possible number of segments the cuts of least total cost, from 0 to the number of sizes."""
    n = len(costs) - 1
    best = costs[0]
    history: list[NDArray[np.intp]] = []
    found = [[0, n]]
    for _ in range(2, n // SEGMENT_SIZES + 1):
        totals = best[:, None] + costs
        history.append(totals.argmin(axis=0))
        best = totals.min(axis=0)
        cuts = [n]
        for previous in reversed(history):
            cuts.append(int(previous[cuts[-1]]))
        found.append([0, *reversed(cuts)])
    return found


def _criterion(cost: float, sizes: int, segments: int) -> float:
    parameters = 3 * segments - 1  # two a line, one a break
    variance = max(cost / (sizes - parameters), PERFECT**2)
    return math.log(variance) + CHARGE * parameters * math.log(sizes) / sizes


def _segment(m: _Vector, t: _Vector, first: int, last: int) -> Segment:
    latency, per_byte, _ = line_through(m[first:last], t[first:last])
    residuals = np.abs(latency + per_byte * m[first:last] - t[first:last]) / t[first:last]
    return Segment(
        first_size=int(m[first]),
        last_size=int(m[last - 1]),
        latency_ns=latency,
        per_byte_ns=per_byte,
        largest_residual=float(residuals.max()),
    )
