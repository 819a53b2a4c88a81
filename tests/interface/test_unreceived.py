"""Messages that no rank has received when the program ends: reported whatever their size, and the job fails."""

import pytest
from rank_programs import PRELUDE, Case, cases

pytestmark = pytest.mark.sanitize

# Small messages, each sent in its way: all are counted.
SENDS = """
d, p = c.split(0), c.raw.dup()
class Last:
    def __del__(self, c=c):
        c.send(7, 1, 11)
if rank == 0:
    mpi.buffer_attach(1000)
    c.send({"a": 7}, 1, 11)
    kept = c.isend(7, 1, 11)
    c.bsend(7, 1, 11)
    c.send(np.zeros(500), 1, 11)
    for comm in c.raw, d, d.raw, p:
        comm.send(np.zeros(10), 1, 11)
    del comm, d
    sys.modules["kept"] = Last()
"""
NEVER = "[rank 1] a message from rank 0 with tag 11 was never received"
UNRECEIVED = {
    "sent in all ways": Case(SENDS, said=[NEVER.replace("was", "and 8 more were")], code=1),
    "one": Case("if rank == 0:\n    c.send(7, 1, 11)\n", said=[NEVER], code=1),
    "in a job that mpi4py has started": Case(
        "from mpi4py import MPI\nimport polympi as mpi\nif mpi.world.rank == 0:\n    mpi.world.send(7, 1, 11)\n",
        said=[NEVER],
        code=1,
    ),
    "data of a plan that its receiver did not start again": Case(
        """
plan, row = c.plan(), np.zeros(4)
plan.send(row, 1) if rank == 0 else plan.recv(row, 0)
plan()
if rank == 0:
    plan()
""",
        said=["[rank 1] a message from rank 0 of a plan was never received"],
        code=1,
    ),
    "nothing is reported where all was received": Case(
        """
d, p, kept = c.split(0), c.raw.dup(), c.irecv(other, 4)
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
""",
        said=[],
    ),
}


@cases(UNRECEIVED)
def test_a_message_that_nobody_receives_fails_the_job(run, stack, case: Case) -> None:
    case.check(run, stack, "" if "mpi4py" in case.script else PRELUDE)


def test_a_message_to_oneself_is_reported(run, stack) -> None:
    for ranks in (2, None):
        ended = run(PRELUDE + "if rank == 0:\n    c.send(7, 0, 3)\n", ranks, stack)
        assert ended.exit_code == 1, str(ended)
        assert len(ended.said) == 1, str(ended)
        assert "tag" in ended.said[0]
        assert ended.said[0].endswith("was never received")


def test_each_receiver_counts_what_was_left_in_ranks_of_the_world(run, stack) -> None:
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
    said = ended.said
    assert "[rank 0] a message from rank 2 with tag 22 and 2 more were never received" in said
    assert any(line.startswith("[rank 1] a message from rank ") and "and 3 more were" in line for line in said), said
    assert "[rank 2] a message from rank 1 with tag 21 and 2 more were never received" in said


def test_finalize_raises_at_the_receiver(run, stack) -> None:
    script = """
if rank == 0:
    c.send(7, 1, 11)
    mpi.finalize()
else:
    with raises(mpi.StateError, "a message from rank 0 with tag 11 was never received"):
        mpi.finalize()
print("ended")
"""
    assert run(PRELUDE + script, 2, stack).ends(words="ended ended").said == []


@pytest.mark.one_host  # over several, MPICH's MPI_Finalize may wait for them forever
def test_messages_of_mpi4py_are_its_own_affair(run, stack) -> None:
    script = """
from polympi.mpi4py import MPI
import polympi as mpi
c = MPI.COMM_WORLD
if c.rank == 0:
    c.send(7, 1, 11)
    c.Send(bytearray(8), 1, 12)
"""
    run(script, 2, stack).succeeded()
