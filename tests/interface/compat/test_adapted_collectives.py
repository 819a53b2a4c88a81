"""Collectives of facades that the core makes at once: which these are, and what becomes of others and of errors."""

from __future__ import annotations

import pytest
from rank_programs import PRELUDE

from polympi.lab.stacks.stack import Stack

pytestmark = [pytest.mark.mpi, pytest.mark.sanitize]

FACADES = (
    PRELUDE
    + """
import operator
from polympi.compat import boostmpi, mympi, pympi, pypar
from polympi.compat.scientific import MPI as scientific
mympi.mpi_init(1, ["script"])
W, D, S = mympi.MPI_COMM_WORLD, mympi.MPI_DOUBLE, mympi.MPI_SUM
science, boost = scientific.world, boostmpi.world
x, y, both, all_y = np.arange(3.0), np.zeros(3), np.arange(6.0), np.zeros(6)
def by_core(call, *given, **named):
    "Whether the core makes a call, and what it gives."
    before = call.calls
    value = call(*given, **named)
    return call.calls - before == 1, value
"""
)


def test_facades_take_the_short_way(run_in_job, stack: Stack) -> None:
    """What scripts mostly say is not left to functions of Python, and gives what these give."""
    script = """
large = np.arange(8192.0) + rank
for root in 0, 1:
    here = rank == root
    for call, given in (
        (pypar.broadcast, (x, root)), (pypar.broadcast, ("text", root)), (pypar.broadcast, ({"a": 1}, root)),
        (pypar.broadcast, (np.zeros((2, 3)) + root, root)), (pypar.broadcast, (x if here else None, root)),
        (pypar.scatter, (both, root)), (pypar.scatter, (both, root, y)), (pypar.scatter, ("even", root)),
        (pypar.scatter, (both if here else None, root)), (pypar.scatter, (np.arange(12.0).reshape(4, 3), root)),
        (pypar.gather, (x, root)), (pypar.gather, (x, root, all_y)), (pypar.gather, ("text", root)),
        (pypar.reduce, (x, pypar.SUM, root)), (pypar.reduce, (x, pypar.MAX, root, y)),
        (pympi.bcast, ([1], root)), (pympi.bcast, (x, root)), (pympi.barrier, ()),
        (pympi.scatter, ([1, 2], root)), (pympi.scatter, (both, root)), (pympi.scatter, ("even", root)),
        (pympi.scatter, (("a", "b"), root)), (pympi.scatter, (None if not here else [1, 2], root)),
        (pympi.gather, ([rank], None, root)), (pympi.gather, (x, None, root)), (pympi.gather, ("ab", None, root)),
        (pympi.allgather, ([rank, 2],)), (pympi.allgather, ((rank,) * rank,)), (pympi.allgather, (x,)),
        (pympi.reduce, (x, pympi.SUM, root)), (pympi.reduce, (rank, pympi.MAX, root)),
        (pympi.allreduce, (rank, pympi.SUM)), (pympi.scan, (rank, pympi.PROD)), (pympi.allreduce, ("a", pympi.SUM)),
        (mympi.mpi_barrier, (W,)), (mympi.mpi_bcast, (x, 3, D, root, W)), (mympi.mpi_reduce, (x, 3, D, S, root, W)),
        (mympi.mpi_scatter, (both, 3, D, 3, D, root, W)), (mympi.mpi_gather, (x, 3, D, 3, D, root, W)),
        (mympi.mpi_alltoall, (both, 3, D, 3, D, W)),
        (mympi.mpi_scatterv, (both, [3, 3], [0, 3], D, 3, D, root, W)),
        (mympi.mpi_scatterv, (both, (2, 2), np.array([4, 1]), D, 2, D, root, W)),
        (mympi.mpi_gatherv, (x, 3, D, np.array([3, 3], "i"), [0, 3], D, root, W)),
        (mympi.mpi_gatherv, (x, 3, D, [3, 3], [4, 0], D, root, W)),
        (mympi.mpi_alltoallv, (both, [3, 3], [0, 3], D, [3, 3], [3, 0], D, W)),
        (mympi.mpi_alltoall, (large, 4096, D, 4096, D, W)),
        (mympi.mpi_alltoallv, (large, [5000, 3192], [0, 5000], D, [5000 - 1808 * rank] * 2, [0, 5000], D, W)),
        (mympi.mpi_alltoallv, (large, [4000, 4000], [50, 4100], D, [4000, 4000], [4000, 0], D, W)),
        (science.broadcast, (x.copy(), root)), (science.share, (x, np.zeros((2, 3)))), (science.barrier, ()),
        (science.reduce, (x, y, scientific.sum, root)), (science.allreduce, (x, y, scientific.max)),
        (boostmpi.broadcast, (boost, {"a": 1}, root)), (boostmpi.gather, (boost, rank, root)),
        (boostmpi.all_gather, (boost, x)), (boostmpi.all_to_all, (boost, [1, (2,)])),
        (boostmpi.scatter, (boost, (1, 2) if here else None, root)), (boostmpi.reduce, (boost, 5, operator.add, root)),
        (boostmpi.all_reduce, (boost, x, operator.mul)), (boostmpi.scan, (boost, rank, operator.add)),
        (boost.barrier, ()),
    ):
        made, value = by_core(call, *given)
        assert made, (call, given)
        expected = call.__wrapped__(*given)
        assert type(value) is type(expected), (call, given, value, expected)
        if isinstance(value, np.ndarray):
            assert same(value, expected), (call, given, value, expected)
        elif isinstance(value, (list, tuple)):
            assert len(value) == len(expected) and all(map(np.array_equal, value, expected)), (call, given, value)
        else:
            assert value == expected, (call, given)
assert by_core(pypar.broadcast, root=1, buffer=y)[0]
assert by_core(boostmpi.broadcast, root=1, comm=boost, value=2) == (True, 2)
# arrays that are given are filled, and returned
filled = np.arange(3.0) if rank else np.zeros(3)
assert pypar.broadcast(filled, 1) is filled and filled.tolist() == [0, 1, 2]
grid = np.zeros((2, 3))
assert pypar.gather(x, 0, grid) is grid and grid.tolist() == ([[0, 1, 2]] * 2 if rank == 0 else [[0] * 3] * 2)
assert pypar.reduce(x, pypar.SUM, 0, y) is y and pypar.scatter(both, 0, y) is y
with_bypass = by_core(pypar.broadcast, y, 0, bypass=True), by_core(pypar.reduce, x, pypar.SUM, 0, y, bypass=True)
assert with_bypass == ((True, None), (True, None))
made = mympi.mpi_bcast(x, 3, D, rank and 0, W)
assert made is not x and made.flags.writeable
"""
    run_in_job(FACADES + script, 2, stack)


