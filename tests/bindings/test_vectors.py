"""The harnesses in C and in Python reproduce the conformance vectors, which follow the catalogue."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from c_program import HARNESS, HERE, compile_with_harness

from polympi.lab.stacks.stack import Stack

sys.path[:0] = [str(HARNESS.parent / "python"), str(HARNESS.parent)]

from conformance import refused_plans, write_vectors
from objects import Instance, make_object
from pattern import byte_pattern, double_pattern, integer_pattern
from pieces import Piece
from plan import Case, PlanError, parse_plan
from samples import SampleFile

BUFFERS = {"bytes": (byte_pattern, 1), "float64": (double_pattern, 8), "int32": (integer_pattern, 4)}
REFUSED = refused_plans()


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("vectors")
    write_vectors(folder)
    return folder


@pytest.fixture(scope="module")
def conform(mpich: Stack, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_with_harness(mpich, tmp_path_factory.mktemp("conform"), HERE / "c-vectors" / "conform.c")


def run(program: Path, *words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([program, *map(str, words)], capture_output=True, text=True, timeout=60, check=False)


def test_what_is_made_of_the_catalogue_is_up_to_date() -> None:
    checked = run(Path(sys.executable), HARNESS.parent / "generate.py", "--check")
    assert (checked.returncode, checked.stdout) == (0, ""), f"make catalogue\n{checked.stderr}"


def test_c_understands_the_plan(conform: Path, vectors: Path) -> None:
    lines = (vectors / "plan").read_text().splitlines()
    read = run(conform, "plan", vectors / "plan")
    assert (read.returncode, read.stderr) == (0, "")
    assert read.stdout.splitlines() == [line for line in lines if not line.startswith("start ")]  # it needs none


def test_python_understands_the_plan(vectors: Path) -> None:
    text = (vectors / "plan").read_text()
    plan = parse_plan(text)
    cases = [
        f"case {c.number} {c.benchmark} {c.mode} {c.payload} {c.size} {c.warmup} {c.batches} {c.iterations} {c.events}"
        for c in plan.cases
    ]
    head = ["polympi-plan 2", f"window {plan.window}", f"pages {plan.pages}", f"start {plan.start}"]
    assert [*head, *cases, "end"] == text.splitlines()


@pytest.mark.parametrize("name", REFUSED)
def test_c_refuses_what_is_no_plan(conform: Path, tmp_path: Path, name: str) -> None:
    plan = tmp_path / "plan"
    plan.write_text(REFUSED[name])
    read = run(conform, "plan", plan)
    assert (read.returncode, read.stdout) == (3, "")
    assert read.stderr.startswith(f"The plan '{plan}', line ")
    assert read.stderr.count("\n") == 1


@pytest.mark.parametrize("name", REFUSED)
def test_python_refuses_what_is_no_plan(name: str) -> None:
    with pytest.raises(PlanError, match=r"^The plan .*\.$"):
        parse_plan(REFUSED[name])


def test_messages_in_c_are_those_of_the_vectors_and_no_wrong_byte_is_missed(conform: Path, vectors: Path) -> None:
    messages = vectors / "messages"
    checked = run(conform, "messages", messages)
    assert (checked.returncode, checked.stdout) == (0, f"{len(messages.read_text().splitlines())}\n")


def test_messages_in_python_are_those_of_the_vectors(vectors: Path) -> None:
    for line in (vectors / "messages").read_text().splitlines():
        number, origin, slot, payload, size, *content = line.split(" ")
        case = Case(int(number), "latency", "standard", payload, int(size), 0, 0, 0, 0)
        found = content_of(case, Piece(int(origin), int(slot)))
        assert found == bytes.fromhex(content[0] if content else ""), line


def content_of(case: Case, piece: Piece) -> bytes:
    """A message of the Python harness, laid out as C does."""
    if case.payload == "none":
        return b""
    if case.payload in BUFFERS:
        filled, element = BUFFERS[case.payload]
        return filled(case.size // element, case.number, piece).tobytes()
    return laid_out(make_object(case, piece))


def laid_out(value: object) -> bytes:
    """An object with its parts side by side, as C has them."""
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, dict):
        # Of a map the keys are sent, of a record they are known.
        return b"".join(laid_out(key) * key.startswith("key") + laid_out(part) for key, part in value.items())
    if isinstance(value, list):
        return b"".join(map(laid_out, value))
    if isinstance(value, Instance):
        return laid_out(vars(value))
    return np.asarray(value).tobytes()


def test_samples_in_c_are_written_as_they_stand(conform: Path, vectors: Path, tmp_path: Path) -> None:
    assert run(conform, "samples", vectors / "samples", tmp_path / "samples").returncode == 0
    assert (tmp_path / "samples").read_text() == (vectors / "samples").read_text()


def test_samples_in_python_are_written_as_they_stand(vectors: Path, tmp_path: Path) -> None:
    first, *lines = (vectors / "samples").read_text().splitlines()
    samples = SampleFile(str(tmp_path / "samples"))
    for line in lines:
        kind, *fields = line.split(" ")
        if kind in ("batch", "event"):
            samples.times(kind, int(fields[0]), map(int, fields[1:]))
        elif kind == "end":
            samples.close()
        else:
            samples.record(kind, *fields)
    assert (tmp_path / "samples").read_text().splitlines() == [first, *lines]
