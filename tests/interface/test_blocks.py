"""The blocks of a global array that the ranks of a mesh have, and their way from and to one rank."""

import itertools

import numpy as np
import pytest
from rank_programs import PRELUDE

from polympi.block import Block, block_of

# ---- without MPI ----


@pytest.mark.parametrize("dims", [(), (1,), (5,), (2, 3), (3, 2, 2)])
def test_blocks_cover_an_array_exactly_once(dims: tuple[int, ...]) -> None:
    for shape in itertools.product([0, 1, 4, 7, 12], repeat=len(dims) + 1):
        array = np.zeros(shape, int)
        for coords in itertools.product(*map(range, dims)):
            block = block_of(shape, dims, coords)
            part = array[block.slices]
            assert part.shape == block.shape
            assert part.size == block.size
            part += 1
        assert (array == 1).all()


def test_sizes_are_those_of_array_split() -> None:
    for length, ranks in itertools.product(range(20), range(1, 8)):
        sizes = [block_of([length], [ranks], [coord]).shape[0] for coord in range(ranks)]
        assert sizes == [len(part) for part in np.array_split(np.empty(length), ranks)]
        assert sizes == sorted(sizes, reverse=True)
        assert sizes[0] - sizes[-1] <= 1


def test_a_block_is_a_value() -> None:
    block = block_of((10, 7, 3), (2, 3), (1, 2))
    assert (block.start, block.stop, block.shape, block.size) == ((5, 5, 0), (10, 7, 3), (5, 2, 3), 30)
    assert block.slices == (slice(5, 10), slice(5, 7), slice(0, 3))
    assert block == Block((5, 5, 0), (10, 7, 3)) != Block((5, 5, 0), (10, 7, 2))
    assert len({block, Block((5, 5, 0), (10, 7, 3))}) == 1
    assert repr(block) == "Block(start=(5, 5, 0), stop=(10, 7, 3))"
    assert block != 3