def test_unusual_calls_are_made_by_the_function(run_in_job, stack: Stack) -> None:
    script = """
class Row(np.ndarray):
    pass
class Text(str):
    pass
class Number(int):
    pass
sub, odd = np.arange(3.0).view(Row), np.arange(5.0)
class Operator(type(pympi.SUM)):
    pass
doubled = Operator(mpi.SUM)
content = boostmpi.get_content(np.arange(3.0))
for call, given, named in (
    (pypar.broadcast, (x, Number(0)), {}), (pypar.broadcast, (bytearray(b"ab"), 1), {"vanilla": True}),
    (pypar.scatter, (odd, 0), {}), (pypar.scatter, (sub, 0), {}), (pypar.scatter, ("odd", 0), {}),
    (pypar.gather, (x.reshape(1, 3), 0), {}), (pypar.gather, (sub, 0), {}), (pypar.gather, (b"ab", 0), {}),
    (pypar.gather, (Text("ab"), 0), {}), (pypar.reduce, (x.reshape(1, 3), pypar.SUM, 0), {}),
    (pypar.reduce, (x, Number(pypar.SUM), 0), {}), (pypar.reduce, (both[::2].reshape(3, 1), pypar.SUM, 0, y), {}),
    (pympi.scatter, ([1, 2, 3], 0), {}), (pympi.scatter, (5, 0), {}), (pympi.scatter, ({1: 2, 3: 4}, 0), {}),
    (pympi.gather, ([1, 2], 1), {}), (pympi.gather, ({1: 2},), {}), (pympi.allgather, (range(2),), {}),
    (pympi.reduce, (2, pympi.SUM, 0, 0), {}), (pympi.reduce, (2, pympi.SUM), {"type": float}),
    (pympi.allreduce, (2, pympi.LAND), {}), (pympi.allreduce, (2, max), {}), (pympi.scan, (2, pympi.MAXLOC), {}),
    (pympi.allreduce, (2, doubled), {}),
    (mympi.mpi_bcast, ([0, 1, 2], 3, D, 0, W), {}), (mympi.mpi_bcast, (odd, 3, D, 0, W), {}),
    (mympi.mpi_reduce, (x, 3, D, S, 0, np.int64(W)), {}), (mympi.mpi_reduce, (x, 3, mympi.MPI_INT, S, 0, W), {}),
    (mympi.mpi_scatter, (list(both), 3, D, 3, D, 0, W), {}), (mympi.mpi_gather, (2.5, 1, D, 1, D, 0, W), {}),
    (mympi.mpi_scatterv, (both, np.array([3.0, 3.0]), [0, 3], D, 3, D, 0, W), {}),
    (science.share, (sub, np.zeros((2, 3))), {}), (science.allreduce, (x, y.view(Row), scientific.sum), {}),
    (science.broadcast, (sub.copy(), 0), {}),
    (boostmpi.broadcast, (boost, content, 0), {}), (boostmpi.all_to_all, (boost, iter([1, 2])), {}),
    (boostmpi.all_to_all, (boost, both[:2]), {}), (boostmpi.all_reduce, (boost, 2, max), {}),
    (boostmpi.all_reduce, (2, operator.add), {}), (boostmpi.all_gather, (2,), {}), (boostmpi.gather, (2, 0), {}),
):
    # on one rank the core may still make it, where what is odd is not looked at there
    made, value = by_core(call, *given, **named)
    made = all(c.allgather(made))
    assert not made, (call, given)
# equal objects that are other ones, and those that Python must compare
class Same:
    "Equal to all, with a hash of its own."
    def __eq__(self, other):
        raise AssertionError("compared")
    def __hash__(self):
        raise AssertionError("hashed")
    def __call__(self, left, right):
        return left + right
assert by_core(boostmpi.all_reduce, boost, 2, Same()) == (False, 4)
assert by_core(mympi.mpi_reduce, x, int("3"), int(str(D)), int(str(S)), 0, int(str(W)))[0]
# a rank whose call is usual meets one whose call is not
assert pypar.reduce(x if rank else sub, pypar.SUM, 0, y) is y and rank or y.tolist() == [0, 2, 4]
assert pympi.allgather([1] if rank else range(2)) == [0, 1, 1]
assert mympi.mpi_gather(x if rank else [5, 6, 7], 3, D, 3, D, 0, W).tolist() == ([] if rank else [5, 6, 7, 0, 1, 2])
# what came is not what was asked for
came = mympi.mpi_gather(x[:2] if rank else x, 3 - rank, D, 3, D, 0, W)
assert came.tolist() == ([] if rank else [0, 1, 2, 0, 1, 0])
assert mympi.mpi_bcast(x, 3 + rank, D, 0, W).tolist() == [0, 1, 2, 0][: 3 + rank]
"""
    run_in_job(FACADES + script, 2, stack)


