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


NOW_LIMITED = """
import resource
import shutil
import tempfile

MB = 1 << 20

@contextlib.contextmanager
def limited():
    "Rank 1 may take little more address space than it has."
    c.barrier()
    if rank == 1:
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + 30 * MB, resource.RLIM_INFINITY))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)

def without_memory(call, others=contextlib.nullcontext):
    "Rank 1 has none for the call; what the other one gets of a collective call."
    try:
        with contextlib.nullcontext() if rank == 1 else others():
            call()
    except MemoryError as error:
        assert rank == 1, error
        assert "\\n" not in str(error)
        return str(error)
    assert rank == 0

path = c.bcast(tempfile.mkdtemp() if rank == 0 else None) + "/data"
columns = np.zeros((2, 160 * MB if rank == 1 else 8), "u1")[:, ::2]  # of which calls need a contiguous copy
failed = lambda: raises(mpi.FileError, "rank 1 could not do its part: ", "Unable to allocate", consequence=True)
"""

WINDOWS_AND_FILES = {
    "accesses of windows": """
with c.window(np.zeros(170 * MB, "u1")) as window, limited():
    with window.lock(other):
        window.put(np.ones(3, "u1"), other)
        for access in window.put, window.get, window.accumulate:
            without_memory(lambda: access(columns, other, 3))
        window.flush()
        assert window.fetch_and_op(np.uint8(1), other, 169 * MB) == 0
    window.fence()
    assert window.array[:4].tolist() == [1, 1, 1, 0] and window.array[169 * MB] == 1
    window.fence()
    c.window(np.ones(3)).free()
""",
    "shared arrays": """
with limited():
    for comm in c, mpi.self_world:
        said = without_memory(lambda: comm.shared(160 * MB, "u1"), contextlib.nullcontext if comm.size == 1 else
                              lambda: raises(mpi.MismatchError, "rank 1 has failed: MemoryError: "))
        assert rank == 0 or "shared(): 167772160 bytes don't fit into this process's address space" in said
    assert c.shared(3).tolist() == [0, 0, 0]
""",
    "files": """
with c.open(path, "w+") as file, limited():
    file.resize(400 * MB)
    for call in file.write_at, file.read_at:
        without_memory(lambda: call(8 * rank, columns))
    for call in file.write_at_all, file.read_at_all:
        without_memory(lambda: call(8 * rank, columns), failed)
        without_memory(lambda: call(8 * rank, columns, strides=[200 * MB, 2]), failed)
    file.write_at_all(rank, b"x")
    file.sync()
    assert bytes(file.read_at_all(0, bytearray(2))) == b"xx"
""",
    "arrays in files": """
from polympi.npy import header
head = header((2, 200 * MB), np.dtype("u1"), "C")
with c.open(path, "w") as file:  # without its elements
    file.write_at_all(0, head if rank == 0 else b"")
    file.resize(len(head) + 400 * MB)
with limited():
    without_memory(lambda: mpi.load_npy(path), failed)
    without_memory(lambda: mpi.save_npy(path, columns.T), failed)
    mpi.save_npy(path, columns.T[:4])
    assert same(mpi.load_npy(path), np.zeros((4, 2), "u1"))
""",
}


@pytest.mark.parametrize("script", WINDOWS_AND_FILES.values(), ids=WINDOWS_AND_FILES)
def test_windows_and_files_without_memory(run, stack, script: str) -> None:
    end = "\nc.barrier()\nif rank == 0:\n    shutil.rmtree(os.path.dirname(path))\n"
    run(PRELUDE + NOW_LIMITED + script + end, 2, stack).succeeded()
