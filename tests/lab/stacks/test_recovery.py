"""A stack is added or completed as a whole, or stays as it was."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from polympi.lab.errors import StackError
from polympi.lab.stacks import add, recovery
from polympi.lab.stacks.add import add_stack
from polympi.lab.stacks.recovery import all_or_nothing, undo_broken_off

WORK = """
import sys, time
from pathlib import Path
from polympi.lab.stacks.recovery import all_or_nothing
from polympi.lab.stacks.stack import stack_folder
with all_or_nothing("mine"):
    folder = stack_folder("mine") / "env"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "half").write_text("half")
    (folder / "package").unlink(missing_ok=True)
    (folder / "package").write_text("new")
    print("working", flush=True)
    time.sleep(60)
"""


def _existing(empty_home: Path) -> Path:
    folder = empty_home / "stacks" / "mine"
    (folder / "env").mkdir(parents=True)
    (folder / "stack.json").write_text("{}")
    (folder / "env" / "package").write_text("old")
    (folder / "env" / "link").symlink_to("package")
    return folder


def _tree(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text() if path.is_file() else "" for path in sorted(folder.rglob("*"))
    }


def _fail(name: str, error: BaseException) -> None:
    with all_or_nothing(name):
        env = recovery.stack_folder(name) / "env"
        env.mkdir(parents=True, exist_ok=True)
        (env / "half").write_text("half")
        (env / "package").unlink(missing_ok=True)
        raise error


@pytest.mark.parametrize("error", [StackError("no network"), KeyboardInterrupt(), SystemExit(143)])
def test_a_new_stack_that_fails_leaves_nothing(empty_home: Path, error: BaseException) -> None:
    with pytest.raises(type(error)):
        _fail("mine", error)
    assert _tree(empty_home) == {"adding": "", "stacks": ""}


@pytest.mark.parametrize("error", [StackError("no network"), KeyboardInterrupt()])
def test_a_stack_that_was_to_be_completed_stays_as_it_was(empty_home: Path, error: BaseException) -> None:
    before = _tree(_existing(empty_home))
    with pytest.raises(type(error)):
        _fail("mine", error)
    assert _tree(empty_home / "stacks" / "mine") == before
    assert (empty_home / "stacks" / "mine" / "env" / "link").is_symlink()
    assert list((empty_home / "adding").iterdir()) == []


def test_what_succeeds_stays_and_leaves_nothing_beside_it(empty_home: Path) -> None:
    folder = _existing(empty_home)
    with all_or_nothing("mine"):
        (folder / "env" / "more").write_text("more")
    assert (folder / "env" / "more").is_file()
    assert list((empty_home / "adding").iterdir()) == []


def _work_and_be_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", WORK], stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "working\n"
        worker.send_signal(signal.SIGKILL)


def test_a_new_stack_that_was_killed_is_removed_at_the_next_start(empty_home: Path) -> None:
    _work_and_be_killed()
    assert (empty_home / "stacks" / "mine" / "env" / "half").is_file()
    said: list[str] = []
    undo_broken_off(said.append)
    assert said == ["stack mine was being installed when polympi was ended: it is as it was before"]
    assert not (empty_home / "stacks" / "mine").exists()
    assert list((empty_home / "adding").iterdir()) == []


def test_a_stack_whose_completion_was_killed_is_put_back_at_the_next_start(empty_home: Path) -> None:
    before = _tree(_existing(empty_home))
    _work_and_be_killed()
    assert _tree(empty_home / "stacks" / "mine") != before
    undo_broken_off()
    assert _tree(empty_home / "stacks" / "mine") == before


def test_the_next_attempt_itself_puts_things_back(empty_home: Path) -> None:
    before = _tree(_existing(empty_home))
    _work_and_be_killed()
    with all_or_nothing("mine"):
        assert _tree(empty_home / "stacks" / "mine") == before


def test_a_stack_that_somebody_works_on_is_left_alone(empty_home: Path) -> None:
    _existing(empty_home)
    with subprocess.Popen([sys.executable, "-c", WORK], stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdout is not None
        worker.stdout.readline()
        undo_broken_off()
        assert (empty_home / "stacks" / "mine" / "env" / "half").is_file()
        with pytest.raises(StackError, match="Another polympi is working on stack 'mine'"), all_or_nothing("mine"):
            pass
        worker.kill()


def test_a_copy_that_was_not_finished_is_no_copy(empty_home: Path) -> None:
    before = _tree(_existing(empty_home))
    (empty_home / "adding" / "mine.unfinished").mkdir(parents=True)
    (empty_home / "adding" / "mine.lock").write_text("")
    undo_broken_off()
    assert _tree(empty_home / "stacks" / "mine") == before
    assert list((empty_home / "adding").iterdir()) == []


def test_without_hard_links_the_copy_is_one_of_contents(empty_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError

    before = _tree(_existing(empty_home))
    monkeypatch.setattr(os, "link", refuse)
    with pytest.raises(StackError):
        _fail("mine", StackError("no network"))
    assert _tree(empty_home / "stacks" / "mine") == before


def test_adding_a_stack_that_fails_leaves_nothing(empty_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise StackError("pip could not install mpich")

    monkeypatch.setattr(add, "_create_environment", lambda folder: folder.mkdir(parents=True))
    monkeypatch.setattr(add, "_pip_install", fail)
    with pytest.raises(StackError, match="pip could not install"):
        add_stack("mpich", [])
    assert not (empty_home / "stacks" / "mpich").exists()
