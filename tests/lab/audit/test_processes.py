"""The processor time of a process: exact where the system counts it so, else in hundredths of a second."""

from __future__ import annotations

import os
from pathlib import Path

from polympi.lab.audit.processes import _used

STAT = f"7 (a (name) b) S {' '.join(['0'] * 10)} {3 * os.sysconf('SC_CLK_TCK')} {os.sysconf('SC_CLK_TCK')} 0 0"


def thread(folder: Path, number: int, nanoseconds: int) -> None:
    (folder / f"task/{number}").mkdir(parents=True)
    (folder / f"task/{number}/schedstat").write_text(f"{nanoseconds} 5 9\n")


def test_nanoseconds_of_all_threads_are_taken(tmp_path: Path) -> None:
    (tmp_path / "stat").write_text(STAT)
    thread(tmp_path, 7, 1_000)
    thread(tmp_path, 8, 20_000)
    assert _used(tmp_path) == 21e-6


def test_a_thread_that_has_just_ended_is_left_out(tmp_path: Path) -> None:
    thread(tmp_path, 7, 1_000)
    (tmp_path / "task/8").mkdir()
    (tmp_path / "task/8/schedstat").symlink_to(tmp_path / "ended")
    assert _used(tmp_path) == 1e-6


def test_a_system_that_counts_no_nanoseconds_tells_its_ticks(tmp_path: Path) -> None:
    (tmp_path / "stat").write_text(STAT)
    assert _used(tmp_path) == 4.0
    thread(tmp_path, 7, 0)  # as where scheduling isn't accounted for
    assert _used(tmp_path) == 4.0