def test_errors_are_those_of_the_facades(run_in_job, stack: Stack) -> None:
    script = """
class Unsendable:
    def __reduce__(self):
        raise KeyError("not this one")
class Refuses:
    def __add__(self, other):
        raise KeyError("no sum")
def error_of(call, given):
    try:
        call(*given)
    except Exception as error:
        return error
    return None
from hostless import without_hosts
def fails(kind, call, given):
    "Whether a call fails as its function does, and is not counted."
    calls = call.calls
    error, others = error_of(call, given), error_of(call.__wrapped__, given)
    assert isinstance(error, kind) and call.calls == calls, (call, given, error)
    assert (type(error), str(error)) == (type(others), str(others)), (call, given, error, others)
    return without_hosts(str(error))
for kind, call, given in (  # all ranks get one, before anything is sent
    (mpi.RankError, pypar.broadcast, (x, 2)), (mpi.RankError, pypar.gather, (x, -1, all_y)),
    (ValueError, pypar.reduce, (x, 77, 0, y)), (AssertionError, pypar.reduce, (x, pypar.SUM, 0, np.zeros(3, "i"))),
    (RuntimeError, pypar.reduce, (x, pypar.SUM, 0, np.zeros(4))), (TypeError, pypar.scatter, ([1, 2], 0)),
    (TypeError, pypar.reduce, ([1], pypar.SUM)), (TypeError, pypar.broadcast, ()),
    (TypeError, pypar.gather, (x, "0")), (pympi.MPIError, pympi.bcast, (1, 5)),
    (pympi.MPIError, pympi.reduce, (1, pympi.SUM, -1)), (TypeError, pympi.gather, (5,)),
    (pympi.MPIError, pympi.gather, ([1], 3)), (TypeError, pympi.reduce, (1, 5)),
    (mympi.error, mympi.mpi_bcast, (x, 3, D, 2, W)), (mympi.error, mympi.mpi_reduce, (x, 3, D, 1, 0, W)),
    (mympi.error, mympi.mpi_gather, (x, 3, 99, 3, D, 0, W)), (mympi.error, mympi.mpi_barrier, (4,)),
    (mympi.error, mympi.mpi_alltoall, (x, 3, D, 3, D, W)),
    (mympi.error, mympi.mpi_alltoallv, (x, [3, 3], [0, 3], D, [3, 3], [0, 3], D, W)),
    (mympi.error, mympi.mpi_alltoallv, (both, [3, -3], [0, 3], D, [3, 3], [0, 3], D, W)),
    (scientific.MPIError, science.broadcast, (x, 2)), (scientific.MPIError, science.share, (x, np.zeros((3, 3)))),
    (scientific.MPIError, science.reduce, (x, y, "sum", 0)),
    (scientific.MPIError, science.allreduce, (x, all_y, scientific.sum)),
    (boostmpi.Error, boostmpi.broadcast, (boost, x, 9)), (TypeError, boostmpi.gather, (boost, x)),
    (TypeError, boostmpi.all_reduce, (boost, x)), (TypeError, boostmpi.reduce, (boost, 1, operator.add)),
    (boostmpi.Error, boostmpi.all_to_all, (boost, [1])),
):
    fails(kind, call, given)
read_only = np.zeros(3)
read_only.flags.writeable = False
for kind, call, given in (
    (mpi.MismatchError, pypar.gather, (x, 0, read_only)), (mpi.Error, pypar.reduce, (x, pypar.SUM, 0, read_only)),
    (scientific.MPIError, science.reduce, (x, read_only, scientific.sum, 0)),
):
    if rank == 0:
        fails(kind, call, given)
    else:
        error_of(call, given), error_of(call.__wrapped__, given)
# errors that come out when the call is made: on this rank what it is, on the other one that of the facade
for kind, call, here, there in (
    (pympi.MPIError, pympi.allgather, ([Unsendable()],), ([1],)),
    (pympi.MPIError, pympi.bcast, (Unsendable(), 0), (1, 0)),
    (boostmpi.Error, boostmpi.all_gather, (boost, Unsendable()), (boost, 1)),
    (boostmpi.Error, boostmpi.all_to_all, (boost, [Unsendable()] * 2), (boost, [1, 1])),
    (mpi.Error, pypar.broadcast, (Unsendable(), 0), (None, 0)),
    (mpi.MismatchError, pypar.broadcast, (Unsendable(), 0), (y, 0)),
):
    if rank == 0:
        assert "not this one" in fails(KeyError, call, here)
    elif kind is not mpi.MismatchError:
        assert "rank 0" in fails(kind, call, there)
    else:
        fails(mpi.Error, call, there)
for call, given in (pympi.allreduce, (Refuses(), pympi.SUM)), (boostmpi.all_reduce, (boost, Refuses(), operator.add)):
    assert "no sum" in fails(Exception, call, given)
if rank == 1:
    assert "rank 1, bcast(" in fails(mpi.MismatchError, pypar.broadcast, (np.zeros(3, "i"), 0))
    assert "rank 1, bcast(" in fails(scientific.MPIError, science.broadcast, (np.zeros(3, "i"), 0))
else:
    for call in pypar.broadcast, science.broadcast:
        call(x, 0), call.__wrapped__(x, 0)
# numbers instead of exceptions, and that a usual call succeeded afterwards
mympi.mpi_comm_set_errhandler(W, 1)
assert mympi.mpi_bcast(x, 3 if rank == 0 else 2, D, 0, W).tolist() == [[0, 1, 2], [0, 0]][rank]
assert mympi.mpi_error() == (14 if rank else 0)
assert mympi.mpi_reduce(x, 3, D, S, 5, W).tolist() == [] and mympi.mpi_error() == 6
assert by_core(mympi.mpi_barrier, W) == (True, 0) and mympi.mpi_error() == 0
mympi.mpi_comm_set_errhandler(W, 0)
# freed communicators
freed = pympi.WORLD.comm_dup()
bcast = freed.bcast
assert freed.bcast(5) == 5 and bcast.calls == 1
freed.comm_free()
for call in freed.bcast, bcast, freed.barrier:
    with raises(pympi.MPIError, "COMM_NULL"):
        call()
number = mympi.mpi_comm_dup(W)
assert by_core(mympi.mpi_barrier, number) == (True, 0)
mympi.mpi_comm_free(number)
with raises(mympi.error, str(number)):
    mympi.mpi_barrier(number)
part = boost.split(0)
assert by_core(boostmpi.all_gather, part, rank) == (True, (0, 1))
part._comm.free()
with raises(boostmpi.Error, "freed"):
    boostmpi.all_gather(part, rank)
nobody = boost.split(rank or None)
if rank == 0:
    with raises(boostmpi.Error, "no ranks"):
        boostmpi.all_gather(nobody, 1)
class Other(boostmpi.Communicator):
    pass
assert by_core(boostmpi.all_gather, Other(), rank) == (False, (0, 1))
"""
    run_in_job(FACADES + script, 2, stack)


