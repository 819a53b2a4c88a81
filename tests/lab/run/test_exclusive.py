"""One run at a time on a machine."""

import fcntl
import os
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from polympi.lab.errors import UsageError
from polympi.lab.run import exclusive
from polympi.lab.run.exclusive import Holder, only_run_here

US = Holder(pid=1, since="2026-01-02T03:04:05+00:00", where="/results/ours")
HOLD = """
import sys, time
from polympi.lab.run.exclusive import Holder, only_run_here
with only_run_here(Holder(pid=42, since="2026-01-02T03:04:05+00:00", where="/results/theirs"), wait=False, say=print):
    print("held", flush=True)
    time.sleep(float(sys.argv[1]))
"""


@pytest.fixture
def locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(exclusive.FOLDER_VARIABLE, str(tmp_path))
    return tmp_path


def _hold(seconds: float) -> subprocess.Popen[str]:
    holder = subprocess.Popen([sys.executable, "-c", HOLD, str(seconds)], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    return holder


def test_a_second_run_is_refused_and_learns_who_the_first_is(locks: Path) -> None:
    with _hold(60) as holder:
        try:
            with (
                pytest.raises(UsageError, match=r"process 42, since 2026-01-02 03:04:05, into '/results/theirs'"),
                only_run_here(US, wait=False, say=print),
            ):
                pass
        finally:
            holder.kill()


def test_a_run_that_was_killed_holds_nothing(locks: Path) -> None:
    with _hold(60) as holder:
        holder.kill()
    with only_run_here(US, wait=False, say=print):
        pass


def test_a_run_that_waits_begins_when_the_other_ends(locks: Path) -> None:
    said: list[str] = []
    began = time.monotonic()
    with _hold(1.5), only_run_here(US, wait=True, say=said.append):
        assert time.monotonic() - began >= 1.5
    assert len(said) == 1
    assert "waiting for another run to end (process 42" in said[0]


def test_two_runs_one_after_the_other(locks: Path) -> None:
    for _ in range(2):
        with only_run_here(US, wait=False, say=print):
            (file,) = locks.iterdir()
            assert msgspec.json.decode(file.read_bytes(), type=Holder) == US
            assert file.stat().st_mode & 0o777 == 0o644


def test_a_run_of_another_user_is_found(locks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = locks / f"polympi-{os.geteuid()}.lock"
    other.write_bytes(msgspec.json.encode(US))
    user = os.geteuid()
    monkeypatch.setattr(exclusive.os, "geteuid", lambda: user + 1)
    with other.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(UsageError, match="into '/results/ours'"), only_run_here(US, wait=False, say=print):
            pass


@pytest.mark.parametrize("kind", ["link", "directory", "rubbish", "fifo"])
def test_what_others_put_into_the_folder_keeps_nobody_from_measuring(locks: Path, kind: str) -> None:
    victim = locks / "victim"
    victim.write_text("precious")
    for name in (f"polympi-{os.geteuid()}.lock", "polympi-12345.lock", "polympi-x.lock"):
        place = locks / name
        {
            "link": lambda place=place: place.symlink_to(victim),
            "directory": place.mkdir,
            "rubbish": lambda place=place: place.write_bytes(b"\xff" * 9999),
            "fifo": lambda place=place: os.mkfifo(place),
        }[kind]()
    with only_run_here(US, wait=False, say=print):
        assert victim.read_text() == "precious"
