"""Receivers without memory for a message: they say so, and they and their partners go on."""

import pytest
from rank_programs import PRELUDE

# Rank 1 may take little more address space than it has; rank 0 sends what is larger.
LIMITED = """
import resource

MB = 1 << 20
big = np.zeros(100 * MB, "u1")
c.barrier()
c.sendrecv(np.zeros(10**4), other, source=other)
SENT = [
    big, big.tobytes(), [big[: 40 * MB]] * 3, big[::2], "x" * (100 * MB), bytearray(big), [np.zeros(600)] * 3 + [big],
    list(range(5 * MB)), [list(range(4 * MB)), big],
]
if rank == 1:
    del big
    SENT = len(SENT)
    gc.collect()
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + 30 * MB, resource.RLIM_INFINITY))

def freely():
    if rank == 1:
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
"""


@pytest.mark.slow
def test_a_receiver_without_memory_says_so_and_its_sender_gets_on(run, stack) -> None:
    script = """
if rank == 0:
    for number, sent in enumerate(SENT):
        c.send(sent, 1, 1, timeout=30)
        assert c.sendrecv(sent, 1, 1, 1, 2, timeout=30) == number
        c.send(("after", number), 1, 1)
else:
    for number in range(SENT):
        with raises(MemoryError):
            c.recv(0, 1)
        with raises(MemoryError):
            c.sendrecv(number, 0, 2, 0, 1)
        assert c.recv(0, 1) == ("after", number)
    freely()
assert np.array_equal(c.sendrecv(np.arange(10**6), other, source=other), np.arange(10**6))
in_turn()
assert c.iprobe() is None
"""
    run(PRELUDE + LIMITED + script, 2, stack).succeeded()


def test_a_request_without_memory_fails_when_it_is_waited_for(run, stack) -> None:
    script = """
if rank == 0:
    sent = c.isend(SENT[0], 1, 1), c.isend(SENT[1], 1, 2), c.isend("small", 1, 3)
    mpi.wait_all(sent, timeout=30)
else:
    requests = [c.irecv(0, tag) for tag in (1, 2, 3)]
    unasked = c.irecv(0, 4)
    for request in requests[:2]:
        with raises(MemoryError):
            request.wait()
    assert requests[2].wait() == "small"
    freely()
c.send(SENT[0], 1, 4, timeout=30) if rank == 0 else c.recv(0, 5)
c.send("end", 1, 5) if rank == 0 else None
"""
    run(PRELUDE + LIMITED + script, 2, stack).succeeded()


COLLECTIVE = """
def collective(call, fails):
    if fails:
        with raises(MemoryError):
            call()
    else:
        call()
"""


def test_pieces_of_collectives_without_memory(run, stack) -> None:
    script = """
collective(lambda: c.gather(SENT[0] if rank == 0 else "small", root=1, timeout=30), rank == 1)
collective(lambda: c.scatter([5, SENT[0]] if rank == 0 else None, timeout=30), rank == 1)
collective(lambda: c.alltoall([5, SENT[0]] if rank == 0 else [5, 6], timeout=30), rank == 1)
collective(lambda: c.allgather(SENT[0] if rank == 0 else 5, timeout=30), rank == 1)
assert c.allgather(rank) == [0, 1]
"""
    run(PRELUDE + LIMITED + COLLECTIVE + script, 2, stack).succeeded()


def test_nonblocking_collectives_without_memory(run, stack) -> None:
    script = """
collective(lambda: c.igather(SENT[0] if rank == 0 else "small", 1).wait(timeout=30), rank == 1)
collective(lambda: c.iscatter([5, SENT[0]] if rank == 0 else None).wait(timeout=30), rank == 1)
collective(lambda: c.iallgather(SENT[0] if rank == 0 else 5).wait(timeout=30), rank == 1)
with raises(MemoryError if rank else mpi.Error):  # rank 1 has none for the result, and the library needs all ranks
    c.iallreduce(mine).wait(timeout=30)
joined = mpi.op(lambda lower, higher: lower + higher, commutative=False)
collective(lambda: c.iallreduce([SENT[1]] if rank == 0 else [b""], joined).wait(timeout=30), rank == 1)
assert c.iallgather(rank).wait() == [0, 1] and c.iallreduce([rank], joined).wait() == [0, 1]
"""
    run(PRELUDE + "mine = np.ones(60 << 20, 'u1')\n" + LIMITED + COLLECTIVE + script, 2, stack).succeeded()
