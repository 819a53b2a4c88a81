"""Streams that end early or late, lie about what follows, or are rubbish."""

import contextlib

import numpy as np
import pytest
from everything import SAMPLES, Holder
from fuzzing import one_round
from hypothesis import given
from hypothesis import strategies as st

from polympi import errors


@pytest.mark.parametrize("value", [*SAMPLES, Holder(1), Holder(np.zeros(1000))], ids=lambda value: type(value).__name__)
def test_streams_that_end_early_or_late_are_errors(codec, value: object) -> None:
    stream, parts = codec.encode(value)
    for end in range(1, len(stream)):
        with pytest.raises(errors.Error, match="damaged"):
            codec.decode(stream[:end], parts)
    with pytest.raises(errors.Error, match="damaged"):
        codec.decode(stream + b"\0", parts)
    with pytest.raises(errors.Error, match="damaged"):
        codec.decode(stream, [*parts, bytearray(5000)])
    for missing in range(len(parts)):
        with pytest.raises(errors.Error, match="damaged"):
            codec.decode(stream, parts[:missing])
    for part in parts:
        with pytest.raises(errors.Error, match="damaged"):
            codec.decode(stream, [other[:-1] if other is part else other for other in parts])


@pytest.mark.parametrize(
    ("place", "bytes_there"),
    [(1, b"\xff"), (1, b"\x11"), (2, b"\x04"), (2, b"\x00"), (4, b"\x03"), (4, b"\x00\x02"), (4, b"\xff" * 4)],
    ids=["described", "no type", "smaller elements", "no elements", "more", "as much as a part", "most"],
)
def test_a_row_whose_head_lies_is_an_error(codec, place: int, bytes_there: bytes) -> None:
    stream, _ = codec.encode(np.array([1.0, 2.0]))
    changed = stream[:place] + bytes_there + stream[place + len(bytes_there) :]
    for damaged in (changed, changed + bytes(8192)):
        with pytest.raises(errors.Error, match="damaged"):
            codec.decode(damaged, [])


@pytest.mark.parametrize("first", range(0, 400, 50))
def test_random_values_and_damaged_streams(codec, first: int) -> None:
    for seed in range(first, first + 50):
        one_round(codec, seed)


@given(stream=st.binary(min_size=1, max_size=60).filter(lambda stream: not {16, 23} & {*stream}))  # pickles, instances
def test_rubbish_does_not_crash(codec, stream: bytes) -> None:
    with contextlib.suppress(errors.Error, ValueError, MemoryError):
        codec.decode(stream, [])
