"""The reference program keeps the protocol of docs/protocol.md, on both stacks and in every case it knows."""

from __future__ import annotations

import re
import shlex
import time
from pathlib import Path

import pytest
from c_program import BATCHES, EVENTS, catalogue_cases, launch, plan_of, run

from polympi.lab.bindings.build import build
from polympi.lab.bindings.manifest import load_bindings
from polympi.lab.stacks.stack import Stack

_HUGE = Path("/sys/kernel/mm/transparent_hugepage/enabled")
_GIVEN = re.search(r"\[(\w+)\]", _HUGE.read_text()) if _HUGE.is_file() else None
HUGE_PAGES = _GIVEN[1] if _GIVEN else "never"  # to whom the kernel gives them: always, madvise, never


@pytest.mark.parametrize(
    ("ranks", "sizes"),
    [
        (2, [0, 1, 8, 1000, 200_000]),  # odd, a whole element, several pages; beyond every eager limit
        (3, [8]),  # not a power of two
        (4, [8]),
    ],
)
def test_every_case_is_valid_and_timed(stack: Stack, tmp_path: Path, ranks: int, sizes: list[int]) -> None:
    cases = catalogue_cases(sizes)
    before = time.monotonic_ns()
    done = run(stack, tmp_path, plan_of(cases), ranks=ranks)
    assert done.ended.exit_code == 0, done.ended.tail
    samples = done.samples
    assert samples.ended
    assert samples.cases == list(range(len(cases)))
    assert {cases[i]: verdict for i, verdict in samples.valid.items() if verdict != "ok"} == {}
    assert not samples.skipped
    for number, case in enumerate(cases):
        assert len(samples.batches[number]) == BATCHES, case
        assert len(samples.events[number]) == EVENTS, case
        assert min(samples.batches[number] + samples.events[number]) > 0, case
    header = samples.header
    assert header["binding"] == "c"
    assert int(header["ranks"]) == ranks
    assert header["load"] == "0"
    assert before < int(header["ready"]) - int(header["init"]) < int(header["ready"]) < time.monotonic_ns()
    assert 0 < int(header["pss"]) <= int(header["rss"])
    assert 0 < int(header["start"]) < 10_000_000  # far less, but where ranks outnumber processors
    assert header["clock_error"] == "0"
    assert 0 <= int(header["huge"]) <= int(header["buffers"])
    assert stack.library.split()[0] in header["library"]


def test_what_the_plan_asks_none_of_is_left_out(stack: Stack, tmp_path: Path) -> None:
    cases = ["latency standard bytes 8 0 1 1 0", "bcast standard bytes 8 0 1 1 0", "alltoall standard int 8 0 0 1 2"]
    samples = run(stack, tmp_path, plan_of(cases)).samples
    assert {number: len(times) for number, times in samples.batches.items()} == {0: 1, 1: 1}
    assert {number: len(times) for number, times in samples.events.items()} == {2: 2}


def test_what_cannot_run_is_skipped(stack: Stack, tmp_path: Path) -> None:
    cases = ["latency standard bytes 8", "allreduce standard float64 64", f"bcast standard bytes {2**31}"]
    samples = run(stack, tmp_path, plan_of([*cases, "reduce standard bytes 8"]), ranks=1).samples
    assert samples.ended
    assert set(samples.skipped) == {0, 2, 3}
    assert "two ranks" in samples.skipped[0]
    assert samples.valid == {1: "ok"}