def test_nothing_is_kept(run_in_job, stack: Stack) -> None:
    """What a call is given has afterwards as many references as before, and so have common objects."""
    script = """
large = np.arange(8192.0)
calls = [
    (pypar.broadcast, (x, 0)), (pypar.broadcast, (np.zeros((2, 3)), 0)), (pypar.scatter, (both, 0, y)),
    (pypar.scatter, ("even", 0)), (pypar.gather, (x, 0)), (pypar.gather, ("text", 0)), (pypar.gather, (x, 0, all_y)),
    (pypar.reduce, (x, pypar.SUM, 0)), (pypar.reduce, (x, pypar.SUM, 0, y)), (pypar.scatter, (x, 0)),
    (pympi.scatter, ([1, 2], 0)), (pympi.gather, ([x],)), (pympi.allgather, (x,)), (pympi.allreduce, (5, pympi.SUM)),
    (mympi.mpi_bcast, (x, 3, D, 0, W)), (mympi.mpi_reduce, (x, 3, D, S, 0, W)),
    (mympi.mpi_scatterv, (both, [3, 3], [0, 3], D, 3, D, 0, W)),
    (mympi.mpi_scatterv, (both, [2, 2], [1, 3], D, 2, D, 0, W)),
    (mympi.mpi_gather, (x, 3, D, 3, D, 0, W)), (mympi.mpi_gatherv, (x, 3, D, [3, 3], [3, 0], D, 0, W)),
    (mympi.mpi_alltoall, (both, 3, D, 3, D, W)), (mympi.mpi_alltoall, (large, 4096, D, 4096, D, W)),
    (mympi.mpi_alltoall, (large, 4096, D, 4095 + rank, D, W)) if rank else
    (mympi.mpi_alltoall, (large, 4096, D, 4096, D, W)), (mympi.mpi_bcast, (x, 3 + rank, D, 0, W)),
    (science.share, (x, np.zeros((2, 3)))), (science.reduce, (x, y, scientific.sum, 0)), (science.broadcast, (y, 0)),
    (boostmpi.all_gather, (boost, x)), (boostmpi.scatter, (boost, [x, y], 0)), (boostmpi.all_to_all, (boost, [x, y])),
    (boostmpi.reduce, (boost, x, operator.add, 0)), (boostmpi.broadcast, (boost, x, 0)),
]
watched = [large, x, y, both, all_y, None, mpi.SUM, x.dtype, operator.add, boost, D, S, W, pympi.SUM, scientific.sum, c]
def repeat(times):
    for _ in range(times):
        for call, given in calls:
            call(*given)
repeat(20)
gc.collect()
before, objects = [sys.getrefcount(thing) for thing in watched], len(gc.get_objects())
repeat(200)
gc.collect()
after = [sys.getrefcount(thing) for thing in watched]
assert all(abs(now - then) < 50 for now, then in zip(after, before)), list(zip(after, before))
assert len(gc.get_objects()) < objects + 50
"""
    run_in_job(FACADES + script, 2, stack)


