"""Strided arrays of any layout: packed and unpacked by the core's loops, and moved by derived datatypes."""

import pytest

LAYOUTS = """
import random
import numpy as np
from layouts import described, layout
from polympi.native import core
"""


COPIES = {
    "packing gives the elements in c order": """
for seed in range(4000):
    source, _ = layout(seed, repeated=True)
    packed = np.empty(source.shape, source.dtype)
    core._strided_copy(source, packed)
    assert packed.tobytes() == source.tobytes(), described(source)
""",
    "unpacking fills the first elements and touches nothing else": """
for seed in range(4000):
    target, under = layout(seed)
    expected, expected_under = layout(seed)
    count = random.Random(-seed).randint(0, target.size)
    source = np.random.default_rng(-seed % 2**32).integers(0, 256, count * target.itemsize, np.uint8)
    source = source.view(target.dtype)
    expected[(np.arange(target.size) < count).reshape(target.shape)] = source
    core._strided_copy(source, target)
    assert under.tobytes() == expected_under.tobytes(), f"{count} elements into {described(target)}"
""",
    # Each length has its own way to be copied, or shares it with lengths near by: all up to the longest of these.
    "rows of any length are copied whole and nothing else": """
rng = np.random.default_rng(1)
for length in range(1, 150):
    under = rng.integers(0, 256, (5, length + 3), np.uint8)
    rows, before = under[:, 1 : 1 + length], under.copy()
    packed = np.empty(rows.shape, np.uint8)
    core._strided_copy(rows, packed)
    assert np.array_equal(packed, rows), length
    before[:, 1 : 1 + length] = ~packed
    core._strided_copy(~packed, rows)
    assert np.array_equal(under, before), length
""",
    # Larger than the tiles, in which transposed planes are visited, and no multiple of them.
    "large planes are copied whole": """
cube = np.arange(37 * 41 * 43).reshape(37, 41, 43)
for axes in [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]:
    for dtype in "u1", "i4", "f8", "c16":
        turned = cube.astype(dtype).transpose(axes)
        for part in turned, turned[:, :, 0], turned[:, 0], turned[0], turned[1:-1, 1:-1, 1:-1], turned[::-1, :, ::-2]:
            packed = np.empty(part.shape, dtype)
            core._strided_copy(part, packed)
            assert np.array_equal(packed, part), described(part)
            back = np.zeros((*part.shape, 2), dtype)[..., 0]
            core._strided_copy(packed, back)
            assert np.array_equal(back, part), described(part)
""",
    "the most dimensions and no elements": """
memory = np.arange(2**16, dtype="i4")
strided = np.lib.stride_tricks.as_strided
for source in [
    strided(memory, (2,) * 14 + (1,) * 50, [8 << axis for axis in range(14)] + [999] * 50),
    strided(memory, (1, 2) * 14 + (1,) * 36, [8 << axis // 2 for axis in range(28)] + [999] * 36),
    np.zeros((0, 5))[:, ::2], np.zeros((3, 0, 2)), np.zeros((2, 3), "V0"), np.float64(3)[...],
]:
    packed = np.ones_like(source, subok=False)
    core._strided_copy(source, packed)
    assert packed.tobytes() == source.tobytes(), described(source)
""",
}


@pytest.mark.parametrize("script", COPIES.values(), ids=COPIES)
def test_copies(run, mpich, script: str) -> None:
    run(LAYOUTS + script, None, mpich).succeeded()


def test_derived_datatypes_move_any_layout_that_steps_forwards(run_in_job, stack) -> None:
    # Far more layouts than the cache holds, each twice.
    script = """
import polympi as mpi
mpi.world
for seed in range(600):
    source, _ = layout(seed, backwards=False)
    packed = np.empty(source.shape, source.dtype)
    core._datatype_copy(source, packed)
    assert packed.tobytes() == source.tobytes(), described(source)
    target, under = layout(seed, backwards=False)
    expected, expected_under = layout(seed, backwards=False)
    packed = np.random.default_rng(seed + 1).integers(0, 256, target.nbytes, np.uint8).view(target.dtype)
    packed = packed.reshape(target.shape)
    expected[...] = packed
    core._datatype_copy(packed, target)
    assert under.tobytes() == expected_under.tobytes(), described(target)
"""
    run_in_job(LAYOUTS + script, 1, stack)


def test_layouts_that_mpi_cannot_describe_are_refused(run_in_job, stack) -> None:
    script = """
import polympi as mpi
from prelude import raises
strided = np.lib.stride_tricks.as_strided
row = np.arange(6.0)
for array in row[::-1], np.broadcast_to(row, (2, 6)), strided(np.zeros(1, "u1"), (2**31, 1), (2, 1)):
    with raises(mpi.Error):
        core._datatype_copy(array, array)
"""
    run_in_job(LAYOUTS + script, 1, stack)
