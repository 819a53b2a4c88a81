"""Rounds of measuring: what is measured again, and what is said in the end."""

import polars as pl
import pytest

from polympi.lab.statistics.comparison.model import Comparison, GroupChange, RowChange
from polympi.lab.statistics.comparison.rounds import GroupKey, Rounds, are

SAME, SLOWER, FASTER, UNKNOWN = "same", "slower", "faster", "unknown"


def group(name: str, verdict: str, launches: int) -> GroupChange:
    return GroupChange(**_change(name, verdict, launches), rows=1, rows_slower=0, rows_faster=0)


def _change(name: str, verdict: str, launches: int) -> dict[str, object]:
    return {
        "stack": "mpich",
        "binding": name,
        "benchmark": "latency",
        "launches_before": 9,
        "launches_after": launches,
        "change": 1.0,
        "change_low": None,
        "change_high": None,
        "confidence": None,
        "p_value": 1.0,
        "floor_ratio": None,
        "c_change": None,
        "verdict": verdict,
        "launches_needed": None,
    }


def comparison(verdicts: dict[str, str], launches: int = 9) -> Comparison:
    groups = [group(name, verdict, launches) for name, verdict in verdicts.items()]
    rows = [
        RowChange(
            **_change(name, verdict, launches),
            mode="standard",
            payload="bytes",
            size_bytes=8,
            ranks=2,
            before=1.0,
            after=1.0,
        )
        for name, verdict in verdicts.items()
    ]
    return Comparison(absolute=False, threshold=0.1, groups=groups, rows=rows)


def judged(*verdicts: str) -> tuple[str, bool]:
    """What is said of a group after these rounds, and whether another one has to judge it."""
    rounds = Rounds()
    for verdict in verdicts:
        rounds.add(comparison({"a": verdict}))
    [found] = rounds.conclude(comparison({})).groups
    return found.verdict, bool(rounds.open)


@pytest.mark.parametrize(
    ("verdicts", "said", "is_open"),
    [
        ([SAME], SAME, False),
        ([FASTER], FASTER, False),
        ([UNKNOWN], UNKNOWN, True),
        ([SLOWER], UNKNOWN, True),  # once may be chance
        ([SLOWER, SLOWER], SLOWER, False),
        ([SLOWER, SAME], SAME, False),
        ([SLOWER, UNKNOWN], UNKNOWN, True),
        ([SLOWER, UNKNOWN, SLOWER], UNKNOWN, True),  # twice, but not in a row
        ([UNKNOWN, SLOWER, SLOWER], SLOWER, False),
    ],
)
def test_what_is_said_after_some_rounds(verdicts: list[str], said: str, is_open: bool) -> None:
    assert judged(*verdicts) == (said, is_open)


def test_only_open_groups_are_judged_again() -> None:
    rounds = Rounds()
    rounds.add(comparison({"a": SAME, "b": SLOWER, "c": UNKNOWN}))
    assert [key.binding for key in rounds.open] == ["b", "c"]
    assert [key.binding for key in rounds.suspected] == ["b"]
    rounds.add(comparison({"a": SLOWER, "b": SLOWER, "d": SLOWER}, launches=18))
    concluded = rounds.conclude(comparison({}))
    assert {g.binding: (g.verdict, g.launches_after) for g in concluded.groups} == {
        "a": (SAME, 9),
        "b": (SLOWER, 18),
        "c": (UNKNOWN, 9),
    }
    assert {row.binding: row.launches_after for row in concluded.rows} == {"a": 9, "b": 18, "c": 9}
    assert [key.binding for key in rounds.open] == ["c"]


def test_a_round_with_too_few_launches_says_nothing() -> None:
    rounds = Rounds()
    rounds.add(comparison({"a": SLOWER}))
    rounds.add(comparison({"a": SLOWER}, launches=4))
    assert rounds.suspected == [GroupKey("mpich", "a", "latency")]


def test_rows_of_groups() -> None:
    table = pl.DataFrame({"stack": ["x", "x", "y"], "binding": ["a", "b", "a"], "benchmark": ["l"] * 3, "n": [1, 2, 3]})
    assert table.filter(are([GroupKey("x", "b", "l"), GroupKey("y", "a", "l")]))["n"].to_list() == [2, 3]
