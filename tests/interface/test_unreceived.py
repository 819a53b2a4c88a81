"""Messages that no rank has received when the program ends: reported whatever their size, and the job fails."""

import pytest
from rank_programs import PRELUDE

from polympi.lab.stacks.stack import Stack

pytestmark = pytest.mark.sanitize


def reports(stderr: str) -> list[str]:
    return sorted(line for line in stderr.splitlines() if line.startswith("[rank "))


SENDS = {
    "send": "c.send({'a': 7}, 1, 11)",
    "isend": "kept = c.isend(7, 1, 11)",
    "bsend": "mpi.buffer_attach(1000); c.bsend(7, 1, 11)",
    "4 KB": "c.send(np.zeros(500), 1, 11)",
    "raw": "c.raw.send(np.zeros(10), 1, 11)",
    "made communicator": "d.send(7, 1, 11)",
    "raw of a made one": "d.raw.send(np.zeros(10), 1, 11)",
    "made raw communicator": "p.send(np.zeros(10), 1, 11)",
    "dropped communicator": "d.send(7, 1, 11)\ndel d",
    "destructor": "class Last:\n    def __del__(self, c=c):\n        c.send(7, 1, 11)\nsys.modules['kept'] = Last()",
}
MADE = "d = c.split(0)\np = c.raw.dup()\n"


@pytest.mark.parametrize("call", SENDS.values(), ids=SENDS)
def test_a_small_message_that_nobody_receives_fails_the_job(run, stack: Stack, call: str) -> None:
    script = f"{PRELUDE}{MADE}if rank == 0:\n" + "\n".join(f"    {line}" for line in call.splitlines())
    ended = run(f"{script}\n", 2, stack)
    assert ended.exit_code == 1, str(ended)
    assert reports(ended.stderr) == ["[rank 1] a message from rank 0 with tag 11 was never received"]


def test_a_message_to_oneself_is_reported(run, stack: Stack) -> None:
    for ranks in (2, None):
        ended = run(PRELUDE + "if rank == 0:\n    c.send(7, 0, 3)\n", ranks, stack)
        assert ended.exit_code == 1, str(ended)
        told = reports(ended.stderr)
        assert len(told) == 1, str(ended)
        assert "tag" in told[0]
        assert told[0].endswith("was never received")


def test_each_receiver_counts_what_was_left_in_ranks_of_the_world(run, stack: Stack) -> None:
    script = """
backwards = c.split(0, -rank)
for number in range(3):
    c.send(number, (rank + 1) % size, 20 + rank)
if rank == 2:
    backwards.send("x", 1, 5)  # rank 1 in both
os._exit(0) if rank == 1 else None
"""
    ended = run(PRELUDE + script, 3, stack)
    assert ended.exit_code == 1, str(ended)
    told = reports(ended.stderr)
    assert "[rank 0] a message from rank 2 with tag 22 and 2 more were never received" in told
    assert any(line.startswith("[rank 1] a message from rank ") and "and 3 more were" in line for line in told), told
    assert "[rank 2] a message from rank 1 with tag 21 and 2 more were never received" in told


def test_data_of_a_plan_that_its_receiver_did_not_start_again_are_reported(run, stack: Stack) -> None:
    script = """
plan, row = c.plan(), np.zeros(4)
plan.send(row, 1) if rank == 0 else plan.recv(row, 0)
plan()
if rank == 0:
    plan()
"""
    ended = run(PRELUDE + script, 2, stack)
    assert ended.exit_code == 1, str(ended)
    assert reports(ended.stderr) == ["[rank 1] a message from rank 0 of a plan was never received"]


def test_finalize_raises_at_the_receiver(run, stack: Stack) -> None:
    script = """
if rank == 0:
    c.send(7, 1, 11)
    mpi.finalize()
else:
    with raises(mpi.StateError, "a message from rank 0 with tag 11 was never received"):
        mpi.finalize()
print("ended")
"""
    ended = run(PRELUDE + script, 2, stack)
    assert ended.succeeded().split() == ["ended"] * 2
    assert reports(ended.stderr) == []


def test_nothing_is_reported_where_all_was_received(run, stack: Stack) -> None:
    script = """
d, p = c.split(0), c.raw.dup()
kept = c.irecv(other, 4)
for comm in (c, d):
    comm.send(7, other, 11)
p.send(np.zeros(10), other, 1)
c.send("taken at the end", other, 4)
for comm in (c, d):
    assert comm.recv(other, 11) == 7
p.recv(np.zeros(10), other, 1)
with contextlib.suppress(mpi.Timeout):
    c.recv(other, 99, timeout=0.05)
kept.wait()
"""
    ended = run(PRELUDE + "import contextlib\n" + script, 2, stack)
    ended.succeeded()
    assert ended.stderr == ""


@pytest.mark.one_host  # over several, MPICH's MPI_Finalize may wait for them for ever
def test_messages_of_mpi4py_are_its_own_affair(run, stack: Stack) -> None:
    script = """
from polympi.mpi4py import MPI
import polympi as mpi
c = MPI.COMM_WORLD
if c.rank == 0:
    c.send(7, 1, 11)
    c.Send(bytearray(8), 1, 12)
"""
    run(script, 2, stack).succeeded()


def test_a_lost_message_of_polympi_fails_a_job_that_mpi4py_has_started(run, stack: Stack) -> None:
    script = """
from mpi4py import MPI
import polympi as mpi
if mpi.world.rank == 0:
    mpi.world.send(7, 1, 11)
"""
    ended = run(script, 2, stack)
    assert ended.exit_code == 1, str(ended)
    assert reports(ended.stderr) == ["[rank 1] a message from rank 0 with tag 11 was never received"]
