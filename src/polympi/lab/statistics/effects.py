"""What a binding costs over the reference, from launches paired by block.

A block launches every binding once, close together in time; what drifts from block to block hits both sides of a pair
and cancels in its difference and its ratio. Ratios are handled as logarithms: their median is that of the ratios
turned either way round, which no average of ratios is (Hoefler & Belli, SC15, rule 4).
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from polympi.lab.statistics.intervals import MedianInterval, Values, median_interval


@dataclass(frozen=True)
class PairedEffect:
    """The effect of a binding over blocks."""

    blocks: int
    delta_ns: float  # median of the differences binding - reference, in ns
    delta_interval: MedianInterval | None  # its interval; None with fewer than 6 blocks
    log_ratio: float | None  # median of `log(binding / reference)`; None when a time is zero, so that there is no ratio
    log_interval: MedianInterval | None  # its interval; None without a log-ratio or with fewer than 6 blocks
    p_value: float | None  # exact two-sided sign test of the log-ratios; None without them


def paired_effect(binding_ns: Values, reference_ns: Values) -> PairedEffect:
    """The effect of a binding on the time of one operation, from times in ns, one a block, in the same order."""
    binding = np.asarray(binding_ns, dtype=np.float64)
    reference = np.asarray(reference_ns, dtype=np.float64)
    if binding.shape != reference.shape or binding.ndim != 1 or not binding.size:
        raise ValueError("a paired effect needs one time of each side in at least one block")
    differences = binding - reference
    ratios = np.log(binding / reference) if (binding > 0).all() and (reference > 0).all() else None
    return PairedEffect(
        blocks=len(differences),
        delta_ns=float(np.median(differences)),
        delta_interval=median_interval(differences),
        log_ratio=None if ratios is None else float(np.median(ratios)),
        log_interval=None if ratios is None else median_interval(ratios),
        p_value=None if ratios is None else sign_test(ratios),
    )


def sign_test(values: Values) -> float:
    """Exact two-sided p-value of "the median is zero", from the signs alone.

    Zeros speak for neither side and are left out (Conover, section 3.4); if nothing else is left, p is 1.
    """
    signs = np.sign(np.asarray(values, dtype=np.float64))
    positive, negative = int((signs > 0).sum()), int((signs < 0).sum())
    return _two_sided(positive, positive + negative)


@lru_cache(maxsize=4096)
def _two_sided(positive: int, count: int) -> float:
    tail = sum(math.comb(count, k) for k in range(min(positive, count - positive) + 1))
    return min(1.0, 2 * tail / (1 << count))
