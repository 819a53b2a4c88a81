"""Calls of all kinds in a random order: collectives, messages, windows, files."""

import pytest

pytestmark = pytest.mark.sanitize


@pytest.mark.parametrize("ranks", [2, 3])
def test_calls_in_any_order_give_what_numpy_gives(run, stack, ranks: int) -> None:
    run("mixed_calls.py", ranks, stack, arguments=["1", "300"]).succeeded()
