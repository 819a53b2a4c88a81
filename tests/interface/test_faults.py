"""Ranks that fail, fork, or end with messages in flight: the job ends, says why, and never hangs."""

import pytest
from rank_programs import PRELUDE

from polympi.lab.stacks.stack import Stack

pytestmark = pytest.mark.sanitize

BIG = "big = np.arange(10**6)\n"


def sentences(stderr: str) -> list[str]:
    """What polympi said, sorted; launchers and MPI libraries have their own words."""
    return sorted(line for line in stderr.splitlines() if line.startswith("[rank "))


def test_a_killed_rank_ends_the_job(run, stack: Stack) -> None:
    script = """
in_turn()
if rank == 1:
    os.kill(os.getpid(), 9)
[lambda: c.recv(1), lambda: c.send(big, 1), lambda: c.barrier()][rank % 3]()
print("went on", rank)
"""
    ended = run(PRELUDE + BIG + script, 3, stack)
    assert ended.exit_code not in (0, None), str(ended)
    assert "went on" not in ended.stdout


def test_an_exception_ends_the_job_whatever_the_others_wait_for(run, stack: Stack) -> None:
    script = """
in_turn()
if rank == 0:
    kept = c.isend(big, 1, 5), c.irecv(1, 5)
    c.isend(big, 2, 5)
    raise KeyError("halo")
WAITS = [
    lambda: c.recv(0, 1), lambda: c.ssend(1, 0, 1), lambda: c.send(big, 0, 1), lambda: c.probe(0, 1), c.barrier,
    lambda: mpi.wait_any([c.irecv(0, 1)]), lambda: mpi.wait_all([c.issend(1, 0, 1)]), lambda: c.dup(),
]
WAITS[int(sys.argv[1]) + rank]()
"""
    for first in (-1, 2, 4):
        ended = run(PRELUDE + BIG + script, 4, stack, arguments=[str(first)])
        assert ended.exit_code == 1, str(ended)
        said = [line for line in ended.stderr.splitlines() if line.startswith("[rank ")]
        assert said[0] == "[rank 0] Traceback (most recent call last):", str(ended)
        assert said[-1] == "[rank 0] KeyError: 'halo'"
        assert len(said) <= 5
        assert ended.stderr.count("Traceback") == 1


def test_messages_in_flight_at_the_end_are_reported(run, stack: Stack) -> None:
    # Rank 1 neither sends nor receives anything.
    script = """
if rank == 0:
    kept = c.isend(big, 1, 1)
    c.isend([big, "x"], 1, 2)
    small = c.issend("small", 1, 3)
    mpi.buffer_attach(10**7)
    c.bsend(big, 1, 4)
    with raises(mpi.Timeout):
        c.send(big, 1, 5, timeout=0.01)
    posted = c.irecv(1, 6), c.irecv(into=np.zeros(3))
    c.irecv(1, 8)  # dropped, and so given up
    with raises(mpi.Timeout):
        c.recv(1, 7, timeout=0.01)
"""
    ended = run(PRELUDE + BIG + script, 2, stack)
    assert ended.exit_code == 1, str(ended)
    assert sentences(ended.stderr) == [
        "[rank 0] bsend(dest=1, tag=4) was never received",
        "[rank 0] irecv(source=1, tag=6) got no message",
        "[rank 0] irecv(source=ANY_SOURCE, tag=ANY_TAG) got no message",
        "[rank 0] isend(dest=1, tag=1) was never received",
        "[rank 0] isend(dest=1, tag=2) was never received",
        "[rank 0] issend(dest=1, tag=3) was never received",
        "[rank 0] send(dest=1, tag=5) was never received",
    ]


