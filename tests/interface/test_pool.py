"""The pool of memory for received arrays: used again, never mixed up, and bounded."""

import pytest

PRELUDE = """
import os
import random
import numpy as np
from polympi.native import core

MB = 1 << 20

def address(array):
    return array.__array_interface__["data"][0]

def pool(*names):
    return [core._pool_statistics()[name] for name in names or ("live", "kept")]
"""


def test_memory_is_aligned_and_large_memory_to_huge_pages(run, mpich) -> None:
    script = """
arrays = [core._pool_array(nbytes) for nbytes in (0, 1, 100, 4095, 4096, 5000, 123_456, MB, MB + 1, 3 * MB)]
assert [address(array) % 64 for array in arrays] == [0] * len(arrays)
assert [address(array) % (2 * MB) for array in arrays[-2:]] == [0, 0]
assert pool("live") == [6]  # malloc provides what is smaller than a page
try:
    core._pool_array(1 << 62)
except MemoryError:
    print("none")
"""
    assert run(PRELUDE + script, None, mpich).succeeded() == "none\n"


@pytest.mark.parametrize("limit_mb", [256, 4])  # with 4, most slabs go back to the kernel at once
def test_pieces_in_use_never_overlap(run, mpich, limit_mb: int) -> None:
    script = """
chance, live = random.Random(1), []
for _ in range(20_000):
    if live and chance.random() < (0.55 if len(live) > 100 else 0.45):
        array, mark = live.pop(chance.randrange(len(live)))
        assert array[0] == array[-1] == array[array.size // 2] == mark
        if chance.random() < 0.2:
            array.resize(int(2 ** chance.uniform(0, 22)) + 1, refcheck=False)
            assert array[0] == mark
    else:
        array, mark = core._pool_array(int(2 ** chance.uniform(0, 22)) + 1), chance.randrange(256)
        array[0] = array[-1] = array[array.size // 2] = mark
        live.append((array, mark))
places = sorted((address(array), array.size) for array, _ in live)
assert all(place + size <= following for (place, size), (following, _) in zip(places, places[1:]))
del array, live
assert pool("live") == [0] and pool("kept_bytes") == pool("mapped_bytes")
assert pool("kept_bytes")[0] <= int(os.environ["POLYMPI_POOL_BYTES"])
"""
    run(PRELUDE + script, None, mpich, env={"POLYMPI_POOL_BYTES": str(limit_mb << 20)}).succeeded()


@pytest.mark.parametrize(
    ("limit", "kept_mb"),
    [(None, 256), (str(100 << 20), 64), (str(64 << 20), 64), (str(63 << 20), 0), ("4096", 0), ("0", 0)],
)
def test_what_is_kept_is_bounded(run, mpich, limit: str | None, kept_mb: int) -> None:
    script = """
arrays = [core._pool_array(64 * MB) for _ in range(6)]
del arrays
assert pool("kept_bytes") == pool("mapped_bytes")
print(pool("kept_bytes")[0] // MB)
"""
    env = {} if limit is None else {"POLYMPI_POOL_BYTES": limit}
    assert run(PRELUDE + script, None, mpich, env=env).succeeded() == f"{kept_mb}\n"


def test_the_longest_unused_memory_goes_first(run, mpich) -> None:
    script = """
for nbytes in [10 * MB] * 2 + [40 * MB] * 3:
    core._pool_array(nbytes)  # dies at once
arrays = [core._pool_array(20 * MB) for _ in range(3)]
del arrays
place = address(core._pool_array(40 * MB))
arrays = [core._pool_array(20 * MB) for _ in range(3)]
assert pool("kept", "kept_bytes") == [1, 40 * MB], pool("kept", "kept_bytes")
assert address(core._pool_array(40 * MB)) == place
"""
    run(PRELUDE + script, None, mpich, env={"POLYMPI_POOL_BYTES": str(100 << 20)}).succeeded()


