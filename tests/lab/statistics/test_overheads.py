import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from polympi.lab.statistics.overheads import Line, overhead_line, overhead_over_blocks

SIZES = [0, 8, 64, 512, 4096, 32768, 2**18, 2**21]
REFERENCE = [800 + m / 12 for m in SIZES]


def test_one_odd_size_does_not_bend_the_line():
    binding = [c + 520 + 0.35 * m for c, m in zip(REFERENCE, SIZES, strict=True)]
    binding[5] *= 3
    line = overhead_line(SIZES, binding, REFERENCE)
    assert (line.per_call_ns, line.per_byte_ns) == pytest.approx((520, 0.35))


@given(st.lists(st.floats(-500, 1e6), min_size=8, max_size=8))
def test_no_line_has_less_weighted_absolute_differences(delta):
    binding = [c + d for c, d in zip(REFERENCE, delta, strict=True)]
    line = overhead_line(SIZES, binding, REFERENCE)
    m, weights = np.array(SIZES, float), 1 / np.array(REFERENCE)
    delta = np.array(binding) - REFERENCE
    found = (weights * np.abs(line.per_call_ns + line.per_byte_ns * m - delta)).sum()
    # The same as a linear programme: minimise the sum of u >= |misfit|.
    design = weights[:, None] * np.column_stack((np.ones_like(m), m))
    scale = np.abs(design).max(axis=0)
    a = np.block([[design / scale, -np.eye(8)], [-design / scale, -np.eye(8)]])
    b = np.concatenate((weights * delta, -weights * delta))
    best = linprog([0, 0, *[1] * 8], A_ub=a, b_ub=b, bounds=[(None, None)] * 2 + [(0, None)] * 8).fun
    assert found == pytest.approx(best, rel=1e-6, abs=1e-6)


def test_coefficients_over_blocks_have_exact_intervals():
    per_call, per_byte = overhead_over_blocks([Line(500.0 + i, 0.1 * i) for i in range(9)])
    assert (per_call.median, per_call.interval.low, per_call.interval.high) == (504, 501, 507)
    assert (per_byte.median, per_byte.interval.low, per_byte.interval.high) == pytest.approx((0.4, 0.1, 0.7))


def test_five_blocks_have_no_interval():
    assert overhead_over_blocks([Line(1.0, 2.0)] * 5) is None
    assert overhead_over_blocks([]) is None