@pytest.mark.parametrize("ranks", [2, 3])
def test_a_program_may_have_messages_of_its_own(stack: Stack, tmp_path: Path, ranks: int) -> None:
    cases = [case for case in catalogue_cases([8, 1000]) if case.startswith(("latency standard ", "allgather "))]
    samples = run(stack, tmp_path, plan_of([*cases, "bcast standard bytes 8"]), "c-apart", ranks=ranks).samples
    assert samples.ended
    assert samples.header["binding"] == "c-apart"
    assert samples.valid == dict.fromkeys(range(len(cases)), "ok")
    assert samples.skipped == {len(cases): "it has two benchmarks only"}
    assert {len(times) for times in samples.events.values()} == {EVENTS}
    assert {len(times) for times in samples.batches.values()} == {BATCHES}


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        ("polympi-plan 3\nend\n", "unknown version '3'"),
        ("", "cut off"),
        (plan_of(["latency standard float64 9"]), "size '9'"),
        (plan_of(["latency standard bytes 8 1 1 1"]), "incomplete record 'case'"),
    ],
)
def test_a_plan_that_is_not_understood_ends_with_3(mpich: Stack, tmp_path: Path, plan: str, said: str) -> None:
    done = run(mpich, tmp_path, plan)
    assert done.ended.exit_code == 3
    assert said in done.ended.tail
    assert done.ended.tail.count("The plan ") == 1, "only one rank says it"
    assert done.text is None


def test_files_and_arguments_that_cannot_be_used_end_with_3(stack: Stack, tmp_path: Path) -> None:
    program = str(build(load_bindings()["c"], stack) / "bench")
    (tmp_path / "plan").write_text(plan_of(["latency standard bytes 8"]))
    written = tmp_path / "samples"
    for arguments, said in (
        (f"missing {written}", "Cannot read the plan 'missing'"),
        (f"{tmp_path} {written}", "Cannot read the plan"),
        (f"{tmp_path}/plan {tmp_path}/missing/samples", "Cannot write the samples"),
        (f"{tmp_path}/plan /dev/full", "Cannot write the samples"),
        (f"{tmp_path}/plan", "Usage"),
        (f"{tmp_path}/plan {written} twofold", "'twofold' is neither"),
    ):
        done = launch(stack, tmp_path, [program, *shlex.split(arguments)], written)
        assert done.ended.exit_code == 3, arguments
        assert said in (tmp_path / "output").read_text(errors="replace"), arguments
        assert done.text is None


def test_a_rank_that_crashes_leaves_what_was_done_before(mpich: Stack, tmp_path: Path) -> None:
    done = run(mpich, tmp_path, plan_of(["latency standard bytes 8"] * 3), "c-crashing")
    assert done.ended.exit_code != 0
    assert not done.ended.timed_out
    assert (done.samples.cases, set(done.samples.batches), done.samples.ended) == ([0, 1], {0}, False)


@pytest.mark.exclusive  # its time limit is short
def test_a_rank_that_hangs_leaves_what_was_done_before(mpich: Stack, tmp_path: Path) -> None:
    done = run(mpich, tmp_path, plan_of(["latency standard bytes 8"] * 3), "c-hanging", timeout_s=2.0)
    assert done.ended.timed_out
    assert (done.samples.cases, set(done.samples.batches), done.samples.ended) == ([0, 1], {0}, False)


def test_pages_are_those_of_the_plan_or_of_the_arm(mpich: Stack, tmp_path: Path) -> None:
    cases = ["latency standard bytes 8388608 1 1 1 1"]
    asked = run(mpich, tmp_path, plan_of(cases)).samples.header
    assert (int(asked["huge"]) > 0) == (HUGE_PAGES != "never")
    for plan, arm in ((plan_of(cases, pages="plain"), "c"), (plan_of(cases), "c-pages")):
        header = run(mpich, tmp_path, plan, arm).samples.header
        assert (int(header["huge"]) > 0) == (HUGE_PAGES == "always")
        assert int(header["buffers"]) == int(asked["buffers"])


def test_rubbish_is_no_samples_file(mpich: Stack, tmp_path: Path) -> None:
    done = run(mpich, tmp_path, plan_of(["latency standard bytes 8"]), "c-rubbish")
    assert done.ended.exit_code == 0
    with pytest.raises(AssertionError, match="cookies"):
        _ = done.samples
