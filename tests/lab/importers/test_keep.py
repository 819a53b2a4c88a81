"""The imported rows of a result directory."""

from __future__ import annotations

import polars as pl
import pytest
from importers.fixture_files import read
from synthetic import make_run

from polympi.lab.errors import ResultError, UsageError
from polympi.lab.importers import IMPORTED_SCHEMA, append_rows, kept_rows


@pytest.fixture
def directory(tmp_path):
    return make_run(tmp_path / "run", blocks=1, cases=[("latency", "standard", "bytes", 8)]).path


def test_rows_are_kept_exactly_with_their_nulls(directory):
    rows = pl.concat([read(n).rows for n in ("osu-6.2-reduce-full.txt", "imb-4.1.txt", "netpipe-3-published.np.out")])
    assert append_rows(directory, rows) == rows.height
    assert kept_rows(directory).equals(rows)


def test_a_file_imported_twice_adds_nothing(directory):
    rows = read("osu-5.0-latency.txt").rows
    assert append_rows(directory, rows) == 24
    before = (directory / "imported.csv").read_bytes()
    assert append_rows(directory, rows) == 0
    assert (directory / "imported.csv").read_bytes() == before


def test_new_rows_go_behind_the_old_ones_which_stay_as_they_are(directory):
    first, second = read("osu-5.0-latency.txt").rows, read("osu-5.8-latency.txt").rows
    append_rows(directory, first)
    before = (directory / "imported.csv").read_bytes()
    assert append_rows(directory, pl.concat([first, second])) == second.height
    assert (directory / "imported.csv").read_bytes().startswith(before)
    assert kept_rows(directory).equals(pl.concat([first, second]))


def test_a_repeated_measurement_with_equal_figures_is_not_lost(directory):
    rows = read("osu-5.0-latency.txt").rows.head(1)
    assert append_rows(directory, pl.concat([rows, rows])) == 2
    assert kept_rows(directory).height == 2


def test_a_file_whose_last_line_is_unfinished_keeps_that_line(directory):
    first, second = read("osu-5.0-latency.txt").rows, read("osu-5.8-latency.txt").rows
    append_rows(directory, first)
    path = directory / "imported.csv"
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    append_rows(directory, second)
    assert kept_rows(directory).equals(pl.concat([first, second]))


def test_nothing_imported_is_an_empty_table(directory):
    assert kept_rows(directory).schema == pl.Schema(IMPORTED_SCHEMA)
    assert kept_rows(directory).is_empty()


def test_a_damaged_file_is_left_alone(directory):
    path = directory / "imported.csv"
    path.write_text("tool,benchmark\nx,y,z\n")
    with pytest.raises(ResultError, match=r"imported\.csv"):
        append_rows(directory, read("osu-5.0-latency.txt").rows)
    assert path.read_text() == "tool,benchmark\nx,y,z\n"


def test_other_columns_are_refused(directory):
    (directory / "imported.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ResultError, match="other columns"):
        kept_rows(directory)


def test_only_a_result_directory_takes_rows(tmp_path):
    with pytest.raises(ResultError, match="not a result directory"):
        append_rows(tmp_path, read("osu-5.0-latency.txt").rows)


def test_a_file_that_cannot_be_written_is_one_sentence(directory):
    (directory / "imported.csv").mkdir()
    with pytest.raises(UsageError, match=r"^Cannot write '.*imported\.csv': Is a directory\.$"):
        append_rows(directory, read("osu-5.0-latency.txt").rows)
