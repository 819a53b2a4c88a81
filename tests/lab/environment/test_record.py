"""The record of this machine: complete, JSON, and quick to make."""

import ctypes
import json
import os
import platform
import shutil
import socket
import subprocess
import sys

import msgspec
import psutil
import pytest

from polympi.lab.environment import single_copy
from polympi.lab.environment.memory import memory_metadata, shared_memory_metadata
from polympi.lab.environment.record import record_environment
from polympi.lab.environment.single_copy import single_copy_metadata, try_reading_a_child
from polympi.lab.environment.software import slurm_metadata, source_metadata

SECTIONS = {
    "date", "host", "command", "cpu", "affinity", "numa", "memory", "shm", "limits", "load_average", "busy",
    "single_copy", "os", "kernel", "slurm", "python", "packages", "source",
}  # fmt: skip


@pytest.fixture(scope="module")
def environment():
    return record_environment(command=["polympi", "run"])


def test_the_record_is_json_and_comes_back_equal(environment):
    assert set(environment) == SECTIONS
    assert msgspec.json.decode(msgspec.json.encode(environment)) == environment
    assert json.loads(json.dumps(environment)) == environment


def test_facts_of_this_machine(environment):
    assert environment["command"] == ["polympi", "run"]
    assert environment["memory"]["total_bytes"] == psutil.virtual_memory().total
    assert environment["affinity"]["count"] == len(os.sched_getaffinity(0))
    assert environment["kernel"]["release"] == platform.release()
    with socket.socket() as new:
        algorithm = new.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(b"\0").decode()
    assert environment["kernel"]["tcp_congestion_control"] == algorithm
    assert environment["python"]["version"] == platform.python_version()
    assert environment["packages"]["polympi"] is not None
    assert environment["load_average"]["one_minute"] >= 0


def test_single_copy_was_really_tried(environment):
    works, reason = environment["single_copy"]["works"], environment["single_copy"]["reason"]
    assert works in (True, False)
    assert (reason is None) == works


def test_a_refused_read_has_a_reason(monkeypatch):
    def refuse(*_):
        ctypes.set_errno(1)
        return -1

    monkeypatch.setattr(single_copy.ctypes, "CDLL", lambda *_, **__: type("C", (), {"process_vm_readv": refuse}))
    assert try_reading_a_child() == (False, "EPERM")


def test_a_system_without_the_call_is_unknown_not_refused(monkeypatch):
    monkeypatch.setattr(single_copy.ctypes, "CDLL", lambda *_, **__: object())
    assert try_reading_a_child() == (None, "the system has no process_vm_readv")


def test_no_child_is_left_behind():
    before = set(psutil.Process().children(recursive=True))
    try_reading_a_child()
    assert set(psutil.Process().children(recursive=True)) <= before


def test_a_child_that_does_not_start_is_unknown(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    works, reason = try_reading_a_child()
    assert works is None
    assert reason.startswith("no child could be started")


def test_yama_s_setting_is_read(tmp_path):
    (tmp_path / "proc/sys/kernel/yama").mkdir(parents=True)
    (tmp_path / "proc/sys/kernel/yama/ptrace_scope").write_text("2\n")
    assert single_copy_metadata(tmp_path)["ptrace_scope"] == 2


def test_huge_page_settings(tmp_path):
    pages = tmp_path / "sys/kernel/mm/transparent_hugepage"
    pages.mkdir(parents=True)
    (pages / "enabled").write_text("always madvise [never]\n")
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/meminfo").write_text("HugePages_Total:      12\nHugepagesize:       2048 kB\n")
    metadata = memory_metadata(tmp_path)
    assert metadata["transparent_hugepages"] == "never"
    assert metadata["transparent_hugepages_of_shared_memory"] is None
    assert (metadata["reserved_hugepages"], metadata["hugepage_size_bytes"]) == (12, 2097152)


def test_a_missing_shared_memory_is_none(tmp_path):
    assert shared_memory_metadata(tmp_path / "nothing") == {"size_bytes": None, "free_bytes": None, "writable": False}


def test_slurm_is_none_outside_of_a_job_and_only_known_variables_inside():
    assert slurm_metadata({"SLURM_NTASKS": "4"}) is None
    inside = {"SLURM_JOB_ID": "7", "SLURM_NTASKS": "4", "SLURM_SOMETHING": "x", "HOME": "/root"}
    assert slurm_metadata(inside) == {"job_id": "7", "ntasks": "4"}


def test_the_commit_of_a_checkout_and_its_changes(tmp_path):
    if shutil.which("git") is None:
        pytest.skip("git is not installed: apt-get install git")

    def git(*arguments):
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
        command = ["git", "-C", str(tmp_path), *identity, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    (tmp_path / "__init__.py").write_text("1\n")
    git("init", "-q")
    assert source_metadata(tmp_path) == {"commit": None, "changed": None}  # not tracked
    git("add", "__init__.py")
    git("commit", "-q", "-m", "one")
    assert source_metadata(tmp_path) == {"commit": git("rev-parse", "HEAD"), "changed": False}
    (tmp_path / "__init__.py").write_text("2\n")
    assert source_metadata(tmp_path)["changed"] is True


def test_no_checkout_no_commit(tmp_path, monkeypatch):
    assert source_metadata(tmp_path) == {"commit": None, "changed": None}
    monkeypatch.setenv("PATH", str(tmp_path))
    assert source_metadata() == {"commit": None, "changed": None}