def test_the_memory_object_lives_as_long_as_its_exports(run, mpich) -> None:
    script = """
memory = core._pool_memory(3 * MB)
view = memoryview(memory)
array = np.frombuffer(memory, np.uint8)
array[...] = 5
assert not view.readonly and view.nbytes == 3 * MB and view[100] == 5
del memory
view.release()
assert array[-1] == 5 and pool() == [1, 0]
del array
assert pool() == [0, 1]
assert memoryview(core._pool_memory(0)).nbytes == 0
try:
    type(core._pool_memory(1))()
except TypeError:
    print("made by the core alone")
"""
    assert run(PRELUDE + script, None, mpich).succeeded() == "made by the core alone\n"


POOLS = {
    "memory of a dead array is used again as it is": """
for nbytes in 5000, 70_000, MB, 3 * MB, 20 * MB:
    array = core._pool_array(nbytes)
    array[...] = 7
    place = address(array)
    assert pool("live") == [1]
    del array
    assert pool("live") == [0] and pool("kept")[0] > 0
    again = core._pool_array(nbytes - 100)
    assert address(again) == place and (again == 7).all(), nbytes
    del again
    assert pool("kept_bytes") == pool("mapped_bytes")
""",
    "views keep the memory of their array": """
array = core._pool_array(4 * MB)
array[...] = 9
view = array[10:20].reshape(2, 5).T[::-1]
del array
other = core._pool_array(4 * MB)
other[...] = 1
assert (view == 9).all() and pool() == [2, 0]
del view
assert pool() == [1, 1]
""",
    "arrays may be resized and reinterpreted": """
def resized(array, nbytes, live):
    expected = array[:nbytes].copy()
    array.resize(nbytes, refcheck=False)
    assert (array[:expected.size] == expected).all() and not array[expected.size:].any()
    assert pool("live") == [live], (nbytes, pool())

array = core._pool_array(4 * MB)
array[...] = np.arange(4 * MB) % 251
for nbytes in 10 * MB, 9 * MB, 5000, 6 * MB:
    resized(array, nbytes, live=1)
resized(array, 100, live=0)
resized(array, 3 * MB, live=0)  # malloc's memory stays malloc's
array = core._pool_array(MB)
array.resize(0, refcheck=False)
array = core._pool_array(5 * MB)
array.dtype, array.shape = np.float64, (5, -1)
del array
assert pool("live") == [0]
""",
    # The functions of the handler as NumPy's C code calls them; the sizes passed to `free` are wrong on purpose.
    "numpy may allocate all its arrays there": """
import ctypes as c
c.pythonapi.PyCapsule_GetPointer.restype = c.c_void_p
handler = c.pythonapi.PyCapsule_GetPointer(c.py_object(core._pool_handler()), b"mem_handler")
functions = (c.c_void_p * 5).from_address(handler + 128)[1:]  # after the name, the version and the context
p, n = c.c_void_p, c.c_size_t
forms = c.PYFUNCTYPE(p, p, n), c.PYFUNCTYPE(p, p, n, n), c.PYFUNCTYPE(p, p, p, n), c.PYFUNCTYPE(None, p, p, n)
malloc, calloc, realloc, free = [form(function) for form, function in zip(forms, functions)]

place = malloc(None, 100_000)
c.memset(place, 255, 100_000)
free(None, place, 1)
assert calloc(None, 1000, 100) == place and c.string_at(place, 100_000) == bytes(100_000)
c.memset(place, 3, 100_000)
assert realloc(None, place, 90_000) == place
small = realloc(None, place, 10)
assert small != place and c.string_at(small, 10) == bytes([3] * 10) and pool("live") == [0]
large = realloc(None, small, MB)
assert c.string_at(large, 10) == bytes([3] * 10)
free(None, large, 3)
free(None, realloc(None, None, 5000), 0)
free(None, None, 0)
assert calloc(None, 1 << 40, 1 << 40) is None and pool("live") == [0]
""",
    "a forked child has its own pool": """
kept = core._pool_array(4 * MB)
kept[...] = 1
core._pool_array(3 * MB)
child = os.fork()
if child == 0:
    kept[...] = 2
    own = core._pool_array(3 * MB)
    own[...] = 2
    os._exit(0 if pool("live") == [2] else 1)
assert os.waitpid(child, 0)[1] == 0
assert (kept == 1).all() and pool() == [1, 1]
""",
}


@pytest.mark.parametrize("script", POOLS.values(), ids=POOLS)
def test_pool(run, mpich, script: str) -> None:
    run(PRELUDE + script, None, mpich).succeeded()
