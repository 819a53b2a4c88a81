"""A short run of fuzzing.py, from fixed seeds."""

from __future__ import annotations

from types import ModuleType

import pytest
from fuzzing import one_round


@pytest.mark.parametrize("first", range(0, 400, 50))
def test_random_values_and_damaged_streams(codec: ModuleType, first: int) -> None:
    for seed in range(first, first + 50):
        one_round(codec, seed)
