"""Ranks that fail, fork, or end with messages in flight: the job ends, says why, and never hangs."""

import pytest
from rank_programs import PRELUDE, Case, cases

pytestmark = pytest.mark.sanitize

BEGIN = PRELUDE + "big = np.arange(10**6)\n"


def test_an_exception_ends_the_job_whatever_the_others_wait_for(run, stack) -> None:
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
        ended = run(BEGIN + script, 4, stack, arguments=[str(first)])
        assert ended.exit_code == 1, str(ended)
        lines = [line for line in ended.stderr.splitlines() if line.startswith("[rank ")]
        assert lines[0] == "[rank 0] Traceback (most recent call last):", str(ended)
        assert lines[-1] == "[rank 0] KeyError: 'halo'"
        assert len(lines) <= 5
        assert ended.stderr.count("Traceback") == 1


AT_THE_END = {
    "messages in flight are reported": Case(  # rank 1 neither sends nor receives anything
        """
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
""",
        said=[
            "[rank 0] bsend(dest=1, tag=4) was never received",
            "[rank 0] irecv(source=1, tag=6) got no message",
            "[rank 0] irecv(source=ANY_SOURCE, tag=ANY_TAG) got no message",
            "[rank 0] isend(dest=1, tag=1) was never received",
            "[rank 0] isend(dest=1, tag=2) was never received",
            "[rank 0] issend(dest=1, tag=3) was never received",
            "[rank 0] send(dest=1, tag=5) was never received",
        ],
        code=1,
    ),
    "messages that arrive then are not reported": Case(
        """
kept = [c.isend(big, other, 1), c.isend(5, other, 2), c.issend("z" * 9000, other, 3)]
kept += [c.irecv(other, 3), c.irecv(other, 2), c.irecv(other, 1)]
c.isend([big, "x" * 9000], other, 4)
kept.append(c.irecv(other, 4))
c.isend(np.zeros(10**5), other, 5)
kept.append(c.irecv(other, 5, into=np.zeros(3)))  # too large for it, which nobody asks about
in_turn()
""",
        said=[],
    ),
    "finalize refuses where all are at their end and messages not received": Case(
        """
if rank == 0:
    kept, posted = c.issend("late", 1, 1), c.irecv(1, 9)
    with raises(mpi.StateError, MESSAGES_PENDING):
        mpi.finalize()
    print("refused", flush=True)
    sys.exit()
mpi.finalize()
""",
        "refused",
        ["[rank 0] irecv(source=1, tag=9) got no message", "[rank 0] issend(dest=1, tag=1) was never received"] * 2,
        code=1,
    ),
    "after it every call is an error": Case(
        """
done = c.irecv(other), c.isend(big, other)
assert same(mpi.wait_all(done), [big, None])
under_way = c.irecv(other, 6)
twin = mpi.world.dup()
p = c.raw
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
    lambda: p.send(np.zeros(1), 0), p.barrier, p.dup, lambda: p.handle, p.iprobe,
]
for call in CALLS:
    with raises(mpi.StateError, FINALISED):
        call()
assert repr(c) == f"<Communicator, rank {rank} of {size}>" and (c.rank, c.size) == (rank, size) and mpi.world is c
del done, under_way, twin
gc.collect()
""",
        said=[f"[rank {rank}] irecv(source={1 - rank}, tag=6) got no message" for rank in range(2)],
    ),
}


@cases(AT_THE_END)
def test_the_end(run, stack, case: Case) -> None:
    case.check(run, stack, BEGIN)


def test_a_forked_child_leaves_the_messages_of_its_parent_alone(run, stack) -> None:
    script = """
kept = c.irecv(other, 1), c.isend(big, other, 2), c.irecv(other, 2, into=np.empty_like(big))
end, code = sys.argv[1:]
child = os.fork()
if child == 0:
    forked = "MPI does not work in a forked child: start other programs with subprocess"
    for call in (lambda: c.send(1, other), c.recv, c.irecv, c.iprobe, c.dup, kept[0].wait, kept[1].test,
                 lambda: mpi.wait_all(kept), c.free, lambda: c.isend(1, other), lambda: mpi.abort(4)):
        with raises(mpi.StateError, forked):
            call()
    if end == "error":
        c.barrier()
    del kept
    gc.collect()
    sys.exit(7) if end == "exit" else os._exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == int(code)
in_turn()
c.send("first", other, 1)
assert same(mpi.wait_all(kept), ["first", None, big])
"""
    for end, code in ("exit", "7"), ("_exit", "7"), ("error", "1"):
        ended = run(BEGIN + script, 2, stack, arguments=[end, code])
        ended.succeeded()
        assert ended.stderr.count("StateError: ") == (2 if end == "error" else 0), str(ended)
        assert end == "error" or ended.stderr == ""
