"""Arrays that the ranks of a host share."""

import pytest
from rank_programs import PRELUDE, Case, cases, on_ranks

pytestmark = pytest.mark.one_host

SHARED = {
    3: {
        "what a rank writes is there for all after a barrier": """
array = c.shared((size, 1000))
assert (type(array), array.shape, array.dtype) == (np.ndarray, (size, 1000), np.dtype(float)) and not array.any()
c.barrier()
array[rank] = rank + 1
c.barrier()
assert (array.sum(axis=1) == 1000 * np.arange(1, size + 1)).all()
c.barrier()
array[(rank + 1) % size, 7] = -rank
c.barrier()
assert array[rank, 7] == -((rank - 1) % size)
""",
        "any shape and dtype but objects": """
kind = np.dtype([("name", "S3"), ("weight", ">f8")])
for shape, dtype in (5, "i1"), ((), int), ((2, 0), float), ([np.int64(2), 3], kind), ((7,), "M8[s]"):
    array = c.shared(shape, dtype)
    assert array.shape == np.empty(shape).shape and array.dtype == np.dtype(dtype)
    assert array.tobytes() == bytes(array.nbytes) and array.flags.writeable
with raises(mpi.MismatchError, "shared(): object has Python objects, which other processes can't use"):
    c.shared(3, object)
""",
        "it outlives the communicator and goes with its last view": """
def mapped():
    return sum(int(line.split()[1]) for line in open("/proc/self/smaps") if line.startswith("Size"))
c.shared(10)
before = mapped()
with c.dup() as twin:
    array = twin.shared(1 << 22, np.uint8)
part = array[1000:2000]
del array
gc.collect()
assert mapped() >= before + 4096
part[:] = rank
del part
gc.collect()
assert mapped() < before + 4096
c.barrier()
assert not [name for name in os.listdir("/dev/shm") if name.startswith(f"polympi-{os.getpid()}-")]
""",
        "a part of the ranks has its own": """
part = c.split(rank % 2)
array = part.shared(part.size)
array[part.rank] = rank + 1
part.barrier()
assert array.tolist() == [other + 1 for other in range(rank % 2, size, 2)]
part.free()
""",
    },
    2: {
        "all ranks must want the same": """
with raises(mpi.MismatchError, "shared(): rank "):
    c.shared(rank + 1)
with raises(mpi.MismatchError, "shared(): rank "):
    c.shared(3, "if"[rank])
for wrong, kind in ((-1, ValueError), ("x", TypeError), ((2, -3), ValueError)):
    with raises(kind if rank == 0 else mpi.MismatchError, "" if rank == 0 else "rank 0 has failed: "):
        c.shared(wrong if rank == 0 else 3)
assert c.shared(2).sum() == 0
""",
        "no room is one sentence on all ranks": """
said = "bytes of shared memory don't fit into the"
with raises(mpi.Error if rank == 0 else mpi.MismatchError, said, "free in /dev/shm: use less, or enlarge it"):
    c.shared(1 << 50, np.uint8)
assert not [name for name in os.listdir("/dev/shm") if name.startswith(f"polympi-{os.getpid()}-")]
c.barrier()
""",
        "a forked child has it, too": """
array = c.shared(2, int)
child = os.fork()
if child == 0:
    array[rank] = 5
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
c.barrier()
assert array.tolist() == [5, 5]
""",
        "ranks on several hosts learn what to do": """
from polympi.native import core
from polympi import shared
class Elsewhere:
    def __getattr__(self, name): return getattr(core, name)
    def machine(self): return rank
shared.core = Elsewhere()
try:
    with raises(mpi.MismatchError, "the ranks of this communicator are on several hosts: ", "split_by_host()"):
        c.shared(3)
finally:
    shared.core = core
""",
    },
}


@on_ranks(SHARED)
def test_shared_arrays(run_in_job, stack, ranks: int, script: str) -> None:
    run_in_job(PRELUDE + script, ranks, stack)


ENDS = {
    "a rank that dies leaves nothing behind": Case(
        """
array = c.shared(1 << 20)
array[rank] = 1
c.barrier()
assert not [name for name in os.listdir("/dev/shm") if name.startswith(f"polympi-{os.getpid()}-")]
if rank == 1:
    os.kill(os.getpid(), 9)
time.sleep(60)
""",
        code=9,
    ),
    "an array that is there at the end does no harm": Case(
        """
array = c.shared(5)
array[0] = 3
c.barrier()
mpi.finalize()
assert array[0] == 3
print(rank)
""",
        words="0 1",
        said=[],
    ),
}


@cases(ENDS)
def test_ends(run, stack, case: Case) -> None:
    if case.code:
        script = PRELUDE + case.script
        assert run(script, case.ranks, stack, timeout=case.timeout).exit_code not in {0, None}
    else:
        case.check(run, stack)