def test_messages_that_arrive_at_the_very_end_are_not_reported(run, stack: Stack) -> None:
    script = """
kept = [c.isend(big, other, 1), c.isend(5, other, 2), c.issend("z" * 9000, other, 3)]
kept += [c.irecv(other, 3), c.irecv(other, 2), c.irecv(other, 1)]
c.isend([big, "x" * 9000], other, 4)
kept.append(c.irecv(other, 4))
c.isend(np.zeros(10**5), other, 5)
kept.append(c.irecv(other, 5, into=np.zeros(3)))  # too large for it, which nobody asks about
in_turn()
"""
    ended = run(PRELUDE + BIG + script, 2, stack)
    ended.succeeded()
    assert ended.stderr == ""


def test_finalize_refuses_where_all_are_at_their_end_and_messages_not_received(run, stack: Stack) -> None:
    script = """
if rank == 0:
    kept, posted = c.issend("late", 1, 1), c.irecv(1, 9)
    with raises(mpi.StateError, MESSAGES_PENDING):
        mpi.finalize()
    print("refused", flush=True)
    sys.exit()
mpi.finalize()
"""
    ended = run(PRELUDE + script, 2, stack)
    assert ended.exit_code == 1, str(ended)
    assert ended.stdout.split() == ["refused"]
    assert set(sentences(ended.stderr)) == {
        "[rank 0] irecv(source=1, tag=9) got no message",
        "[rank 0] issend(dest=1, tag=1) was never received",
    }


def test_after_the_end_every_call_is_an_error(run, stack: Stack) -> None:
    script = """
done = c.irecv(other), c.isend(big, other)
assert same(mpi.wait_all(done), [big, None])
under_way = c.irecv(other, 6)
twin = mpi.world.dup()
mpi.finalize()
mpi.finalize()
assert same(done[0].wait(), big) and done[1].test() and done[0].cancel() is False
CALLS = [
    *(lambda name=name: getattr(c, name)(1, other) for name in
      ("send", "ssend", "rsend", "bsend", "isend", "issend", "irsend", "ibsend", "sendrecv")),
    c.recv, c.irecv, c.probe, c.iprobe, c.dup, c.free, c.barrier, twin.recv, twin.free, lambda: c.split(0),
    lambda: c.send(1, mpi.PROC_NULL), lambda: c.recv(mpi.PROC_NULL), lambda: c.recv(into=np.zeros(3)),
    under_way.wait, under_way.test, lambda: mpi.wait_all([under_way]), lambda: mpi.wait_any([under_way]),
    lambda: mpi.buffer_attach(10), mpi.thread_level,
]
for call in CALLS:
    with raises(mpi.StateError, FINALISED):
        call()
assert repr(c) == f"<Communicator, rank {rank} of {size}>" and (c.rank, c.size) == (rank, size) and mpi.world is c
del done, under_way, twin
gc.collect()
"""
    ended = run(PRELUDE + BIG + script, 2, stack)
    ended.succeeded()
    assert sentences(ended.stderr) == [
        f"[rank {rank}] irecv(source={1 - rank}, tag=6) got no message" for rank in range(2)
    ]


def test_a_forked_child_leaves_the_messages_of_its_parent_alone(run, stack: Stack) -> None:
    script = """
kept = c.irecv(other, 1), c.isend(big, other, 2), c.irecv(other, 2, into=np.empty_like(big))
child = os.fork()
if child == 0:
    forked = "MPI does not work in a forked child: start other programs with subprocess"
    for call in (lambda: c.send(1, other), c.recv, c.irecv, c.iprobe, c.dup, kept[0].wait, kept[1].test,
                 lambda: mpi.wait_all(kept), c.free, lambda: c.isend(1, other), lambda: mpi.abort(4)):
        with raises(mpi.StateError, forked):
            call()
    del kept
    gc.collect()
    sys.exit(7) if os.environ["END"] == "exit" else os._exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
in_turn()
c.send("first", other, 1)
assert same(mpi.wait_all(kept), ["first", None, big])
"""
    for end in ("exit", "_exit"):
        ended = run(PRELUDE + BIG + script, 2, stack, env={"END": end})
        ended.succeeded()
        assert ended.stderr == ""
