"""What large bytes leave is used again by those that follow, as far as the user lets it be kept."""

import pytest
from rank_programs import PRELUDE

# A window of messages comes at a time, so that malloc has all of its memory back between two windows.
FAULTS = """
import ctypes
import resource

def is_of_the_system(nbytes):  # whether malloc has asked it for this memory alone: a bit of the chunk's head
    malloc = ctypes.CDLL(None).malloc
    malloc.restype, malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    return bool(ctypes.c_size_t.from_address(malloc(nbytes) - ctypes.sizeof(ctypes.c_size_t)).value & 2)

def faults(message, windows):
    begun = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(windows):
        if rank == 0:
            mpi.wait_all([c.isend(message, 1) for _ in range(8)])
            c.recv(1)
        else:
            received = mpi.wait_all([c.irecv(0) for _ in range(8)])
            assert all(one == message for one in received)
            del received
            c.send(None, 0)
    return (resource.getrusage(resource.RUSAGE_SELF).ru_minflt - begun) / windows

kinds = [b"x" * 500_000, "y" * 500_000]
found = []
for message in kinds:
    faults(message, 3)
    found.append(faults(message, 10))
if rank == 1:
    print(max(found) < 100, min(found) > 100, is_of_the_system(16 << 20))
"""
KEPT, NOT_KEPT = "True False False\n", "False True True\n"  # 8 messages have 980 pages
# With the limits that malloc finds by itself, it keeps the memory of a kind behind which something else lies.
LEFT_TO_MALLOC = (NOT_KEPT, "False False True\n")


@pytest.mark.one_host  # over a network, the library takes and gives back large memory, too
def test_pages_of_large_bytes_and_texts_are_used_again(run, stack) -> None:
    assert run(PRELUDE + FAULTS, 2, stack).succeeded() == KEPT


@pytest.mark.parametrize(
    "env",
    [{"MALLOC_MMAP_THRESHOLD_": "131072"}, {"GLIBC_TUNABLES": "glibc.malloc.mmap_threshold=131072"}],
    ids=lambda env: next(iter(env)),
)
def test_who_chooses_the_limits_of_malloc_keeps_them(run, mpich, env: dict[str, str]) -> None:
    assert run(PRELUDE + FAULTS, 2, mpich, env=env).succeeded() == NOT_KEPT


def test_without_a_pool_malloc_finds_its_limits_by_itself(run, mpich) -> None:
    assert run(PRELUDE + FAULTS, 2, mpich, env={"POLYMPI_POOL_BYTES": "0"}).succeeded() in LEFT_TO_MALLOC
