"""Receiving into memory of the program's own: what fits, what does not, and that a refused message harms no other."""

from __future__ import annotations

from pathlib import Path

import pytest
from rank_programs import PRELUDE

from polympi.lab.stacks.stack import Stack

pytestmark = [pytest.mark.mpi, pytest.mark.sanitize]

PROGRAMS = Path(__file__).parent / "programs" / "into"


def test_arrays_of_every_layout_go_into_arrays_of_every_layout(run_in_job, stack: Stack) -> None:
    run_in_job(PROGRAMS / "every_layout.py", 2, stack)


def test_any_memory_takes_bytes_and_elements_of_its_type(run_in_job, stack: Stack) -> None:
    run_in_job(PROGRAMS / "any_memory.py", 2, stack)


def test_fewer_elements_fill_the_first_ones_of_one_axis(run_in_job, stack: Stack) -> None:
    run_in_job(PROGRAMS / "fewer_elements.py", 2, stack)


def test_what_does_not_fit_is_refused_and_harms_no_other_message(run_in_job, stack: Stack) -> None:
    run_in_job(PROGRAMS / "refused.py", 2, stack)


def test_what_cannot_be_written_to_is_refused_and_leaves_no_sender_behind(run_in_job, stack: Stack) -> None:
    run_in_job(PROGRAMS / "not_writable.py", 2, stack)


def test_memory_that_changes_under_a_receive_harms_no_sender(run_in_job, stack: Stack) -> None:
    script = """
if rank == 0:
    in_turn()
    c.send(np.arange(10**5), 1, 1, timeout=60)
    c.send("after", 1, 1)
else:
    into = np.zeros(10**5)
    request = c.irecv(0, 1, into=into)
    into.flags.writeable = False
    in_turn()
    with raises(mpi.MismatchError):
        request.wait()
    assert c.recv(0, 1) == "after" and not into.any()
"""
    run_in_job(PRELUDE + script, 2, stack)


def test_sendrecv_sends_what_was_there_before_it_received(run_in_job, stack: Stack) -> None:
    run_in_job(PROGRAMS / "overlapping.py", 2, stack)


def test_structures_go_into_arrays_of_the_same_fields_whatever_is_said_about_them(run_in_job, stack: Stack) -> None:
    run_in_job(PROGRAMS / "structures.py", 2, stack)
