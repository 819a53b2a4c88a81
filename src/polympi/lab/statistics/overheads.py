"""What a binding adds to a message, ``delta(m) = per call + per byte * m``.

The line is drawn through the differences to the reference, block by block, so that each block gives one pair of
coefficients; their medians and intervals are then those of independent values, as everywhere else.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from polympi.lab.statistics.intervals import MedianInterval, median_interval


@dataclass(frozen=True)
class Line:
    """A line through the differences of one block."""

    per_call_ns: float  # what a message of any size costs more, in ns
    per_byte_ns: float  # what each byte costs more, in ns


@dataclass(frozen=True)
class Coefficient:
    """A coefficient over blocks: its median and the interval of that."""

    median: float
    interval: MedianInterval


def overhead_line(sizes: Sequence[int], binding_ns: Sequence[float], reference_ns: Sequence[float]) -> Line:
    """The line of least absolute differences, each counted in units of the reference's time at its size, in one block.

    Noise grows with the time, so the differences are weighted by its inverse. Absolute values keep single odd sizes (a
    protocol break that the binding meets elsewhere than C) from bending the line. It is exact: an optimal line passes
    through two of the points (Bloomfield & Steiger, *Least Absolute Deviations*, 1983), and all pairs are tried. There
    are two sizes at least, each once; times are in ns, those of the reference positive.
    """
    m = np.asarray(sizes, dtype=np.float64)
    reference = np.asarray(reference_ns, dtype=np.float64)
    delta = np.asarray(binding_ns, dtype=np.float64) - reference
    i, j = np.triu_indices(len(m), k=1)
    per_byte = (delta[j] - delta[i]) / (m[j] - m[i])
    per_call = delta[i] - per_byte * m[i]
    misfit = np.abs(per_call[:, None] + per_byte[:, None] * m - delta) / reference
    best = int(misfit.sum(axis=1).argmin())
    return Line(float(per_call[best]), float(per_byte[best]))


def coefficient_over_blocks(values: Sequence[float]) -> Coefficient | None:
    """The median over blocks and its interval; None with fewer than 6 values, which give no interval."""
    interval = median_interval(np.asarray(values))
    return None if interval is None else Coefficient(float(np.median(values)), interval)


def overhead_over_blocks(lines: Sequence[Line]) -> tuple[Coefficient, Coefficient] | None:
    """Cost per call and per byte over the lines of the blocks; None with fewer than 6, which give no interval."""
    per_call = coefficient_over_blocks([line.per_call_ns for line in lines])
    per_byte = coefficient_over_blocks([line.per_byte_ns for line in lines])
    return None if per_call is None or per_byte is None else (per_call, per_byte)
