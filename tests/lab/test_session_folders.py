"""What a killed launcher of Open MPI leaves is removed, since another one with its process id could not start."""

import os
import shutil
import socket
import sys
from pathlib import Path

import pytest

from polympi.lab import session_folders
from polympi.lab.environment.doctor import diagnose
from polympi.lab.launch.not_started import not_started
from polympi.lab.process import run_tree
from polympi.lab.session_folders import left_behind, remove_session_folders
from polympi.lab.stacks.command import mpiexec_command
from polympi.lab.stacks.stack import Stack

GONE = 2**22 - 1  # a process id that is not given: the highest one there can be, by proc(5)
# It starts a program as the process after the next of those whose numbers its first argument has.
_AS = """
import os, pathlib, shutil, subprocess, sys
left, place, *command = sys.argv[1:]
child = os.fork()
if not child:
    os._exit(0)
os.waitpid(child, 0)
for process in range(child + 1, child + 500):
    folder = pathlib.Path(place, f"ompi.{process}")
    shutil.copytree(left, folder)
    for address in folder.glob("*.tool.*"):
        if address.suffix[1:].isdigit():
            address.rename(address.with_suffix(f".{process}"))
sys.exit(subprocess.run(command).returncode)
"""


def _command(stack: Stack, *program: str) -> list[str]:
    return mpiexec_command(stack, 2, [stack.python, *program], processors=2)


def test_what_a_killed_launcher_left_would_keep_another_from_starting_and_goes_with_it(
    tmp_path: Path, openmpi: Stack
) -> None:
    """The arm that must differ is the folder that is put back, in the place of launchers to come."""
    place, kept = tmp_path / "t", tmp_path / "kept"
    place.mkdir()
    environment = {**openmpi.variables(), "TMPDIR": str(place)}

    def keep() -> None:
        for address in place.glob("ompi.*/*.tool.[0-9]*"):
            shutil.copytree(address.parent, kept)
            os.kill(int(address.suffix[1:]), 9)

    sleeps = _command(openmpi, "-c", "import time; time.sleep(60)")
    ended = run_tree(sleeps, environment=environment, timeout_s=50, output=tmp_path / "output", on_tick=keep)
    assert ended.exit_code == -9
    assert not list(place.iterdir())

    after = [sys.executable, "-c", _AS, str(kept), str(place), *_command(openmpi, "-c", "pass")]
    ended = run_tree(after, environment=environment, timeout_s=50, output=tmp_path / "output")
    assert ended.exit_code == 213
    reason = not_started(ended.tail)
    assert reason is not None
    assert "listener thread failed to start" in reason


def test_only_folders_of_the_processes_that_were_killed_are_removed(tmp_path: Path) -> None:
    user = f"ompi.{socket.gethostname()}.12"  # of Open MPI 4: a user, not a process
    names = ("prted.12", "ompi.12", "prtrn.12", user, "prted.13", "prted.1", "other.12", "prted.x")
    for name in names:
        (tmp_path / name / "0").mkdir(parents=True)
    remove_session_folders([12, 14], {"TMPDIR": str(tmp_path)})
    assert {entry.name for entry in tmp_path.iterdir()} == {user, "prted.13", "prted.1", "other.12", "prted.x"}


def test_the_doctor_names_what_is_left_of_processes_that_are_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_folders, "places", lambda _: [tmp_path])
    for name in (
        f"prted.{os.getpid()}",
        f"prted.{GONE}",
        f"ompi.{GONE}",
        f"ompi.{socket.gethostname()}.{GONE}",
        "prted.log",
        f"mine.{GONE}",
    ):
        (tmp_path / name).mkdir()
    (tmp_path / f"prun.{GONE}").write_text("no folder")
    found = left_behind(os.environ)
    assert found == [tmp_path / f"ompi.{GONE}", tmp_path / f"prted.{GONE}"]
    [check] = [check for check in diagnose(environment={}) if check.name == "killed launchers"]
    assert check.status == "warning"
    assert str(found[0]) in check.text
    assert str(found[1]) in check.advice