@pytest.mark.parametrize(("shape", "words"), [((5,), "which has more axes"), ((5, -1), r"the shape \(5, -1\)")])
def test_an_array_that_cannot_be_divided_is_refused(shape: tuple[int, ...], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        block_of(shape, (2, 2), (0, 0))


# ---- on ranks ----


@pytest.mark.sanitize
def test_blocks_are_gathered_and_scattered(run_in_job, stack) -> None:
    script = """
record = np.dtype([("x", "f8"), ("n", "i4")])
def empty(array):
    return not array.tobytes().strip(b"\\0")
random.seed(7)  # the same on all ranks
for dims in (6,), (2, 3), (1, 6), (3, 1, 2):
    with c.cart(dims) as cart:
        for case in range(12):
            shape = tuple(random.choice([1, 2, 3, 5, 8, 40]) for _ in range(len(dims) + case % 2))
            root, order = random.randrange(6), random.choice("CF")
            dtype = random.choice(["f8", ">i4", "?", "S3", "M8[ns]", record])
            numbers = np.arange(np.prod(shape)).reshape(shape)
            whole = np.zeros(shape, dtype, order)
            if dtype is record:
                whole["x"], whole["n"] = numbers, -numbers
            else:
                whole[...] = numbers.astype("i8").astype(dtype)
            block = cart.block(shape)
            assert block == cart.block(shape, rank=rank)
            mine = cart.scatter_blocks(whole if rank == root else None, root)
            assert same(mine, whole[block.slices]), (mine, whole)
            assert mine.flags.writeable and not np.may_share_memory(mine, whole)
            # with ghost layers, which stay as they are
            u = np.zeros([extent + 2 for extent in block.shape], dtype, order)
            inside = (slice(1, -1),) * len(shape)
            inner = u[inside]
            assert cart.scatter_blocks(whole, root, into=inner) is inner
            layers = u.copy()
            layers[inside] = np.zeros((), dtype)
            assert same(inner, whole[block.slices]) and empty(layers)
            got = cart.gather_blocks(inner, root)
            assert same(got, whole) and got.flags.c_contiguous if rank == root else got is None
            place = np.zeros([2 * extent for extent in shape], dtype)[(slice(None, None, 2),) * len(shape)]
            got = cart.gather_blocks(mine, root, into=place)
            assert got is place and same(place, whole) if rank == root else got is None and empty(place)
        # the parts of the root lie in the array
        grid = np.arange(60.0).reshape((6, 5, 2)) if rank == 0 else None
        u = cart.scatter_blocks(grid) if rank else grid[cart.block((6, 5, 2)).slices]
        if rank == 0:
            cart.scatter_blocks(grid, into=u)
        u *= 2
        cart.gather_blocks(u, into=grid)
        assert rank or same(grid, 2 * np.arange(60.0).reshape((6, 5, 2)))
        # lists of objects, as on any communicator
        assert cart.gather(rank) == (list(range(6)) if rank == 0 else None)
        assert cart.scatter(list("abcdef") if rank == 0 else None) == "abcdef"[rank]
with c.cart((2, 3)) as cart:  # large, from one view into another
    whole = np.arange(900 * 700.0).reshape(900, 700)
    u = cart.scatter_blocks(whole[::-1] if rank == 3 else None, 3)
    assert same(u, whole[::-1][cart.block(whole.shape).slices])
    back = cart.gather_blocks(u.T.copy().T, 2)
    assert rank != 2 or same(back, whole[::-1].copy())
"""
    run_in_job(PRELUDE + script, 6, stack)


def test_arrays_that_do_not_fit_are_refused_on_all_ranks(run_in_job, stack, mailboxes) -> None:
    script = """
cart = c.cart((2, 2))
shape = 5, 6
block = cart.block(shape)
u = np.full(block.shape, float(rank))
def refused(call, *words, kind=mpi.MismatchError):
    with raises(kind, *words):
        call()
    whole = cart.gather_blocks(u, 1)  # all still works
    assert rank != 1 or whole[4, 5] == 3
for odd in range(4):
    for wrong, words in (
        (u[1:], "has the shape ("), (u[0], "axes, but that of rank 0"), (u.astype("f4"), "is of <f"), (u.tolist(),
        "u must be an array, not list"), (u.astype(object), "not of object"), (np.ma.array(u), "not MaskedArray"),
        (None, "not NoneType")):
        refused(lambda: cart.gather_blocks(wrong if rank == odd else u), f"rank {rank}, gather_blocks(): ", words)
refused(lambda: cart.gather_blocks(u[0]), "blocks have 1 axes, but the mesh (2, 2) has 2")
readonly = np.empty(shape)
readonly.flags.writeable = False
for into, words in ((np.empty((6, 5)), "the shape"), (np.empty(shape, "f4"), "into of <f4"), (readonly, "writable"),
                    (np.empty((5, 6, 1)), "has 2 axes, but into 3"), ([1], "on rank 0, into must be an array")):
    refused(lambda: cart.gather_blocks(u, into=into if rank == 0 else None), words)
refused(lambda: cart.gather_blocks(u, root=1 if rank == 2 else 0), "names the root")
refused(lambda: cart.gather_blocks(u, root=4), "rank 4 is not in the mesh (2, 2)", kind=mpi.RankError)
for a, words in ((None, "on rank 0, a must be an array, not NoneType"), (np.empty(3), "a has 1 axes, but the mesh"),
                 (np.empty((2, 2), object), "not of object")):
    refused(lambda: cart.scatter_blocks(a), f"rank {rank}, scatter_blocks(): ", words)
# a target that does not fit is an error of its rank
for odd, into in itertools.product(range(4), [np.empty((9, 9)), np.empty(block.shape, int), [1], readonly[:1]]):
    if rank == odd:
        refused(lambda: cart.scatter_blocks(np.ones(shape), into=into), "into ")
    else:
        assert same(cart.scatter_blocks(np.ones(shape)), np.ones(block.shape))
        cart.gather_blocks(u, 1)
# fewer elements than ranks: empty blocks
few = np.arange(3).reshape(1, 3)
mine = cart.scatter_blocks(few if rank == 0 else None)
assert mine.shape == [(1, 2), (1, 1), (0, 2), (0, 1)][rank] and mine.dtype == few.dtype
whole = cart.gather_blocks(mine)
assert rank or same(whole, few)
cart.free()
"""
    run_in_job(PRELUDE + script, 4, stack, env=mailboxes)


def test_calls_after_a_time_out_get_the_blocks_that_are_theirs(run_in_job, stack) -> None:
    script = """
cart = c.cart((2,))
n = 100_000
u = np.full(n, float(rank))
def both_work(value):
    whole = cart.gather_blocks(u + value)
    assert rank or (whole.size, whole[n - 1], whole[n]) == (2 * n, value, value + 1)
    whole = cart.gather_blocks(u + value, 1)
    assert same(cart.scatter_blocks(whole, 1), u + value)
def without(late, call, name):  # one rank leaves it before the other comes
    if rank != late:
        with raises(mpi.Timeout, f"rank {rank} waited 0.05 s in {name}() at ", operation=name, rank=rank):
            call(timeout=0.05)
        c.send(None, late)
    else:
        c.recv(other)
        with contextlib.suppress(mpi.Timeout):
            call(timeout=5)
both_work(1)
without(1, lambda timeout: cart.gather_blocks(u, timeout=timeout), "gather_blocks")
both_work(2)
without(0, lambda timeout: cart.gather_blocks(u, timeout=timeout), "gather_blocks")
both_work(3)
without(0, lambda timeout: cart.scatter_blocks(np.zeros(2 * n), timeout=timeout), "scatter_blocks")
both_work(4)
if rank:  # in the middle: it announces a block, which comes late
    tag = cart.next_tag()
    cart._private.allgather((0, ((n,), "<f8"), None))
    c.recv(0)
    cart._private.send(u, 0, tag)
else:
    into = np.full(2 * n, -1.0)
    with raises(mpi.Timeout, "rank 0 waited 0.05 s for rank 1 in gather_blocks() at ", peer=1):
        cart.gather_blocks(u, into=into, timeout=0.05)
    c.send(None, 1)
both_work(5)
assert rank or (into[n:] == -1).all()  # it was not written there
cart.free()
"""
    run_in_job(PRELUDE + script, 2, stack)
