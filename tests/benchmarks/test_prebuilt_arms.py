"""What the benchmark of prebuilt C takes out of a wheel, and how it judges."""

import platform
import sys
import zipfile
from pathlib import Path

import polars as pl
import pytest

from polympi.lab.bindings.build import build
from polympi.lab.bindings.manifest import load_bindings
from polympi.lab.errors import UsageError
from polympi.lab.stacks.prebuilt import RUN_PATH, abi_name

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import prebuilt_arms
from prebuilt_arms import DELAYED, PREBUILT


def rows(*verdicts):
    names = ["binding", "benchmark", "size_bytes", "verdict"]
    return prebuilt_arms.missed(pl.DataFrame(verdicts, names, orient="row")).rows()


def test_the_program_of_the_wheel_may_be_neither_slower_nor_faster():
    assert rows((PREBUILT, "latency", 8, "not separated"), (PREBUILT, "bcast", 8, "ambiguous")) == []
    slower, faster = (PREBUILT, "bcast", 8, "slower"), (PREBUILT, "latency", 2**20, "faster")
    assert rows(slower, ("c-again", "latency", 8, "slower"), faster) == [slower, faster]


def test_a_planted_delay_has_to_be_found_in_small_messages():
    missed = (DELAYED, "latency", 8, "not separated")
    assert rows((DELAYED, "latency", 1, "slower"), (DELAYED, "latency", 2**20, "not separated"), missed) == [missed]


@pytest.mark.mpi
def test_the_program_of_the_wheel_is_a_binding_that_loads_the_library_of_the_stack(stack, tmp_path, monkeypatch):
    monkeypatch.setenv("POLYMPI_HOME", str(tmp_path / "home"))
    wheel = tmp_path / "lab.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(f"polympi/lab/prebuilt/{platform.machine()}-{abi_name(stack)}/c/bench", b"in " + RUN_PATH)
    binding = load_bindings([prebuilt_arms.binding_of(wheel, stack, tmp_path)])[PREBUILT]
    program = (build(binding, stack) / "bench").read_bytes()
    assert program.rstrip(b"\0").split(b"in ")[1].split(b":")[0].decode() == str(Path(stack.libmpi).parent)


def test_a_wheel_for_another_processor_is_refused(tmp_path, mpich):
    wheel = tmp_path / "lab.whl"
    zipfile.ZipFile(wheel, "w").close()
    with pytest.raises(UsageError, match="has no program in C"):
        prebuilt_arms.unpacked(wheel, mpich, tmp_path)
