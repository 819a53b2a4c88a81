from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import nnls

from polympi.lab.statistics.fits import fit_segments, fitted_times, line_through

SIZES = [0, *(2**k for k in range(23))]
TIMES = st.lists(st.floats(100, 1e7), min_size=4, max_size=12)


def noisy(times, seed, noise=0.02):
    return np.asarray(times) * np.exp(np.random.default_rng(seed).normal(0, noise, len(times)))


def three_protocols(sizes):
    """Eager below 16 KiB, rendezvous below 512 KiB, pipelined from there."""
    m = np.asarray(sizes, dtype=float)
    return np.select([m < 2**14, m < 2**19], [800 + m / 8, 2500 + m / 12], 4000 + m / 9)


def test_a_segment_is_the_weighted_least_squares_line_of_numpy():
    times = noisy([800 + m / 12 for m in SIZES], seed=3)
    # numpy weights residuals, not their squares: 1 / t makes them relative.
    slope, intercept = np.polyfit(SIZES, times, 1, w=1 / times)
    assert line_through(np.array(SIZES, float), times)[:2] == pytest.approx((intercept, slope))


@pytest.mark.parametrize("seed", range(5))
def test_breaks_and_coefficients_of_three_protocols_are_found(seed):
    segments = fit_segments(SIZES, noisy(three_protocols(SIZES), seed, noise=0.01))
    assert [(s.first_size, s.last_size) for s in segments] == [(0, 8192), (16384, 262144), (524288, 4194304)]
    # The slope of the last segment rests on four sizes of which the smallest is 15 times its latency.
    for segment, latency, per_byte, tolerance in zip(
        segments, (800, 2500, 4000), (1 / 8, 1 / 12, 1 / 9), (0.03, 0.05, 0.6), strict=True
    ):
        assert segment.latency_ns == pytest.approx(latency, rel=tolerance)
        assert segment.per_byte_ns == pytest.approx(per_byte, rel=0.05)
        assert segment.largest_residual < 0.04


@pytest.mark.parametrize("count", [6, 8, 12, 24])
def test_noise_breaks_a_straight_line_one_time_in_twenty_at_most(count):
    sizes = np.unique(np.linspace(0, len(SIZES) - 1, count).astype(int))
    line = np.array([800 + SIZES[i] / 12 for i in sizes])
    broken = [len(fit_segments([SIZES[i] for i in sizes], noisy(line, seed, 0.03))) > 1 for seed in range(400)]
    # Three standard errors of a share of 0.05 over 400 fits above it.
    assert np.mean(broken) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)


def test_four_sizes_are_enough_and_three_are_not():
    assert len(fit_segments([0, 8, 64, 512], [800, 801, 810, 860])) == 1
    with pytest.raises(ValueError, match="four"):
        fit_segments([0, 8, 64], [800, 801, 810])


@pytest.mark.parametrize(("sizes", "times"), [([0, 8, 8, 16], [1, 1, 1, 1]), ([0, 8, 16, 32], [1, 0, 1, 1])])
def test_what_cannot_be_fitted_is_refused(sizes, times):
    with pytest.raises(ValueError, match="ascending"):
        fit_segments(sizes, times)


@given(TIMES, st.data())
def test_segments_hold_every_size_once_and_are_not_negative(times, data):
    count = len(times)
    sizes = sorted(data.draw(st.lists(st.integers(0, 2**22), min_size=count, max_size=count, unique=True)))
    segments = fit_segments(sizes, times)
    held = [[m for m in sizes if s.first_size <= m <= s.last_size] for s in segments]
    assert list(chain.from_iterable(held)) == sizes
    assert all(len(part) >= 3 for part in held)
    assert all(s.latency_ns >= 0 and s.per_byte_ns >= 0 for s in segments)
    residuals = np.abs(np.array(fitted_times(segments, sizes)) - times) / times
    assert max(s.largest_residual for s in segments) == pytest.approx(residuals.max())


@given(st.lists(st.floats(100, 1e6), min_size=3, max_size=10))
def test_a_line_is_scipys_least_squares_with_coefficients_not_below_zero(times):
    sizes = np.arange(len(times)) * 1000.0
    t = np.array(times)
    _, norm = nnls(np.column_stack((np.ones_like(sizes), sizes)) / t[:, None], np.ones_like(t))
    assert line_through(sizes, t)[2] == pytest.approx(norm**2, rel=1e-6, abs=1e-9)
