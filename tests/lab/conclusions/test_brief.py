import pytest
from built import summary_row

from polympi.lab.conclusions.brief import (
    NOTHING,
    brief,
    calls_sentence,
    first_of,
    large_sentence,
    small_sentence,
)
from polympi.lab.conclusions.rows import Row

SMALL = (0, 8, 64, 1024)


def rows(*made):
    return [Row(**row) for row in made]


def same(size, **other):
    return summary_row(size, delta=4, verdict="not separated", **other)


def test_small_messages_that_all_cost_more_or_less():
    assert small_sentence(rows(*map(summary_row, SMALL))) == (
        "A message of up to 1 KiB takes 520 ns more than in C (1.65 × at 8 B)."
    )
    faster = [summary_row(size, delta=-200, verdict="faster") for size in SMALL]
    assert small_sentence(rows(*faster)) == "A message of up to 1 KiB takes 200 ns less than in C (0.75 × at 8 B)."
    assert small_sentence(rows(summary_row(8))) == "A message of 8 B takes 520 ns more than in C (1.65 ×)."


def test_small_messages_that_differ_are_counted():
    mixed = [summary_row(0), same(8), summary_row(64), summary_row(1024, delta=-30, verdict="faster")]
    assert small_sentence(rows(*mixed)) == (
        "Of 4 sizes up to 1 KiB, 2 are slower than C (by 520 ns), 1 is faster than C (by 30.0 ns) and "
        "1 is not separated from C (1.005 × at 8 B)."
    )


def test_small_messages_without_a_verdict():
    assert small_sentence(rows(*map(same, SMALL))) == (
        "A message of up to 1 KiB is not separated from C (1.005 × at 8 B)."
    )
    few = [summary_row(size, verdict="too few launches", launches=3) for size in SMALL]
    assert small_sentence(rows(*few)) == "A small message cannot be judged: 3 launches where an interval needs six."
    assert small_sentence(rows(summary_row(8, payload="float64"))).startswith("A message (float64) of 8 B takes")


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ([summary_row(2**20, c_ns=1000, delta=6700)], "At 1 MiB a message takes 7.70 × C (+6.70 µs)."),
        ([summary_row(65536), same(2**20)], "At 1 MiB a message is not separated from C (1.005 ×)."),
        ([same(65536), same(2**20)], "From 64 KiB on a message is not separated from C (1.005 × at 1 MiB)."),
        (
            [summary_row(2**20, c_ns=1000, delta=1000, benchmark="bandwidth")],
            "Bandwidth at 1 MiB is 50 % of C's.",
        ),
        ([same(2**20, benchmark="bandwidth")], "Bandwidth at 1 MiB is not separated from C's."),
        (
            [summary_row(24, payload="dict"), same(8, payload="array"), same(65536, payload="array")],
            "A dict of 24 B takes 1.65 × C, an array of 64 KiB is not separated from C.",
        ),
    ],
)
def test_large_messages_bandwidth_and_objects(made, expected):
    assert large_sentence(rows(*made)) == expected


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ([("bcast", "slower", 500), ("gather", "slower", 900)], "All 2 collectives at 8 B are slower than C ("),
        ([("bcast", "not separated", 5), ("gather", "not separated", 9)], "All 2 collectives at 8 B are not separated"),
        (
            [("bcast", "slower", 800), ("gather", "faster", -400)],
            "Of 2 collectives at 8 B, 1 is slower than C (2.00 ×)",
        ),
        ([("bcast", "slower", 800)], "The collective bcast takes 2.00 × C (+800 ns)."),
    ],
)
def test_collectives_are_counted(made, expected):
    found = [summary_row(8, benchmark=b, verdict=v, delta=d) for b, v, d in made]
    assert calls_sentence(rows(*found)).startswith(expected)


def test_start_up_is_the_way_to_the_first_barrier():
    def barrier(**other):
        return summary_row(0, c_ns=3e8, benchmark="startup", mode="first-barrier", payload="none", **other)

    assert calls_sentence(rows(barrier(delta=1.1e8))) == "The first barrier comes 110 ms later than C's (1.37 ×)."
    assert calls_sentence(rows(barrier(delta=-6e7, verdict="faster"))) == (
        "The first barrier comes 60.0 ms earlier than C's (0.80 ×)."
    )
    assert "not separated from C's" in calls_sentence(rows(barrier(delta=1, verdict="not separated")))


def test_there_are_always_three_sentences():
    assert brief([]) == NOTHING
    said = brief(rows(summary_row(8), summary_row(8, benchmark="bcast")))
    assert said[1] == NOTHING[1]
    assert NOTHING[0] not in said


def test_the_first_thing_that_can_be_said():
    assert first_of(rows(summary_row(8, benchmark="bcast"))).startswith("The collective bcast takes 1.65 × C")
    assert first_of([]) == ""


@pytest.mark.parametrize("value", [float("nan"), None])
def test_figures_that_do_not_exist_never_reach_a_sentence(value):
    made = [summary_row(s, delta_to_c_ns=None, ratio_to_c=None, mb_per_s=value) for s in (*SMALL, 2**20)]
    assert brief(rows(*made)) == NOTHING
