from pathlib import Path

import pytest
from synthetic import make_run

from polympi.lab.errors import ResultError, UsageError
from polympi.lab.samples.store import RunDirectory


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


def test_what_is_no_result_directory_is_told(tmp_path: Path) -> None:
    with pytest.raises(ResultError, match="There is no result directory"):
        RunDirectory.open(tmp_path / "nowhere")
    with pytest.raises(ResultError, match=r"it has no run\.json"):
        RunDirectory.open(tmp_path)


def test_damage_is_told_by_file(tmp_path: Path) -> None:
    path = tmp_path / "run"
    directory = make_run(path, blocks=1)
    victim = path / "samples" / "000001.parquet"
    whole = victim.read_bytes()
    victim.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ResultError, match=r"000001\.parquet' is damaged"):
        directory.samples()
    with (path / "launches.jsonl").open("ab") as stream:
        stream.write(b'{"launch": 9\n')
    with pytest.raises(ResultError, match=r"launches\.jsonl' is damaged in line 5"):
        directory.launches()
    (path / "run.json").write_text("{")
    with pytest.raises(ResultError, match=r"run\.json' is damaged"):
        RunDirectory.open(path)
    (path / "run.json").write_bytes(b'{"format": 99}')
    with pytest.raises(ResultError):
        RunDirectory.open(path)


def test_a_last_line_that_was_cut_off_costs_one_launch(tmp_path: Path) -> None:
    directory = make_run(tmp_path / "run", blocks=2)
    path = tmp_path / "run" / "launches.jsonl"
    path.write_bytes(path.read_bytes()[:-40])
    assert len(directory.launches()) == 7
    assert list(directory.samples_of_launches())


def test_missing_samples_are_told(tmp_path: Path) -> None:
    directory = make_run(tmp_path / "run", blocks=2)
    (tmp_path / "run" / "samples" / "000003.parquet").unlink()
    with pytest.raises(ResultError, match="the samples of launch 3 are missing"):
        list(directory.samples_of_launches())
