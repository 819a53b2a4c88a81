import re
from pathlib import Path

import polars as pl
import pytest
from synthetic import make_run

from polympi.lab.errors import ResultError, UsageError
from polympi.lab.records import Environment
from polympi.lab.samples.store import LostSamplesError, RunDirectory


def test_what_is_written_is_read(tmp_path: Path) -> None:
    made = make_run(tmp_path / "run", blocks=2)
    read = RunDirectory.open(tmp_path / "run")
    assert read.run() == made.run()
    assert len(read.launches()) == 8
    assert read.outcome() is not None
    assert read.samples().collect().height == made.samples().collect().height > 0


def test_an_existing_directory_is_never_taken_over(tmp_path: Path) -> None:
    made = make_run(tmp_path / "run", blocks=1)
    with pytest.raises(UsageError, match="exists and results are never overwritten"):
        RunDirectory.create(tmp_path / "run", made.run(), {})


def test_an_unwritable_place_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    run = make_run(tmp_path / "run", blocks=1).run()
    with pytest.raises(UsageError, match="Cannot create the result directory"):
        RunDirectory.create(tmp_path / "file" / "run", run, {})


def test_another_directory_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ResultError, match="There is no result directory"):
        RunDirectory.open(tmp_path / "nowhere")
    with pytest.raises(ResultError, match=r"it has no run\.json"):
        RunDirectory.open(tmp_path)


def test_a_damaged_run_json_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "run"
    make_run(path, blocks=1)
    for content, words in (
        (b"{", "it is not whole JSON"),
        (b"", "it is not whole JSON"),
        (b"\xff", "run.json' is damaged"),
        (b'{"format": 99}', "the field 'polympi' is missing"),
        (b'{"format": "one"}', "the field 'format' must be a whole number, and is text"),
    ):
        (path / "run.json").write_bytes(content)
        with pytest.raises(ResultError, match=re.escape(words)):
            RunDirectory.open(path)


def _outcomes(directory: RunDirectory) -> list[str]:
    return [record.outcome for record in directory.launches()]


def test_missing_samples_cost_their_launch(tmp_path: Path) -> None:
    directory = make_run(tmp_path / "run", blocks=2)
    (tmp_path / "run" / "samples" / "000003.parquet").unlink()
    assert _outcomes(directory) == ["ok"] * 3 + ["lost"] + ["ok"] * 4
    assert directory.launches()[3].detail == "its file samples/000003.parquet is missing"
    assert 3 not in set(directory.samples().collect()["launch"])


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda whole: whole[: len(whole) // 2], "is damaged"),
        (lambda whole: whole[:40] + bytes(200) + whole[240:], "is damaged"),
        (lambda whole: b"", "is damaged"),
        (lambda whole: b"x" * len(whole), "is damaged"),
    ],
)
def test_samples_that_cannot_be_read_are_reported(tmp_path: Path, damage, words: str) -> None:
    directory = make_run(tmp_path / "run", blocks=1)
    victim = tmp_path / "run" / "samples" / "000001.parquet"
    victim.write_bytes(damage(victim.read_bytes()))
    with pytest.raises(LostSamplesError, match=f"000001.parquet {words}"):
        directory.samples_of(directory.launches()[1])


def test_samples_of_another_launch_or_kind_are_not_taken(tmp_path: Path) -> None:
    directory = make_run(tmp_path / "run", blocks=1)
    folder = tmp_path / "run" / "samples"
    (folder / "000001.parquet").write_bytes((folder / "000000.parquet").read_bytes())
    pl.DataFrame({"x": [1]}).write_parquet(folder / "000002.parquet")
    (folder / "000003.parquet").unlink()
    (folder / "000003.parquet").mkdir()
    for number, words in ((1, "holds the samples of another launch"), (2, "does not hold samples"), (3, "is damaged")):
        with pytest.raises(LostSamplesError, match=words):
            directory.samples_of(directory.launches()[number])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"binding": "mpi4py"}, "holds the samples of another launch"),
        ({"stack": "openmpi"}, "holds the samples of another launch"),
        ({"block": None}, "holds the samples of another launch"),
        ({"benchmark": "barrier"}, "holds samples of a case that was not planned"),
        ({"size_bytes": 2**40}, "holds samples of a case that was not planned"),
        ({"mode": None}, "holds samples of a case that was not planned"),
    ],
)
def test_samples_that_are_whole_but_of_nothing_planned_are_not_taken(tmp_path: Path, change, words: str) -> None:
    directory = make_run(tmp_path / "run", blocks=1)
    path = tmp_path / "run" / "samples" / "000001.parquet"
    frame = pl.read_parquet(path)
    one, last = frame.head(1).with_columns(**{name: pl.lit(value) for name, value in change.items()}), frame.tail(-1)
    pl.concat([one.cast(dict(frame.schema)), last]).write_parquet(path)
    with pytest.raises(LostSamplesError, match=words):
        directory.samples_of(directory.launches()[1])


def test_a_damaged_line_costs_its_launch(tmp_path: Path) -> None:
    directory = make_run(tmp_path / "run", blocks=2)
    path = tmp_path / "run" / "launches.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    lines[2], lines[4] = b'{"launch": 2\n', b"\xff\n"
    path.write_bytes(b"".join(lines))
    assert [record.launch for record in directory.launches()] == [0, 1, 3, 5, 6, 7]
    assert directory.damaged_lines() == [3, 5]
    assert directory.next_launch() == 8


def test_a_last_line_that_was_cut_off_costs_one_launch(tmp_path: Path) -> None:
    directory = make_run(tmp_path / "run", blocks=2)
    path = tmp_path / "run" / "launches.jsonl"
    path.write_bytes(path.read_bytes()[:-40])
    assert len(directory.launches()) == 7
    assert directory.next_launch() == 8  # the samples of the launch without a line are there, and stay


def test_a_run_that_begins_again_keeps_every_line(tmp_path: Path) -> None:
    directory = make_run(tmp_path / "run", blocks=2)
    path = tmp_path / "run" / "launches.jsonl"
    cut = path.read_bytes()[:-40]
    path.write_bytes(cut)
    directory.begin_again("2026-01-02T04:00:00+00:00")
    assert path.read_bytes() == cut + b"\n"
    assert directory.run().resumed == ["2026-01-02T04:00:00+00:00"]
    assert directory.outcome() is None
    assert directory.damaged_lines() == [8]


def test_what_else_is_damaged_is_named(tmp_path: Path) -> None:
    directory = make_run(tmp_path / "run", blocks=1)
    assert directory.damaged_files() == []
    (tmp_path / "run" / "environment.json").write_text("[]")
    (tmp_path / "run" / "outcome.json").write_text("{")
    assert directory.damaged_files() == ["environment.json", "outcome.json"]
    assert (directory.environment(), directory.outcome()) == (Environment(), None)