def test_rows_of_ranks_that_get_nothing_are_never_shared(run_in_job, stack: Stack) -> None:
    script = """
x = np.arange(3.0)
def row():
    return mympi.mpi_gather(x, 3, D, 3, D, 0, W)
first = row()
second = row()
if rank:
    assert first is not second and first.size == second.size == 0 and second.flags.writeable
    second.shape = (0, 2)
    third = row()
    assert third.shape == (0,) and third is not second
    third.flags.writeable = False
    view = third[:]
    del third
    assert row().flags.writeable and view.shape == (0,)
    del view, second
    assert row().shape == (0,)
    assert mympi.mpi_gather(x.astype("i4"), 3, mympi.MPI_INT, 3, mympi.MPI_INT, 0, W).dtype == np.int32
else:
    for _ in range(3):
        row()
    mympi.mpi_gather(x.astype("i4"), 3, mympi.MPI_INT, 3, mympi.MPI_INT, 0, W)
"""
    run_in_job(FACADES + script, 2, stack)


def test_what_does_not_fit_together_is_refused(run_in_job, stack: Stack) -> None:
    script = """
from polympi.compat.adapted import adapted
class Place:
    _comm = c
for error, where, roles, named in (
    (ValueError, c, "object", {"collective": "exscan"}),
    (ValueError, c, "object", {"collective": "bcast", "form": "odd"}),
    (ValueError, c, "object op", {"collective": "reduce"}),
    (ValueError, c, "object", {"collective": "bcast", "form": "rows"}),
    (ValueError, c, "object count datatype", {"collective": "bcast", "dtypes": {}, "form": "any"}),
    (ValueError, c, "object count datatype", {"collective": "bcast", "dtypes": {}, "form": "rows"}),
    (ValueError, c, "object count datatype places", {"collective": "gather", "dtypes": {}, "form": "rows",
                                                    "mismatched": len}),
    (ValueError, c, "object into_count", {"collective": "gather"}), (TypeError, c, "object", {"ops": 5}),
    (TypeError, Place, "object comm", {"collective": "bcast"}), (AttributeError, int, "object comm", {}),
    (ValueError, boostmpi.Communicator, "object", {"collective": "bcast"}),
):
    names = ", ".join("abcde"[: len(roles.split())])
    with raises(error):
        adapted(where, roles, **named)(eval(f"lambda {names}: None"))
class Empty(boostmpi.Communicator):
    def __init__(self):
        pass
call = adapted(Empty, "comm object", collective="allgather")(lambda comm, x: "function")
assert call(Empty(), 1) == call(boost, 1) == "function"
"""
    run_in_job(FACADES + script, 2, stack)
