"""What is said of two runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from changes_made_up import comparison, group
from synthetic import make_run

from polympi.lab.conclusions.changes import (
    answer,
    drift_sentence,
    floor_sentence,
    reference_sentence,
    relative,
    unknown_sentence,
    unused_launches,
)
from polympi.lab.statistics.analysis import analyse

SAME = group()
SLOWER = group(benchmark="bcast", verdict="slower", change=1.5, rows_slower=10)
PARTLY = group(benchmark="gather", verdict="slower", change=1.004, rows_slower=1)
FASTER = group(benchmark="scatter", verdict="faster", change=0.8)
UNKNOWN = group(benchmark="startup", verdict="unknown", launches_needed=31)
HOPELESS = group(benchmark="barrier", verdict="unknown", launches_needed=None)


def test_what_is_slower_is_named_with_how_much() -> None:
    said = answer(comparison(SAME, SLOWER, PARTLY, UNKNOWN))
    assert said.startswith("Slower: mpi4py in bcast (+50 %) and mpi4py in gather (1 of 10 rows, typically +0.4 %);")
    assert "2 slower, 1 same and 1 unknown of 4 groups" in said


def test_without_anything_slower_it_could_tell_or_not() -> None:
    assert answer(comparison(SAME, SAME)).startswith("Same: nothing became slower by 10 % or more; 2 same of 2 groups")
    assert answer(comparison(SAME, FASTER)).startswith("Faster: nothing became slower")
    unknown = answer(comparison(SAME, FASTER, UNKNOWN))
    assert unknown.startswith("Unknown: nothing was found slower, but a change of 10 % cannot be ruled out for mpi4py")
    assert unknown.endswith("31 launches a run would probably be enough.")


def test_what_no_sensible_number_of_launches_separates_is_reported() -> None:
    assert "31 launches a run would probably be enough for 1 of them, 1 needs more than 100" in answer(
        comparison(UNKNOWN, HOPELESS)
    )
    assert "more than 100 launches a run would be needed" in answer(comparison(HOPELESS))


def test_unknown_and_slower_rows_have_separate_sentences() -> None:
    said = unknown_sentence(comparison(SLOWER, UNKNOWN))
    assert said == "Unknown: mpi4py in startup; 31 launches a run would probably be enough."
    assert unknown_sentence(comparison(UNKNOWN)) is None
    assert unknown_sentence(comparison(SLOWER)) is None


def test_stacks_are_named_where_there_are_several() -> None:
    other = group(stack="openmpi", verdict="slower", change=1.5, rows_slower=10)
    assert "mpi4py in latency on openmpi (+50 %)" in answer(comparison(SAME, other))


def test_the_drift_of_c_is_reported_once_per_benchmark() -> None:
    drifts = [
        group(binding=name, benchmark=benchmark, c_change=c_change)
        for name in ("a", "b")
        for benchmark, c_change in (("latency", 1.02), ("bcast", 0.7), ("gather", 1.3))
    ]
    said = drift_sentence(comparison(*drifts))
    assert said is not None
    assert "changed by +2.0 % in the typical benchmark, and at most by −30 %, in bcast" in said
    assert drift_sentence(comparison(group(c_change=1.25))) == "C itself, and so the machine, changed by +25 %."
    assert drift_sentence(comparison(group(c_change=None))) is None


@pytest.mark.parametrize(
    ("change", "c_change", "absolute", "reported"),
    [(1.4, 0.7, False, True), (0.8, 1.25, False, True), (1.4, 1.0, False, False), (1.4, 0.7, True, False)],
)
def test_where_only_c_changed_the_reader_is_sent_there(
    change: float, c_change: float, absolute: bool, reported: bool
) -> None:
    moved = group(verdict="slower" if change > 1 else "faster", change=change, c_change=c_change)
    said = reference_sentence(comparison(moved, SAME, absolute=absolute))
    assert (said is not None) == reported
    assert said is None or "mpi4py in latency" in said


def test_an_unknown_floor_is_reported() -> None:
    assert floor_sentence(comparison(SAME)) is None
    assert "noise is unknown" in (floor_sentence(comparison(group(floor_ratio=None))) or "")


@pytest.mark.parametrize(("factor", "text"), [(1.2, "+20 %"), (1.004, "+0.4 %"), (0.969, "−3.1 %"), (1.0, "+0.0 %")])
def test_a_factor_is_a_change_in_percent(factor: float, text: str) -> None:
    assert relative(factor) == text


def test_launches_that_took_no_part_are_told(tmp_path: Path) -> None:
    analysis = analyse(make_run(tmp_path / "run", blocks=2, events=1, cases=[("barrier", "standard", "none", 0)]))
    assert unused_launches("run", analysis) is None
    first, second, *others = analysis.launches
    crashed = [msgspec.structs.replace(launch, outcome="crashed") for launch in (first, second)]
    assert unused_launches("run", replace(analysis, launches=[*crashed, *others])) == (
        "2 of 8 launches of 'run' did not count (2 crashed)."
    )
