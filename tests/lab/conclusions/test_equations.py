"""What was published of solvers in the style of each module, and what a run has of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from polympi.lab.catalogue import problem_bytes
from polympi.lab.conclusions.equations import Solved, statements
from polympi.lab.conclusions.modules import Timed


def solver(binding: str, ratio: float, gain: float | None, edge: int = 257, ranks: int = 2) -> Solved:
    """A wave of C in 1 ms, and of a module in so many."""
    blocking = Timed(1e6 * ratio, ratio)
    overlapped = None if gain is None else Timed(1e6 * ratio * (1 - gain), ratio)
    interval = None if binding == "c" else (ratio * 0.98, ratio * 1.02)
    gained = None if gain is None else (gain - 0.01, gain + 0.01)
    return Solved(
        binding, "wave", problem_bytes(edge, 3), ranks, blocking, overlapped, gain, gained, interval, None, None, None
    )


def styles(*ratios: float, gain: float = 0.0, edge: int = 257) -> list[Solved]:
    """C and as many modules, the first of which overlaps nothing."""
    modules = [solver(f"m{k}", ratio, gain if k else None, edge) for k, ratio in enumerate(ratios)]
    return [solver("c", 1.0, 0.5, edge), *modules]


@pytest.mark.parametrize(
    ("ratios", "verdict"),
    [
        ((3.0, 3.2), "less than the published 8.00 to 10.0 ×"),
        ((9.0, 12.0), "this range and the published 8.00 to 10.0 × overlap"),
        ((11.0, 12.0), "more than the published 8.00 to 10.0 ×"),
    ],
)
def test_how_much_slower_than_c_they_are_is_compared_with_the_published_range(ratios, verdict) -> None:
    said, *_ = statements(styles(*ratios), 2)
    assert verdict in said
    assert "wave 257³" in said
    assert said.startswith("On 2 ranks, ")


@pytest.mark.parametrize(("ratios", "verdict"), [((3.0, 3.2), "hardly differ, as"), ((3.0, 3.5), "differ, unlike")])
def test_whether_styles_differ_is_computed(ratios, verdict) -> None:
    _, said, _ = statements(styles(*ratios), 2)
    assert verdict in said


@pytest.mark.parametrize(
    ("gain", "edge", "verdict"),
    [
        (0.05, 257, "it gains clearly in 2 and loses clearly in 0 of 2 styles, as published"),
        (0.0, 257, "it gains clearly in 0 and loses clearly in 0 of 2 styles, unlike published"),
        (-0.05, 129, "it gains clearly in 0 and loses clearly in 2 of 2 styles; published it gained at 257³, which"),
    ],
)
def test_what_overlapping_gains_is_compared_with_what_was_published(gain, edge, verdict) -> None:
    *_, said = statements(styles(3.0, 3.1, 3.2, gain=gain, edge=edge), 2)
    assert verdict in said


def test_without_intervals_nothing_is_said_to_differ_or_to_gain() -> None:
    few = [replace(one, interval=None, gain_interval=None) for one in styles(3.0, 3.5, 3.6, gain=0.05)]
    _, differing, gaining = statements(few, 2)
    assert "there are too few launches to tell whether they differ" in differing
    assert "there are too few launches to tell whether it gains" in gaining


def test_ranks_that_share_a_processor_say_nothing() -> None:
    shared = [solver(name, 20.0, 0.0, ranks=4) for name in ("c", "m0", "m1")]
    assert statements([*styles(3.0, 3.2), *shared], 2) == statements(styles(3.0, 3.2), 2)
    assert statements([], 2) == []


def test_styles_whose_intervals_overlap_are_not_told_apart() -> None:
    wide = [replace(one, interval=(2.0, 5.0)) for one in styles(3.0, 3.5)]
    _, said, _ = statements(wide, 2)
    assert "the styles cannot be distinguished" in said
