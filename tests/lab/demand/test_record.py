"""What bindings ask of MPI, counted in launches and by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from c_program import HERE

from polympi.lab.bindings.build import build
from polympi.lab.bindings.manifest import load_bindings
from polympi.lab.catalogue import Case
from polympi.lab.demand.payload import payload_difference
from polympi.lab.demand.record import Recorded, record_demands
from polympi.lab.demands import Demand
from polympi.lab.launch.launcher import Arm, Place, Setting
from polympi.lab.stacks.stack import Stack

PING_PONG = Case("latency", "standard", "bytes", 64)
INTEGER = Case("latency", "standard", "int", 8)
DICTIONARY = Case("latency", "standard", "dict", 24)
WINDOW = Case("bandwidth", "standard", "bytes", 64)
EVERY_RANK = Case("gather", "standard", "bytes", 64)
SUM = Case("allreduce", "standard", "float64", 64)
CASES = [PING_PONG, INTEGER, DICTIONARY, WINDOW, EVERY_RANK, SUM]


def recorded(stack: Stack, folder: Path, name: str, cases: list[Case] = CASES) -> Recorded:
    """The demands of a binding in those cases that it covers, on two ranks."""
    binding = load_bindings([HERE])[name]
    covered = [case for case in cases if binding.why_not(case) is None]
    setting = Setting(2, None, 2, folder)
    return record_demands(Place(0), Arm(binding, build(binding, stack)), stack, covered, setting, timeout_s=120)


def demands(stack: Stack, folder: Path, name: str) -> dict[Case, Demand]:
    found = recorded(stack, folder, name)
    assert found.problem == ""
    return {demand.case: demand for demand in found.demands}


def test_c_asks_for_what_its_loops_say(stack: Stack, tmp_path: Path) -> None:
    found = demands(stack, tmp_path, "c")
    assert list(found) == CASES
    assert all(demand.same for demand in found.values())
    for rank in found[PING_PONG].ranks:
        assert (rank.calls, rank.messages) == ({"MPI_Send": 1, "MPI_Recv": 1}, {64: 1})
    sender, receiver = found[WINDOW].ranks
    assert (sender.calls, sender.messages) == ({"MPI_Isend": 64, "MPI_Recv": 1, "MPI_Waitall": 1}, {64: 64})
    assert (receiver.calls, receiver.messages) == ({"MPI_Irecv": 64, "MPI_Send": 1, "MPI_Waitall": 1}, {1: 1})
    for case, name in ((EVERY_RANK, "MPI_Gather"), (SUM, "MPI_Allreduce")):
        for rank in found[case].ranks:
            assert (rank.calls, rank.messages, rank.collective_bytes) == ({name: 1}, {}, {name: 64})


def test_a_python_object_takes_a_probe_and_its_pickle(mpich: Stack, tmp_path: Path) -> None:
    found = demands(mpich, tmp_path, "mpi4py-object")
    asked = {"MPI_Send_c": 1, "MPI_Mprobe": 1, "MPI_Get_count_c": 1, "MPI_Mrecv_c": 1}
    for case, size in ((INTEGER, 20), (DICTIONARY, 61)):  # of pickle, protocol 5
        assert [(rank.calls, rank.messages) for rank in found[case].ranks] == [(asked, {size: 1})] * 2
    first = found[EVERY_RANK].ranks[0].collective_bytes
    assert first["MPI_Gather_c"] == 8  # two integers: the sizes, before the pickles
    assert first["MPI_Gatherv_c"] > 64


def test_polympi_sends_eight_bytes_with_an_array_and_shares_memory_in_collectives(
    mpich: Stack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLYMPI_WAIT", "spin")  # on a busy machine ranks sleep, and waking them takes a call more
    found = demands(mpich, tmp_path, "polympi")
    for rank in found[PING_PONG].ranks:
        assert rank.messages == {72: 1}
        assert rank.calls == {"MPI_Isend": 1, "MPI_Irecv": 1, "MPI_Test": 2}
    assert [rank.calls for rank in found[EVERY_RANK].ranks] == [{}, {}]


def test_a_planted_arm_that_sends_less_once_it_is_timed_does_not_move_the_same_payload(
    mpich: Stack, tmp_path: Path
) -> None:
    of_c, short = demands(mpich, tmp_path, "c"), demands(mpich, tmp_path, "c-short")
    assert payload_difference(of_c[PING_PONG], of_c[PING_PONG]) == ""
    words = "rank 0 moves 1 bytes per iteration, and C moves 64"
    assert payload_difference(of_c[PING_PONG], short[PING_PONG]) == words
    assert payload_difference(of_c[SUM], short[SUM]) == ""


@pytest.mark.parametrize(
    ("name", "problem"),
    [("c-rubbish", "its output does not follow the protocol"), ("c-crashing", "it ended with")],
)
def test_a_launch_that_fails_says_why_there_are_no_demands(
    mpich: Stack, tmp_path: Path, name: str, problem: str
) -> None:
    found = recorded(mpich, tmp_path, name, [PING_PONG, SUM])
    assert found.demands == []
    assert found.problem.startswith(problem)
