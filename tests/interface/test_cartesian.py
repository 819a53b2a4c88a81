"""Meshes of ranks, and what neighbours in them give one another."""

import itertools
import math

import pytest
from rank_programs import PRELUDE

from polympi.errors import RankError
from polympi.mesh import PROC_NULL, Mesh, balanced, complete

# ---- meshes, without MPI ----


@pytest.mark.parametrize("axes", [1, 2, 3, 4])
def test_sizes_are_balanced_as_the_best_of_all_are(axes: int) -> None:
    for size in range(1, 61):
        divisors = [number for number in range(1, size + 1) if size % number == 0]
        fitting = [dims for dims in itertools.product(divisors, repeat=axes) if math.prod(dims) == size]
        assert balanced(size, axes) == min(tuple(sorted(dims, reverse=True)) for dims in fitting)


@pytest.mark.parametrize(
    ("size", "dims", "ndim", "found"),
    [
        (6, None, 2, (3, 2)),
        (6, (2, 3), None, (2, 3)),
        (7, (2, 3), None, (2, 3)),  # one is left over
        (6, (0, 3), None, (2, 3)),
        (24, (None, 2, 0), 3, (4, 2, 3)),
        (1, None, 3, (1, 1, 1)),
        (5, (), None, ()),
        (5, None, 0, ()),
        (2**20, None, 3, (128, 128, 64)),
    ],
)
def test_open_sizes_are_found(
    size: int, dims: tuple[int | None, ...] | None, ndim: int | None, found: tuple[int, ...]
) -> None:
    assert complete(size, dims, ndim) == found


