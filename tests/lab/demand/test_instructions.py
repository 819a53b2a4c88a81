"""How many instructions bindings execute outside MPI, counted by callgrind."""

from __future__ import annotations

import shutil

import pytest
from c_program import HERE

from polympi.lab.bindings.manifest import load_bindings
from polympi.lab.catalogue import Case
from polympi.lab.demand.callgrind import outside_mpi
from polympi.lab.demand.instructions import count_instructions, countable, why_not_counted
from polympi.lab.stacks.stack import Stack

PING_PONG = Case("latency", "standard", "bytes", 64)
WINDOW = Case("bandwidth", "standard", "bytes", 64)
# A program that calls MPI, whose progress calls it again through another library.
PROFILE = """\
ob=/opt/bench
fn=main
0 30
cob=/opt/lib/libmpi.so.40
cfn=PMPI_Send
calls=2 0
0 700
cfn=helper
calls=1 0
0 5

ob=/opt/lib/libmpi.so.40
fn=PMPI_Send
0 100
cob=/opt/lib/libopen-pal.so.80
cfn=opal_progress
calls=1 0
0 600

ob=/opt/lib/libopen-pal.so.80
fn=opal_progress
0 400
cob=/opt/lib/libmpi.so.40
cfn=mca_pml_ob1_recv_frag_callback
calls=1 0
0 200

ob=/opt/lib/libmpi.so.40
fn=mca_pml_ob1_recv_frag_callback
0 200

ob=/opt/bench
fn=helper
0 5
"""


def test_what_mpi_executes_is_left_out_also_where_other_libraries_call_it_again() -> None:
    assert outside_mpi(PROFILE.splitlines()) == 35


def test_only_messages_one_after_the_other_are_counted() -> None:
    assert countable([PING_PONG, WINDOW, Case("bcast", "standard", "bytes", 64)]) == [PING_PONG]


def counted(stack: Stack, name: str) -> float:
    """The instructions of a binding for a message of 64 bytes."""
    found = count_instructions(load_bindings([HERE])[name], stack, [PING_PONG])
    assert found.problem == ""
    (one,) = found.counts
    assert (one.stack, one.binding, one.case) == (stack.name, name, PING_PONG)
    return one.own


@pytest.mark.system
def test_c_executes_as_many_instructions_each_time_and_a_planted_delay_more(stack: Stack) -> None:
    if why := why_not_counted():
        pytest.skip(f"{why}: apt install valgrind")
    first, again = (counted(stack, "c") for _ in range(2))
    assert first == pytest.approx(again, rel=0.02)
    assert 4 < first < 200  # at least a call with its arguments, twice
    assert counted(stack, "c-delayed") > 1.5 * first


@pytest.mark.system
def test_a_binding_that_fails_under_valgrind_says_how(mpich: Stack) -> None:
    if shutil.which("valgrind") is None:
        pytest.skip("valgrind is not installed: apt install valgrind")
    found = count_instructions(load_bindings([HERE])["c-crashing"], mpich, [PING_PONG])
    assert found.counts == []
    assert found.problem.startswith("under valgrind it ended with ")
