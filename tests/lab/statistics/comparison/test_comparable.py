"""Which runs can be compared, and which rows are chosen."""

from dataclasses import replace
from pathlib import Path

import msgspec
import polars as pl
import pytest
from synthetic import EFFECTS, make_run

from polympi.lab.errors import UsageError
from polympi.lab.records import Environment, Launching
from polympi.lab.statistics.analysis import analyse
from polympi.lab.statistics.comparison.comparable import choose_rows, why_not_comparable, why_nothing_was_compared
from polympi.lab.statistics.comparison.compare import compare
from polympi.lab.statistics.model import Analysis

CASES = [("barrier", "standard", "none", 0)]


@pytest.fixture
def run(tmp_path: Path) -> Analysis:
    return analyse(make_run(tmp_path / "run", cases=CASES, events=1))


def changed(analysis: Analysis, **run: object) -> Analysis:
    return replace(analysis, run=msgspec.structs.replace(analysis.run, **run))


def with_library(analysis: Analysis, library: str) -> Analysis:
    return changed(analysis, stacks=[msgspec.structs.replace(s, library=library) for s in analysis.run.stacks])


def test_what_makes_runs_incomparable_is_said_in_sentences(run: Analysis) -> None:
    assert why_not_comparable(run, run) == []
    assert why_not_comparable(run, changed(run, ranks=4)) == ["One run has 2 ranks, the other 4."]
    several = changed(run, ranks=1, several_ranks=[1, 2])
    assert why_not_comparable(run, several) == ["One run has 2 ranks, the other 1, 2."]
    assert why_not_comparable(several, several) == []
    weak = changed(run, scaling="weak")
    assert why_not_comparable(run, weak) == ["One run is of strong scaling, the other of weak."]
    assert "32" in why_not_comparable(run, changed(run, window=32))[0]
    by_network = changed(run, launching=Launching(by_network=True))
    assert why_not_comparable(run, by_network) == [
        "Ranks of one host sent by the network in one run, by memory that they share in the other."
    ]
    assert why_not_comparable(run, by_network, absolute=True) == []
    other_machine = replace(run, environment=Environment(metadata={"cpu": {"model": "Abacus"}}))
    assert why_not_comparable(run, other_machine) == ["The processors differ: 'Synthetic' and 'Abacus'."]
    assert why_not_comparable(run, other_machine, absolute=True) == []
    assert "mpich 2.0" in why_not_comparable(run, with_library(run, "mpich 2.0"))[0]
    assert why_not_comparable(run, with_library(run, "mpich 2.0"), absolute=True) == []


def test_too_few_launches_are_not_compared(run: Analysis, tmp_path: Path) -> None:
    short = analyse(make_run(tmp_path / "short", cases=CASES, events=1, blocks=4))
    (reason,) = why_nothing_was_compared(compare(run, short))
    assert "5 launches" in reason
    assert why_nothing_was_compared(compare(run, run)) == []


def test_runs_without_a_common_row_are_not_compared(run: Analysis, tmp_path: Path) -> None:
    bare = {name: EFFECTS[name] for name in ("c", "c-again")}
    other = analyse(make_run(tmp_path / "other", cases=CASES, events=1, effects=bare))
    (reason,) = why_nothing_was_compared(compare(run, other))
    assert "no row in common" in reason
    assert why_nothing_was_compared(compare(run, other, absolute=True)) == []


SEVERAL = [("latency", m, "bytes", 8) for m in ("standard", "ready", "ready-persistent")] + [
    ("barrier", "standard", "none", 0)
]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Analysis, Analysis]:
    folder = tmp_path_factory.mktemp("runs")
    settings = {"events": 1, "blocks": 2}
    more = EFFECTS | {"polympi": (0.0, 0.0, 1.0)}
    return (
        analyse(make_run(folder / "a", cases=SEVERAL, effects=more, **settings)),
        analyse(make_run(folder / "b", cases=SEVERAL[:-1], **settings)),
    )


def chosen(runs: tuple[Analysis, Analysis], bindings: list[str], patterns: list[str], absolute: bool = False) -> set:
    where = choose_rows(*runs, bindings=bindings, patterns=patterns, absolute=absolute)
    rows = runs[0].launch_medians.filter(where, pl.col("benchmark") != "startup")
    return set(rows.select("binding", "mode").iter_rows())


def test_names_and_patterns_choose_and_nothing_means_all(runs: tuple[Analysis, Analysis]) -> None:
    assert chosen(runs, ["mpi4py"], ["latency/ready*"]) == {("mpi4py", "ready"), ("mpi4py", "ready-persistent")}
    assert chosen(runs, ["mpi4py"], ["lat*/ready/bytes", "latency/standard"]) == {
        ("mpi4py", "ready"),
        ("mpi4py", "standard"),
    }
    assert {binding for binding, _ in chosen(runs, [], [])} == {"polympi", *EFFECTS}
    assert chosen(runs, ["c"], ["latency/ready"], absolute=True) == {("c", "ready")}


@pytest.mark.parametrize(
    ("bindings", "patterns", "sentence"),
    [
        (["mpi5py"], [], "'mpi5py' was measured in neither run: both have mpi4py, mpi4py-object."),
        (["polympi"], [], "'polympi' was measured in the earlier run only"),
        (["c-again"], [], "shows the noise"),
        (["c"], [], "--absolute"),
        ([], ["latensy"], "fits 'latensy': they have latency, startup."),
        ([], ["barrier"], "fits 'barrier'"),  # the later run has none
        ([], ["latency/buffered"], "fits 'latency/buffered'"),
    ],
)
def test_what_fits_nothing_is_an_error(
    runs: tuple[Analysis, Analysis], bindings: list[str], patterns: list[str], sentence: str
) -> None:
    with pytest.raises(UsageError, match=r".") as error:
        choose_rows(*runs, bindings=bindings, patterns=patterns, absolute=False)
    assert sentence in str(error.value)
