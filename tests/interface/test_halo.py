"""Ghost layers on a mesh: compared with the global array that the blocks are cut from."""

import pytest
from rank_programs import PRELUDE

# What a block with ghost layers must be after an exchange: each cell is that of the global array, around periodic axes;
# 99 as before beyond open ends, and in the corners if these are not exchanged.
EXPECTED = """
def expected(cart, whole, width, corners):
    block = cart.block(whole.shape)
    indices, ghost, open_end = [], 0, False
    for axis in range(whole.ndim):
        layers = width[axis] if axis < len(cart.dims) else 0
        place = np.arange(block.start[axis] - layers, block.stop[axis] + layers)
        outside = (place < block.start[axis]) | (place >= block.stop[axis])
        beyond = (place < 0) | (place >= whole.shape[axis])
        if axis < len(cart.dims) and cart.periods[axis]:
            beyond[...] = False
        form = [-1 if other == axis else 1 for other in range(whole.ndim)]
        ghost, open_end = ghost + outside.reshape(form).astype(int), open_end | beyond.reshape(form)
        indices.append(place % whole.shape[axis])
    result = whole[np.ix_(*indices)].copy()
    result[open_end | ((ghost > 1) & (not corners))] = whole.dtype.type(99)
    return result

def local(cart, whole, width, order):
    block = cart.block(whole.shape)
    layers = list(width) + [0] * (whole.ndim - len(width))
    u = np.full([n + 2 * w for n, w in zip(block.shape, layers)], 99, whole.dtype, order)
    u[tuple(slice(w, w + n) for n, w in zip(block.shape, layers))] = whole[block.slices]
    return u
"""


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_ghost_layers_are_what_the_neighbours_have(run_in_job, stack, ranks: int) -> None:
    script = """
cases = 0
for dims in (0,), (0, 0), (1, 0), (0, 1, 1), (0, 0, 0):
    for periods in itertools.product([False, True], repeat=len(dims)):
        with c.cart(dims, periods) as cart:
            for width, corners, dtype, order, more in [(1, False, "f8", "C", ()), (2, True, "i4", "F", (3,)),
                                                       ([0, 2, 1][:len(dims)], True, "c16", "C", ())]:
                width = [width] * len(dims) if isinstance(width, int) else width
                shape = (9, 8, 10)[:len(dims)] + more
                whole = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
                other = (whole * 2).astype("f4")
                u, v = local(cart, whole, width, order), local(cart, other, width, "C")
                with cart.halo([u, v], width, corners) as halo:
                    assert halo.width == tuple(width)
                    halo(timeout=60)
                    assert np.array_equal(u, expected(cart, whole, width, corners)), (dims, periods, width, corners)
                    assert np.array_equal(v, expected(cart, other, width, corners)), (dims, periods, width, corners)
                    inner = tuple(slice(w, n - w) for n, w in zip(u.shape, width))
                    u[inner] += 5
                    halo.start()
                    halo.finish(timeout=60)
                    again = expected(cart, whole + 5, width, corners)
                    assert np.array_equal(u, again), (dims, periods, width, corners)
                cases += 1
assert cases == 3 * (2 + 4 + 4 + 8 + 8)
"""
    run_in_job(PRELUDE + EXPECTED + script, ranks, stack)


def test_what_does_not_fit_is_refused_on_all_ranks(run_in_job, stack) -> None:
    script = """
with c.cart((2,), True) as cart:
    for arguments, kind, words in [
        ((np.zeros(2 if rank else 5),), ValueError, "an array of shape (2,) has less than (1,) layers"),
        ((np.zeros(()) if rank else np.zeros(5),), ValueError, "a halo needs arrays with the 1 axes of the mesh"),
        ((np.zeros(9), (1, 1) if rank else 1), ValueError, "width is (1, 1), but must be"),
        ((np.zeros(9), 2 if rank else 1), mpi.MismatchError, "but this rank"),
        ((np.zeros(9, "f4" if rank else "f8"),), mpi.MismatchError, "but this rank"),
        ((np.zeros((5, 3 + rank)),), mpi.MismatchError, "a plan needs as many on both sides"),
    ]:
        mine = rank == 1 or kind is mpi.MismatchError
        with raises(kind if mine else mpi.MismatchError, words if mine else "rank 1 has failed"):
            cart.halo(*arguments)
        assert c.allreduce(1) == 2
    u = np.full(5, float(rank))
    halo = cart.halo(u)
    if rank == 0:
        with raises(mpi.Timeout, "rank 0 waited 0.05 s for rank 1 in plan.recv(source=1, tag="):
            halo(timeout=0.05)
        c.send("go", 1)
        halo.finish()
    else:
        assert c.recv(0) == "go"
        halo()
    assert u.tolist() == [1 - rank, rank, rank, rank, 1 - rank]
    halo.free()
"""
    run_in_job(PRELUDE + script, 2, stack)
