"""The imported rows of a result directory."""

import errno
from pathlib import Path

import polars as pl
import pytest
from importers.fixture_files import FIXTURES, OUTPUTS, read
from synthetic import make_run

from polympi.lab.errors import ResultError, UsageError
from polympi.lab.importers import IMPORTED_SCHEMA, Added, append_rows, import_file, kept_rows

ROWS = read("osu-5.0-latency.txt").rows.height


@pytest.fixture
def directory(tmp_path):
    return make_run(tmp_path / "run", blocks=1, cases=[("latency", "standard", "bytes", 8)]).path


def test_rows_of_every_file_are_kept_exactly_and_known_again(directory):
    of_files = {name: read(name).rows for name in OUTPUTS}
    rows = pl.concat(of_files.values())
    assert append_rows(directory, rows) == Added(rows.height, known=[], renewed=[])
    before = (directory / "imported.csv").read_bytes()
    assert append_rows(directory, rows) == Added(
        0, known=[name for name, own in of_files.items() if own.height], renewed=[]
    )
    assert (directory / "imported.csv").read_bytes() == before
    assert kept_rows(directory).equals(rows)


def test_new_rows_follow_the_old_ones_which_stay_as_they_are(directory):
    first, second = read("osu-5.0-latency.txt").rows, read("osu-5.8-latency.txt").rows
    append_rows(directory, first)
    before = (directory / "imported.csv").read_bytes()
    added = append_rows(directory, pl.concat([first, second]))
    assert added == Added(second.height, known=["osu-5.0-latency.txt"], renewed=[])
    assert (directory / "imported.csv").read_bytes().startswith(before)
    assert kept_rows(directory).equals(pl.concat([first, second]))


def test_a_repeated_measurement_with_equal_figures_is_not_lost(directory):
    rows = read("osu-5.0-latency.txt").rows.head(1)
    assert append_rows(directory, pl.concat([rows, rows])).rows == 2
    assert kept_rows(directory).height == 2


def test_a_file_whose_last_line_is_unfinished_keeps_that_line(directory):
    first, second = read("osu-5.0-latency.txt").rows, read("osu-5.8-latency.txt").rows
    append_rows(directory, first)
    path = directory / "imported.csv"
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    append_rows(directory, second)
    assert kept_rows(directory).equals(pl.concat([first, second]))


def test_two_files_with_equal_rows_are_two_sources(directory, tmp_path):
    text = (FIXTURES / "osu-5.0-latency.txt").read_text()
    (tmp_path / "monday.txt").write_text(text)
    (tmp_path / "tuesday.txt").write_text(text)
    append_rows(directory, import_file(tmp_path / "monday.txt").rows)
    assert append_rows(directory, import_file(tmp_path / "tuesday.txt").rows) == Added(ROWS, known=[], renewed=[])


def test_a_changed_file_of_the_same_name_is_not_taken_for_the_old_one(directory, tmp_path):
    path = tmp_path / "osu.txt"
    text = (FIXTURES / "osu-5.0-latency.txt").read_text()
    path.write_text(text)
    append_rows(directory, import_file(path).rows)
    path.write_text(text.replace("497.37", "498.00"))
    assert append_rows(directory, import_file(path).rows) == Added(ROWS, known=[], renewed=["osu.txt"])
    path.write_text("# measured again, with equal figures\n" + text)
    assert append_rows(directory, import_file(path).rows) == Added(ROWS, known=[], renewed=["osu.txt"])
    assert kept_rows(directory)["content"].n_unique() == 3


OLD_COLUMNS = (
    "tool,benchmark,mode,payload,size_bytes,ranks,time_ns,time_min_ns,time_max_ns,mb_per_s,repetitions,source\n"
)
OLD_ROW = "OSU 5.0,latency,standard,bytes,8,2,1234.5,,,,,osu-5.0-latency.txt\n"


def test_a_file_of_an_earlier_version_is_read_and_keeps_its_rows(directory):
    (directory / "imported.csv").write_text(OLD_COLUMNS + OLD_ROW)
    old = kept_rows(directory)
    assert old.schema == pl.Schema(IMPORTED_SCHEMA)
    assert old.select("time_ns", "statistic", "time_mean_ns", "sent_bytes", "options", "content").row(0) == (
        (1234.5, *(None,) * 5)
    )
    new = read("osu-5.0-latency.txt").rows
    assert append_rows(directory, new) == Added(ROWS, known=[], renewed=["osu-5.0-latency.txt"])
    assert kept_rows(directory).equals(pl.concat([old, new]))
    assert append_rows(directory, new).rows == 0
    assert [p.name for p in directory.glob("imported*")] == ["imported.csv"]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (OLD_COLUMNS + OLD_ROW.replace("1234.5", "soon"), r"imported\.csv' is damaged: move it away"),
        ("tool,benchmark\nx,y,z\n", r"imported\.csv' is damaged: move it away"),
        ("a,b\n1,2\n", "other columns"),
    ],
)
def test_a_damaged_file_is_refused_and_left_alone(directory, content, sentence):
    path = directory / "imported.csv"
    path.write_text(content)
    for use in (kept_rows, lambda folder: append_rows(folder, read("osu-5.0-latency.txt").rows)):
        with pytest.raises(ResultError, match=sentence):
            use(directory)
    assert path.read_text() == content


def test_nothing_imported_is_an_empty_table(directory):
    assert kept_rows(directory).schema == pl.Schema(IMPORTED_SCHEMA)
    assert kept_rows(directory).is_empty()


def test_rows_that_cannot_be_read_are_not_called_damaged(directory, monkeypatch):
    append_rows(directory, read("osu-5.0-latency.txt").rows)

    def refuse(path):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(ResultError, match=r"^Cannot read '.*imported\.csv': it is not permitted\.$"):
        kept_rows(directory)


def test_only_a_result_directory_takes_rows(tmp_path):
    with pytest.raises(ResultError, match="not a result directory"):
        append_rows(tmp_path, read("osu-5.0-latency.txt").rows)


def test_a_file_that_cannot_be_written_is_one_sentence(directory):
    (directory / "imported.csv").mkdir()
    with pytest.raises(UsageError, match=r"^Cannot write '.*imported\.csv': it is a directory\.$"):
        append_rows(directory, read("osu-5.0-latency.txt").rows)
