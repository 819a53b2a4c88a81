"""Plan and samples that go with a launch come through whole, and leave nothing on the hosts."""

import os
import random
import string
from pathlib import Path

import pytest
from processes import commands_with

from polympi.lab.launch.carried import MARK, bring_back, carried_command
from polympi.lab.process import Ended, run_tree

PLAN = "polympi-plan 2\n" + "".join(random.Random(1).choices(string.printable[:90] + "\n", k=50_000))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What belongs to polympi; a rank has its own folders elsewhere."""
    (tmp_path / "host").mkdir()
    (tmp_path / "run").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "host"))
    (tmp_path / "run" / "plan.txt").write_text(PLAN)
    return tmp_path / "run"


def run(folder: Path, script: str, *, ranks: int = 1, timeout_s: float = 60) -> Ended:
    """Ranks whose program is a script, all at once; samples that came are brought back."""
    command = carried_command(["sh", "-c", script, "program"], folder / "plan.txt", "samples.txt")
    together = ["sh", "-c", 'for _ in $(seq "$0"); do "$@" & done; wait']
    words = command if ranks == 1 else [*together, str(ranks), *command]
    output = folder / "output.txt"
    ended = run_tree(words, environment={**os.environ}, timeout_s=timeout_s, output=output)
    return bring_back(ended, output, folder / "samples.txt")


def left(folder: Path) -> list[Path]:
    return list((folder.parent / "host").iterdir())


def test_a_plan_goes_there_and_samples_come_back(folder: Path) -> None:
    ended = run(folder, "echo hello; cp plan.txt samples.txt; pwd")
    assert ended.exit_code == 0
    assert (folder / "samples.txt").read_text() == PLAN
    assert ended.tail.splitlines()[0] == "hello"  # and not the samples, which are far longer
    assert MARK not in ended.tail
    assert not left(folder)


def test_samples_come_through_what_other_ranks_print(folder: Path) -> None:
    script = "if mkdir ../first 2>/dev/null; then cp plan.txt samples.txt; else seq 3000; fi"
    ended = run(folder, script, ranks=3)
    assert ended.exit_code == 0, ended.tail
    assert (folder / "samples.txt").read_text() == PLAN
    (folder.parent / "host" / "first").rmdir()
    assert not left(folder)


def test_a_program_that_fails_keeps_its_code_and_its_samples_so_far(folder: Path) -> None:
    ended = run(folder, "head -c 30000 plan.txt >samples.txt; echo it broke >&2; exit 7")
    assert ended.exit_code == 7
    assert (folder / "samples.txt").read_text() == PLAN[:30000]
    assert ended.tail.strip() == "it broke"
    assert not left(folder)


def test_a_program_that_writes_no_samples_brings_none(folder: Path) -> None:
    assert run(folder, "exit 0").exit_code == 0
    assert not (folder / "samples.txt").exists()


def test_a_launch_that_hangs_is_ended_and_leaves_nothing(folder: Path) -> None:
    ended = run(folder, "sleep 600 & wait", timeout_s=3)
    assert ended.timed_out
    assert not commands_with(str(folder))
    assert not left(folder)


def test_samples_that_were_cut_off_are_read_as_far_as_they_go(folder: Path) -> None:
    run(folder, "cp plan.txt samples.txt")
    output = folder / "output.txt"
    whole = output.read_text()
    for kept in (len(whole) // 2, 100):
        output.write_text(whole[:kept])
        bring_back(Ended(0, 0, 1, ""), output, folder / "samples.txt")
        assert PLAN.startswith((folder / "samples.txt").read_text())
    output.write_text(f"{MARK} ???\n")
    bring_back(Ended(0, 0, 1, ""), output, folder / "samples.txt")
    assert (folder / "samples.txt").read_text() == ""


def test_a_host_without_room_is_reported(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", "/nowhere")
    ended = run(folder, "true")
    assert (ended.exit_code, ended.tail.splitlines()[-1]) == (97, "a rank could not make a folder in $TMPDIR")
