"""Receiving into memory of the program's own: what fits, what does not, and that a refused message harms no other."""

import pytest
from rank_programs import PRELUDE

pytestmark = pytest.mark.sanitize


def test_memory_that_changes_under_a_receive_harms_no_sender(run_in_job, stack) -> None:
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


@pytest.mark.parametrize(
    "program",
    [
        "every_layout",
        "any_memory",
        "fewer_elements",
        "refused",
        "not_writable",
        "overlapping",
        "untrue_lengths",
    ],
)
def test_receives_into_memory(run_in_job, stack, program: str) -> None:
    run_in_job(f"into/{program}.py", 2, stack)