@pytest.mark.parametrize(
    ("size", "dims", "ndim", "error", "words"),
    [
        (5, (2, 3), None, ValueError, r"a mesh \(2, 3\) needs 6 ranks, but there are 5"),
        (7, (0, 3), None, ValueError, r"7 ranks cannot be divided by 3"),
        (6, (-1, 6), None, ValueError, "no axis can have less than 0 ranks"),
        (6, (2, 3), 3, TypeError, r"ndim is 3, but dims \(2, 3\) have 2 axes"),
        (6, None, None, TypeError, "a mesh needs dims"),
        (6, None, -1, ValueError, "ndim is -1"),
        (6, 6, None, TypeError, "dims must be a tuple of integers, one for each axis, not 6"),
        (6, (2.0, 3), None, TypeError, "dims must be a tuple of integers"),
    ],
)
def test_sizes_that_make_no_mesh_are_refused(
    size: int, dims: object, ndim: int | None, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        complete(size, dims, ndim)  # type: ignore[arg-type]


@pytest.mark.parametrize("dims", [(), (1,), (4,), (2, 3), (3, 1, 2), (2, 2, 2, 2)])
def test_ranks_are_in_the_order_of_cells_and_find_their_way(dims: tuple[int, ...]) -> None:
    cells = list(itertools.product(*map(range, dims)))  # the last axis is counted up first
    for periodic in (False, True):
        mesh = Mesh(dims, [periodic] * len(dims))
        assert [mesh.coords_of(rank) for rank in range(mesh.size)] == cells
        assert [mesh.rank_of(coords) for coords in cells] == list(range(mesh.size))
        for rank, axis, step in itertools.product(range(mesh.size), range(len(dims)), range(-4, 5)):
            coords = list(cells[rank])
            coords[axis] += step
            inside = periodic or 0 <= coords[axis] < dims[axis]
            coords[axis] %= dims[axis]
            assert mesh.beside(rank, axis, step) == (cells.index(tuple(coords)) if inside else PROC_NULL)


def test_a_place_outside_of_a_mesh_is_one_sentence() -> None:
    mesh = Mesh((2, 3), (True, False))
    assert mesh.rank_of((-1, 2)) == mesh.rank_of((3, 2)) == 5
    for coords in (0, 3), (0, -1):
        with pytest.raises(RankError, match=rf"coordinate {coords[1]} is outside of axis 1, .* 0 to 2 and is not per"):
            mesh.rank_of(coords)
    with pytest.raises(RankError, match=r"the coordinates \(1,\) are 1, but the mesh \(2, 3\) has 2 axes"):
        mesh.rank_of((1,))
    for rank in -1, 6:
        with pytest.raises(RankError, match=rf"rank {rank} is not in the mesh \(2, 3\), which has ranks 0 to 5"):
            mesh.coords_of(rank)
    assert (mesh.axis(1), mesh.axis(-1), mesh.axis(-2)) == (1, 1, 0)
    with pytest.raises(ValueError, match=r"axis 2 is not in the mesh \(2, 3\), which has 2 axes"):
        mesh.axis(2)


# ---- on ranks ----


def test_a_mesh_knows_where_its_ranks_are(run_in_job, stack) -> None:
    script = """
with c.cart((2, 3), periods=(True, False)) as cart:
    assert type(cart) is mpi.Cartesian and isinstance(cart, mpi.Communicator)
    assert repr(cart) == f"<Cartesian, rank {rank} of 6>"
    assert (cart.dims, cart.periods, cart.rank, cart.size) == ((2, 3), (True, False), rank, 6)
    assert cart.coords == cart.coords_of(rank) == divmod(rank, 3)
    assert cart.allgather(cart.coords) == [(i, j) for i in range(2) for j in range(3)]
    assert cart.rank_of((3, 1)) == 4
    i, j = cart.coords
    assert cart.shift(0) == cart.shift(0, -1) == ((rank + 3) % 6, (rank + 3) % 6)
    assert cart.shift(-1) == (rank - 1 if j > 0 else mpi.PROC_NULL, rank + 1 if j < 2 else mpi.PROC_NULL)
    assert cart.shift(1, -2) == (rank + 2 if j == 0 else mpi.PROC_NULL, rank - 2 if j == 2 else mpi.PROC_NULL)
    assert cart.shift(0, 0) == (rank, rank)
    assert cart.sources == cart.destinations == (*cart.shift(0), *cart.shift(1))
    source, dest = cart.shift(1)
    assert cart.sendrecv(rank, dest, source=source) == (rank - 1 if j else None)
    for wrong, kind in ((0, 3), mpi.RankError), ((0,), mpi.RankError):
        with raises(kind):
            cart.rank_of(wrong)
    with raises(ValueError, "axis 2 is not in the mesh (2, 3), which has 2 axes"):
        cart.shift(2)
    # its parts
    for keep in (1,), (False, True), [-1]:
        with cart.sub(keep) as row:
            assert (type(row), row.dims, row.periods, row.coords) == (mpi.Cartesian, (3,), (False,), (j,))
            assert row.allgather(rank) == [3 * i, 3 * i + 1, 3 * i + 2]
            assert row.neighbor_allgather(rank) == [rank - 1 if j else None, rank + 1 if j < 2 else None]
    with cart.sub([0]) as column, cart.sub([0, 1]) as same_mesh, cart.sub([]) as point:
        assert (column.dims, column.periods, column.allgather(rank)) == ((2,), (True,), [j, j + 3])
        assert (same_mesh.dims, same_mesh.periods, same_mesh.coords) == ((2, 3), (True, False), (i, j))
        assert (point.dims, point.coords, point.size, point.neighbor_allgather(1)) == ((), (), 1, [])
    # others that are made of it
    with cart.dup() as twin, cart.split(i) as part, cart.cart((3, 2)) as turned:
        assert (type(twin), twin.dims, twin.coords) == (mpi.Cartesian, (2, 3), (i, j))
        assert twin.neighbor_allgather(rank) == cart.neighbor_allgather(rank)
        assert type(part) is mpi.Communicator and part.size == 3
        assert type(turned) is mpi.Cartesian and turned.coords == divmod(rank, 2)
assert repr(cart) == "<Cartesian, freed>"
for call in cart.free, cart.dup, lambda: cart.neighbor_allgather(1), lambda: cart.sub([0]), lambda: cart.send(1, 0):
    with raises(mpi.StateError, FREED):
        call()
for found, given in ((3, 2), {"ndim": 2}), ((2, 3), {"dims": (0, 3)}), ((3, 2), {"periods": (1, 1)}):
    with c.cart(**given) as cart:
        assert cart.dims == found
with raises(TypeError, "a communicator cannot be sent or pickled"):
    c.send(c.cart((1,)) or c, rank)
"""
    run_in_job(PRELUDE + script, 6, stack)


@pytest.mark.sanitize
@pytest.mark.parametrize("env", [{}, {"MACHINES": "0 1 1 0", "POLYMPI_MAILBOXES": "0"}])
def test_neighbours_give_one_another_objects_in_the_order_of_mpi(run_in_job, stack, env: dict[str, str]) -> None:
    script = """
places = list(itertools.product([True, False], repeat=2))
for dims, periods in [*itertools.product([(1, 4), (2, 2), (4,)], places), ((1, 1, 2), (True, True, False))]:
    cart = c.cart(dims, periods[:len(dims)])
    if cart is None:
        continue
    count = 2 * len(dims)
    got = cart.neighbor_alltoall([(rank, place) for place in range(count)])
    # what a neighbour sends towards this rank: its piece for the other side
    assert got == [None if n == mpi.PROC_NULL else (n, place ^ 1) for place, n in enumerate(cart.sources)], got
    assert cart.neighbor_allgather(rank) == [None if n == mpi.PROC_NULL else n for n in cart.sources]
    # any object; those of the program on the same communicator, with any tag, do not meet them
    request = cart.irecv()
    faces = [np.full((50, 60), 10 * rank + place)[:, place] for place in range(count)]
    for face, n, place in zip(cart.neighbor_alltoall(faces), cart.sources, range(count)):
        assert face is None if n == mpi.PROC_NULL else same(face, np.full(50, 10 * n + (place ^ 1)))
    big = cart.neighbor_allgather({"rank": rank, "data": np.full(100_000, rank)})
    assert all(n == mpi.PROC_NULL or same(x["data"], np.full(100_000, n)) for x, n in zip(big, cart.sources))
    assert not request.test()
    cart.send("mine", rank)
    assert request.wait() == "mine"
    cart.free()
"""
    run_in_job(PRELUDE + script, 4, stack, env=env)


def test_ranks_that_do_not_agree_learn_it(run_in_job, stack, mailboxes) -> None:
    script = """
def refused(call, kind, *words):
    comm = c.dup()
    with raises(kind, *words):
        call(comm)
    assert comm.allreduce(1) == size  # it can be used as before
    comm.free()
refused(lambda c: c.cart((3, 1) if rank == 1 else (1, 3)), mpi.MismatchError,
     f"rank {rank}, cart(): rank {0 if rank == 1 else 1} gives ((")
refused(lambda c: c.cart((3,), periods=rank == 2), mpi.MismatchError, "(True,)", "(False,)")
# all are wrong, or one is
refused(lambda c: c.cart((2, 2)), ValueError, "a mesh (2, 2) needs 4 ranks, but there are 3")
refused(lambda c: c.cart((3,), (True, False)), ValueError, "there are 2 periods for a mesh (3,) with 1 axes")
refused(lambda c: c.cart((3,), 1), TypeError, "periods must be a bool, or one for each axis, not 1")
refused(lambda c: c.cart(), TypeError, "a mesh needs dims")
refused(lambda c: c.cart((-3 if rank == 1 else 3,)), ValueError if rank == 1 else mpi.MismatchError,
     "" if rank == 1 else f"rank {rank}, cart(): rank 1 has failed: ValueError: dims are (-3,)")
refused(lambda c: c.cart((3,)) if rank else c.allgather(1) + c.nothing, mpi.MismatchError if rank else AttributeError,
     "rank 0 made another call" if rank else "")
with c.cart((3,)) as cart:
    refused(lambda _: cart.sub([0] if rank else []), mpi.MismatchError, "sub(): rank ")
    refused(lambda _: cart.sub([0, -1]), ValueError, "keep is [0, -1], which names an axis twice")
    refused(lambda _: cart.sub([True, True]), ValueError, "must be a bool for each of 1 axes")
    # neighbours
    refused(lambda _: cart.neighbor_alltoall([1, 2]) if rank == 1 else cart.neighbor_allgather(1), mpi.MismatchError,
         f"rank {rank}, neighbor_{'alltoall' if rank == 1 else 'allgather'}(): rank ",
         f"called neighbor_{'allgather' if rank == 1 else 'alltoall'}() where this rank called")
    for pieces in [1], 5:
        refused(lambda _: cart.neighbor_alltoall(pieces if rank == 0 else [1, 2]) and 1 / (rank - 2),
             [mpi.MismatchError, mpi.Error, ZeroDivisionError][rank])
    lock = __import__("threading").Lock()
    refused(lambda _: cart.neighbor_allgather(lock if rank == 0 else 1) and 1 / (rank - 2),
         [TypeError, mpi.Error, ZeroDivisionError][rank])
    assert cart.neighbor_allgather(rank) == [rank - 1 if rank else None, rank + 1 if rank < 2 else None]
assert (c.cart((2,)) is None) == (rank == 2)
"""
    run_in_job(PRELUDE + script, 3, stack, env=mailboxes)


def test_calls_after_a_time_out_get_what_is_theirs(run_in_job, stack) -> None:
    script = """
with c.cart((2,)) as cart:
    mine = [None, 1] if rank == 0 else [0, None]
    if rank == 0:
        for call in 1, 2:  # the other rank comes to neither meanwhile
            with raises(mpi.Timeout, "rank 0 waited 0.05 s for rank 1 in neighbor_allgather() at ", ": no matching",
                        operation="neighbor_allgather", rank=0, peer=1):
                cart.neighbor_allgather(("late", call), timeout=0.05)
        c.send(None, 1)
    else:
        c.recv(0)
        for call in 1, 2:
            assert cart.neighbor_allgather(np.full(100_000, call)) == [("late", call), None]
    assert cart.neighbor_allgather(rank) == mine
    if rank == 0:  # an exception of a signal handler
        import signal
        signal.signal(signal.SIGALRM, lambda *_: {}["alarm"])
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with raises(KeyError, "alarm"):
            cart.neighbor_alltoall([None, np.arange(5)])
        c.send(None, 1)
    else:
        c.recv(0)
        assert same(cart.neighbor_alltoall(["missed", None]), [np.arange(5), None])
    assert cart.neighbor_allgather(rank) == mine
    with raises(ValueError):
        cart.neighbor_allgather(rank, timeout=-1)
    with raises(mpi.StateError, "irecv(source=%d, tag=1)" % other):
        request = cart.irecv(other, 1)
        cart.free()
    request.cancel()
# one that is left, and whose part never comes, can be freed
cart = c.cart((2,))
if rank == 0:
    with raises(mpi.Timeout):
        cart.neighbor_allgather(rank, timeout=0.05)
    c.send(None, 1)
else:
    c.recv(0)
    assert cart._private.recv(0) == ("neighbor_allgather", 0)  # else it is reported at the end
cart.free()
"""
    run_in_job(PRELUDE + script, 2, stack)


def test_threads_use_meshes_at_the_same_time(run_in_job, stack) -> None:
    script = """
import threading
carts = [c.cart((2, 2), periods=True) for _ in range(3)]
failed = []
def work(number, cart):
    try:
        for turn in range(30):
            assert cart.neighbor_allgather((number, turn, rank)) == [(number, turn, n) for n in cart.sources]
            u = np.full(cart.block((5, 3)).shape, number)
            whole = cart.gather_blocks(u, root=turn % 4)
            assert whole is None or same(whole, np.full((5, 3), number))
    except BaseException as error:
        failed.append(error)
threads = [threading.Thread(target=work, args=pair) for pair in enumerate(carts)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert not failed, failed
for cart in carts: cart.free()
"""
    run_in_job(PRELUDE + script, 4, stack)
