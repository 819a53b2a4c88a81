"""The checks before anything is measured."""

import io
from collections import namedtuple

import pytest
from rich.console import Console

from polympi.lab.environment import doctor
from polympi.lab.environment.doctor import Check, diagnose, print_checks

QUIET = {
    "affinity": {"count": 4, "cores": 4},
    "memory": {"available_bytes": 16 * 10**9, "transparent_hugepages": "always"},
    "limits": {"cgroup": 2, "cpu_quota_cpus": None, "memory_bytes": None},
    "cpu": {"governor": "performance", "virtual_machine": False},
    "load_average": {"one_minute": 0.0},
    "single_copy": {"works": True},
    "shm": {"size_bytes": 10**9, "free_bytes": 10**9},
}
Usage = namedtuple("Usage", "total used free")


def checks(folder, environment=QUIET, **options):
    return {c.name: c for c in diagnose(environment=environment, stacks_folder=folder, **options)}


def test_a_machine_that_can_build_is_well(tmp_path, monkeypatch):
    monkeypatch.setattr(doctor, "left_behind", lambda _: [])
    found = checks(tmp_path)
    assert list(found) == ["python", "venv", "C compiler", "make", "disk", "memory"]
    assert found["C compiler"].status == "ok", found["C compiler"]
    assert found["python"].status == "ok"


def test_extra_checks_come_last_and_are_made_after_the_machine_was_looked_at(tmp_path, monkeypatch):
    order = []
    monkeypatch.setattr(doctor, "record_environment", lambda: order.append("machine") or QUIET)

    def more():
        order.append("extra")
        yield Check("stack mpich", "ok", "two ranks ran")

    found = diagnose(more(), stacks_folder=tmp_path)
    assert found[-1].name == "stack mpich"
    assert order == ["machine", "extra"]


def test_findings_about_the_machine_are_checks(tmp_path):
    environment = {**QUIET, "load_average": {"one_minute": 3.0}, "cpu": {"governor": None, "virtual_machine": True}}
    found = checks(tmp_path, environment)
    assert found["Other processes compete"].status == "warning"
    assert found["Virtual machine"].status == "note"
    assert checks(tmp_path, ranks=5)["Oversubscribed"].status == "warning"


def test_this_machine_is_recorded_unless_a_record_is_given(tmp_path, monkeypatch):
    monkeypatch.setattr(doctor, "record_environment", lambda: {**QUIET, "load_average": {"one_minute": 9.0}})
    assert "9.00" in checks(tmp_path, None)["Other processes compete"].text


def test_too_little_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda _: Usage(10**9, 9 * 10**8, 10**8))
    disk = checks(tmp_path / "not" / "there" / "yet")["disk"]
    assert disk.status == "problem"
    assert "100 MB are free" in disk.text


@pytest.mark.parametrize(
    ("available", "limit", "status"),
    [(16 * 10**9, None, "ok"), (10**9, None, "warning"), (16 * 10**9, 10**9, "warning"), (None, None, "warning")],
)
def test_memory_for_the_buffers_of_two_ranks(tmp_path, available, limit, status):
    # 2 ranks x (64 to send + 64 to receive) x 4 MiB = 1 GiB
    environment = {**QUIET, "memory": {"available_bytes": available}, "limits": {"memory_bytes": limit}}
    assert checks(tmp_path, environment)["memory"].status == status


def test_without_a_compiler_the_advice_says_how_to_get_one(tmp_path, monkeypatch):
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    found = checks(tmp_path)
    assert found["C compiler"].status == "problem"
    assert "ziglang" in found["C compiler"].advice
    assert found["make"].status == "warning"
    monkeypatch.setattr("polympi.lab.environment.doctor.PREBUILT", tmp_path)  # an installed laboratory brings C
    assert checks(tmp_path)["C compiler"].status == "note"


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("echo 'smallest.c:1: no stdio.h' >&2; exit 1", "no stdio.h"),
        ("exit 4", "exited with code 4"),
        ("exit 0", "no such file"),  # builds nothing
    ],
)
def test_a_compiler_that_does_not_compile_is_a_problem(tmp_path, monkeypatch, script, words):
    compiler = tmp_path / "brokencc"
    compiler.write_text(f"#!/bin/sh\n{script}\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("CC", f"{compiler} -O2")
    found = checks(tmp_path)["C compiler"]
    assert found.status == "problem"
    assert words in found.text


def test_a_python_without_ensurepip_cannot_make_stacks(tmp_path, monkeypatch):
    real = doctor.importlib.util.find_spec
    monkeypatch.setattr(doctor.importlib.util, "find_spec", lambda n: None if n == "ensurepip" else real(n))
    venv = checks(tmp_path)["venv"]
    assert venv.status == "problem"
    assert "python3-venv" in venv.advice


def test_an_old_python_is_a_problem(tmp_path, monkeypatch):
    monkeypatch.setattr(doctor.sys, "version_info", (3, 9, 2, "final", 0))
    python = checks(tmp_path)["python"]
    assert (python.status, python.text) == ("problem", "Python 3.9.2 is too old.")


def test_checks_are_printed_with_their_advice_and_without_markup():
    stream = io.StringIO()
    printed = [
        Check("one", "ok", "It is [bold]well[/bold]."),
        Check("two", "warning", "It is slow.", "Try this."),
        Check("three", "problem", "It is broken.", "Mend it."),
    ]
    print_checks(printed, Console(file=stream, width=40))
    lines = stream.getvalue().splitlines()
    assert lines[0].endswith("one  It is [bold]well[/bold].")
    assert lines[1:3] == ["! two  It is slow.", "  Try this."]
    assert lines[3].endswith("three  It is broken.")
    assert lines[4] == "  Mend it."


def test_a_terminal_without_unicode_gets_plain_signs():
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    print_checks([Check("one", "ok", "Well."), Check("two", "problem", "Broken.")], Console(file=stream, width=40))
    stream.flush()
    assert stream.buffer.getvalue().decode() == "+ one  Well.\nx two  Broken.\n"
