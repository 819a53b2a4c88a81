"""``polympi gate`` as a user types it; what it measures is made up."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from synthetic import EFFECTS, make_run
from typer.testing import CliRunner, Result

from polympi.lab.cli import gate as module
from polympi.lab.cli.app import application
from polympi.lab.errors import UsageError
from polympi.lab.run.gate import Asked, Judged
from polympi.lab.samples.store import RunDirectory
from polympi.lab.statistics.analysis import analyse
from polympi.lab.statistics.comparison.compare import compare

CASES = [("latency", "standard", "bytes", 2**k) for k in range(3, 13)]
Gate = Callable[..., Result]


def judged(after: RunDirectory, *, failed: bool = False, interrupted: bool = False) -> Callable[..., Judged]:
    """What stands in for measuring: one round, which gave `after`."""

    def judge(baseline: RunDirectory, asked: Asked, **_: object) -> Judged:
        before, found = analyse(baseline), analyse(after)
        return Judged(
            before,
            [(after.path, found)],
            compare(before, found, threshold=asked.threshold),
            [],
            failed={"mpich/mpi4py": "it crashed"} if failed else {},
            interrupted=interrupted,
        )

    return judge


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Gate:
    monkeypatch.chdir(tmp_path)
    make_run(tmp_path / "baseline", seed=1, cases=CASES, events=1)
    return lambda *arguments: CliRunner().invoke(application("gate"), ["gate", "--against", "baseline", *arguments])


@pytest.mark.parametrize(
    ("made", "how", "ends"),
    [
        ({}, {}, (0, "Same")),
        ({"effects": EFFECTS | {"mpi4py": (520.0, 0.0, 1.5)}}, {}, (1, "Slower")),
        ({"noise": 0.3}, {}, (3, "Unknown")),
        ({}, {"failed": True}, (1, "Failed")),
        ({}, {"interrupted": True}, (130, "Same")),
    ],
)
def test_the_exit_code_agrees_with_the_answer(
    gate: Gate, monkeypatch: pytest.MonkeyPatch, made: dict[str, object], how: dict[str, bool], ends: tuple[int, str]
) -> None:
    after = make_run(Path("after"), seed=2, cases=CASES, events=1, **made)
    monkeypatch.setattr(module, "judge", judged(after, **how))
    done = gate("--json", "out.json", "--markdown", "out.md", "-o", "rounds")
    code, word = ends
    assert done.exit_code == code, done.output
    assert done.stdout.startswith(f"{word}: ")
    kept = json.loads(Path("out.json").read_text())
    assert (kept["before"], kept["after"], kept["answer"].startswith(word)) == ("baseline", "rounds", True)
    assert Path("out.md").read_text().startswith("### polympi gate: baseline → rounds\n")


@pytest.mark.parametrize(
    ("found", "code"),
    [
        ({"reasons": ["The processors differ."]}, 2),
        ({"reasons": [], "interrupted": True}, 130),
        ({"reasons": [], "failed": {"mpich/c": "it crashed"}}, UsageError),
        ({"reasons": []}, UsageError),
    ],
)
def test_no_answer(gate: Gate, monkeypatch: pytest.MonkeyPatch, found: dict[str, object], code: object) -> None:
    monkeypatch.setattr(
        module,
        "judge",
        lambda baseline, *_, **__: Judged(analyse(baseline), [], None, **found),  # type: ignore[arg-type]
    )
    done = gate("--time-limit", "1s")
    assert code in (done.exit_code, type(done.exception))
