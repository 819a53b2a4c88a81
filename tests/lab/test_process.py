import os
import sys
import time
from pathlib import Path

import psutil
import pytest

from polympi.lab.process import run_tree


def test_a_command_that_ends_is_reported_with_its_code_and_its_last_words(tmp_path: Path) -> None:
    ended = run_tree(
        [sys.executable, "-c", "import sys; print('out'); print('err', file=sys.stderr); sys.exit(5)"],
        environment=os.environ,
        timeout_s=60,
        output=tmp_path / "output",
    )
    assert (ended.exit_code, ended.timed_out) == (5, False)
    assert set(ended.tail.split()) == {"out", "err"}
    assert 0 < ended.wall_ns < 60e9


def test_a_signal_is_a_negative_code(tmp_path: Path) -> None:
    ended = run_tree(["sh", "-c", "kill -9 $$"], environment=os.environ, timeout_s=20, output=tmp_path / "output")
    assert ended.exit_code == -9


def test_a_missing_command_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        run_tree([str(tmp_path / "nothing")], environment={}, timeout_s=5, output=tmp_path / "output")


RUNAWAY = """
import os, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:  # a daemon: no child of anybody, in a session of its own
        open(sys.argv[1], "a").write(f"{os.getpid()}\\n")
        time.sleep(60)
    os._exit(0)
open(sys.argv[1], "a").write(f"{os.getpid()}\\n")
time.sleep(float(sys.argv[2]))
"""


def _alive(pid: int) -> bool:
    """Whether it runs; a dead process that nobody has asked about yet (a zombie) does not."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _pids(path: Path, count: int) -> list[int]:
    for _ in range(100):
        pids = path.read_text().split() if path.exists() else []
        if len(pids) >= count:
            return [int(p) for p in pids]
        time.sleep(0.05)
    raise AssertionError("the processes did not start")


@pytest.mark.parametrize(("sleep", "timeout_s"), [("60", 4), ("0.5", 50)], ids=["timed out", "left a daemon"])
def test_nothing_is_left_behind(tmp_path: Path, sleep: str, timeout_s: float) -> None:
    pids = tmp_path / "pids"
    ended = run_tree(
        [sys.executable, "-c", RUNAWAY, str(pids), sleep],
        environment=os.environ,
        timeout_s=timeout_s,
        output=tmp_path / "output",
    )
    assert ended.timed_out == (sleep == "60")
    assert not [pid for pid in _pids(pids, 2) if _alive(pid)]


def test_an_interruption_ends_the_command(tmp_path: Path) -> None:
    pids = tmp_path / "pids"

    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_tree(
            [sys.executable, "-c", RUNAWAY, str(pids), "60"],
            environment=os.environ,
            timeout_s=30,
            output=tmp_path / "output",
            on_tick=interrupt,
        )
    assert not [pid for pid in _pids(pids, 2) if _alive(pid)]


def test_a_command_that_prints_for_ever_is_ended(tmp_path: Path) -> None:
    ended = run_tree(["yes"], environment=os.environ, timeout_s=120, output=tmp_path / "output")
    assert ended.flooded
    assert not ended.timed_out
    assert ended.wall_ns < 120e9
    (tmp_path / "output").unlink()
