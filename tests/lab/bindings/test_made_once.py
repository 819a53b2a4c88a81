"""What is compiled once: who comes while another makes it waits, and makes it only where the other one could not."""

import contextlib
import fcntl
import threading
import time
from pathlib import Path

import pytest

from polympi.lab.bindings.made_once import made_once, put_in_place


def _names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def _beside_another(place: Path, other_succeeds: bool) -> list[str]:
    """What happens, in its order, where one begins to make a place and another one comes meanwhile."""
    happened: list[str] = []
    begun = threading.Event()

    def first() -> None:
        with contextlib.suppress(FileNotFoundError), made_once(place) as made:
            assert made
            happened.append("first begins")
            begun.set()
            time.sleep(0.3)
            happened.append("first ends")
            folder = made if other_succeeds else made / "nowhere"
            (folder / "program").write_text("first")

    def second() -> None:
        begun.wait()
        with made_once(place) as made:
            happened.append("second makes" if made else "second finds")

    threads = [threading.Thread(target=one) for one in (first, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return happened


def test_who_comes_meanwhile_waits_and_finds_it(tmp_path: Path) -> None:
    assert _beside_another(tmp_path / "place", True) == ["first begins", "first ends", "second finds"]
    assert (tmp_path / "place" / "program").read_text() == "first"
    assert _names(tmp_path) == ["place"]


def test_where_the_first_fails_the_second_makes_it(tmp_path: Path) -> None:
    assert _beside_another(tmp_path / "place", False) == ["first begins", "first ends", "second makes"]
    assert _names(tmp_path / "place") == []
    assert _names(tmp_path) == ["place"]


def test_a_lock_that_a_killed_process_has_left_keeps_nobody_out(tmp_path: Path) -> None:
    (tmp_path / "place.lock").touch()
    with made_once(tmp_path / "place") as made:
        assert made
    assert (tmp_path / "place").is_dir()


def test_a_file_system_that_cannot_lock_is_good_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def cannot(*_: object) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(fcntl, "flock", cannot)
    with made_once(tmp_path / "folder" / "place") as made, made_once(tmp_path / "folder" / "place") as again:
        assert made
        assert again
        (again / "program").write_text("the one that ends first")
    assert (tmp_path / "folder" / "place" / "program").exists()


def test_of_two_who_made_the_same_the_first_is_kept(tmp_path: Path) -> None:
    made, place = tmp_path / "made", tmp_path / "place"
    for folder, words in ((made, "second"), (place, "first")):
        folder.mkdir()
        (folder / "program").write_text(words)
    put_in_place(made, place)
    assert (place / "program").read_text() == "first"
    with pytest.raises(FileNotFoundError):
        put_in_place(made, tmp_path / "no folder" / "place")
    put_in_place(made, tmp_path / "elsewhere")
    assert (tmp_path / "elsewhere" / "program").read_text() == "second"
