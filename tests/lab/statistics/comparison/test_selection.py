"""Which rows are compared, and what is said of names that fit none."""

from __future__ import annotations

import polars as pl
import pytest
from synthetic import EFFECTS, make_run

from polympi.lab.errors import UsageError
from polympi.lab.statistics.analysis import analyse
from polympi.lab.statistics.comparison.selection import choose_rows
from polympi.lab.statistics.model import Analysis

CASES = [("latency", m, "bytes", 8) for m in ("standard", "ready", "ready-persistent")] + [
    ("barrier", "standard", "none", 0)
]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Analysis, Analysis]:
    folder = tmp_path_factory.mktemp("runs")
    settings = {"events": 1, "blocks": 2}
    more = EFFECTS | {"polympi": (0.0, 0.0, 1.0)}
    return (
        analyse(make_run(folder / "a", cases=CASES, effects=more, **settings)),
        analyse(make_run(folder / "b", cases=CASES[:-1], **settings)),
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
def test_what_fits_nothing_is_told(
    runs: tuple[Analysis, Analysis], bindings: list[str], patterns: list[str], sentence: str
) -> None:
    with pytest.raises(UsageError, match=r".") as told:
        choose_rows(*runs, bindings=bindings, patterns=patterns, absolute=False)
    assert sentence in str(told.value)
