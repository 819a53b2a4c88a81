"""reduce, allreduce, scan, exscan and reduce_scatter against Python and NumPy, on any number of ranks."""

import functools
import itertools
import math
import operator
import pickle
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from alike import RANKS, assert_alike, raised, rank, run_all, size, world
from oracle import LOGICAL, Combine, prefixes

import polympi as mpi

ARITHMETIC = [mpi.SUM, mpi.PROD]
ORDER = [mpi.MIN, mpi.MAX]
BITS = [mpi.BAND, mpi.BOR, mpi.BXOR]
ALL = [*ARITHMETIC, *ORDER, *LOGICAL, *BITS]
LARGE = (120, 90)  # elements of any type beyond what travels in the first message


VERBS = ("allreduce", "reduce", "scan", "exscan")


def check(make: Callable[[int], Any], op: Any, verbs: Sequence[str] = VERBS, by: Combine | None = None) -> None:
    """Reductions of contributions `make(rank)`, against NumPy and Python, or against `by`, from the lowest rank up."""
    values = [make(r) for r in RANKS]
    results = prefixes(op, values, by)
    if op in ARITHMETIC and all(type(value) is bool for value in values):
        results = [int(result) for result in results]  # of a single rank, too
    for verb in verbs:
        what = (verb, op.name, values[0])
        if verb == "reduce":
            for root in {0, size - 1}:
                assert_alike(world.reduce(values[rank], op, root), results[-1] if rank == root else None, what)
        else:
            expected = {
                "allreduce": results[-1],
                "scan": results[rank],
                "exscan": results[rank - 1] if rank else None,
            }
            assert_alike(getattr(world, verb)(values[rank], op), expected[verb], what)


def python_numbers() -> None:
    makers: list[Callable[[int], Any]] = [
        lambda r: r + 1,
        lambda r: 0,
        lambda r: (-1) ** r * (2**62 - r),  # sums and products beyond 64 bits stay exact
        lambda r: 2**63 - 1,
        lambda r: -(2**63),
        lambda r: 2**100 + r,
        lambda r: r % 2 == 0,
        lambda r: (True, 3, 0, 2**70)[r % 4],
    ]
    for op in ALL:
        for make in makers:
            check(make, op)
    floats: list[Callable[[int], Any]] = [
        lambda r: 0.5 * (r + 1),
        lambda r: math.nan if r == 1 else float(r),
        lambda r: math.nan if r == 0 else -math.inf,
        lambda r: (1, 0.5, True, 2**80)[r % 4],
    ]
    for op in [*ARITHMETIC, *ORDER, *LOGICAL]:
        for make in floats:
            check(make, op)
    for op in ARITHMETIC:
        check(lambda r: complex(r, 1), op)


def arrays_of_every_dtype() -> None:
    """All pairs of operation and dtype, small and large; calls, shapes and orders take turns."""
    verbs = itertools.cycle(VERBS)
    shapes = itertools.cycle([(), (0, 3), (5,)])
    orders = itertools.cycle([lambda array: array, lambda array: array[3::2, ::-3], np.asfortranarray])
    for op, code in itertools.product(ALL, "?bBhHiIlLqQefdgFDG"):
        if (op in BITS and code in "efdgFDG") or (op in ORDER and code in "FDG"):
            continue
        check(functools.partial(some_array, code, next(shapes)), op, [next(verbs)])
        check(lambda r, code=code: np.dtype(code).type(r + 1), op, ["allreduce"])
        order = next(orders)
        check(lambda r, code=code, order=order: order(some_array(code, LARGE, r)), op, ["allreduce"])
    for shape in ((), (0, 3), LARGE):
        for order in (np.ascontiguousarray, np.asfortranarray):
            check(lambda r, shape=shape, order=order: order(some_array("d", shape, r)).reshape(shape), mpi.SUM)


def some_array(code: str, shape: tuple[int, ...], r: int) -> Any:
    """Different ones for the ranks, small enough that no product overflows."""
    return ((np.arange(math.prod(shape)) * (r + 3) + r) % 5).reshape(shape).astype(code)


def integers_of_any_size_wrap_around() -> None:
    """All pairs of operation and integer dtype, on numbers of the whole range; lengths with remainders of vectors."""
    verbs = itertools.cycle(VERBS)
    for op, code, n in itertools.product(ARITHMETIC + ORDER + BITS, "bBhHiIlLqQ", (37, 5003)):

        def numbers(r: int, code: str = code, n: int = n) -> Any:
            limits = np.iinfo(code)
            return np.random.default_rng(r).integers(limits.min, limits.max, n, dtype=code, endpoint=True)

        check(numbers, op, ["allreduce", next(verbs)])
        expected = np.array_split(prefixes(op, [numbers(r) for r in RANKS])[-1], size)[rank]
        assert_alike(world.reduce_scatter(numbers(rank), op), expected, (op.name, code, n))


def results_are_of_the_dtype_given() -> None:
    for code in (">f8", ">i4", ">u2", ">c16", ">m8[s]", "f2", "?", "g", "G", "q"):
        for shape in ((), (3,), LARGE):
            mine = np.full(shape, rank + 1).astype(code)
            for verb in (*VERBS, "reduce_scatter"):
                if verb == "reduce_scatter" and shape == ():
                    continue
                result = getattr(world, verb)(mine)
                assert result is None or (type(result), result.dtype) == (np.ndarray, np.dtype(code)), (verb, code)
            into = np.zeros(shape, code)
            assert world.allreduce(mine, into=into) is into
            assert np.array_equal(into, functools.reduce(np.add, [np.full(shape, r + 1).astype(code) for r in RANKS]))
    for code in (">f8", "<f8"):
        values, places = world.allreduce((np.full(3, -rank).astype(code), np.full(3, rank).astype(">i4")), mpi.MINLOC)
        assert (values.dtype, places.dtype) == (np.dtype(code), np.dtype(">i4"))
        assert places.tolist() == [size - 1] * 3
        pairs = np.zeros(3, f"{code},>i4")
        assert world.allreduce(pairs, mpi.MAXLOC).dtype == pairs.dtype
    for scalar in (np.float16, np.bool_, np.longdouble, np.complex64, np.longlong, np.uint8):
        assert type(world.allreduce(scalar(1))) is scalar
    assert world.allreduce(np.array(["ab", "c"])).tolist() == ["ab" * size, "c" * size]
    if size > 1:
        assert "ufunc" in raised(Exception, world.allreduce, np.zeros(3, "i4,f8"))


def nan_wins_in_arrays() -> None:
    for length in (3, 5000):
        for code in "fdg":
            check(
                lambda r, n=length, c=code: np.where(np.arange(n) % 3 == r, np.nan, np.arange(n) + r).astype(c), mpi.MIN
            )
            check(
                lambda r, n=length, c=code: np.where(np.arange(n) % 3 == r, np.nan, np.arange(n) - r).astype(c), mpi.MAX
            )


def what_mpi_has_no_type_for() -> None:
    for n in (3, 5000):
        check(lambda r, n=n: (np.arange(n) * r).astype(">f8"), mpi.SUM)
        check(lambda r, n=n: (np.arange(n) * r).astype("m8[s]"), mpi.SUM)
        check(lambda r, n=n: np.arange(n).astype("M8[s]") + r, mpi.MAX)
        check(lambda r, n=n: np.full(n, r + 1j), mpi.MAX)


def contributions_that_differ() -> None:
    for n in (3, 5000):
        check(lambda r, n=n: (np.arange(n) + r).astype(("f8", "i8", "f4", "i4")[r % 4]), mpi.SUM)
        check(lambda r, n=n: np.arange(float(n)) if r % 2 else 2.5, mpi.SUM)
        check(lambda r, n=n: np.arange(2.0 * n).reshape(2, n)[: 1 + r % 2], mpi.SUM)
        check(lambda r, n=n: np.arange(2.0 * n).reshape(2, n, order="FC"[r % 2]), mpi.SUM)
        check(lambda r, n=n: np.arange(float(n))[:: 1 - 2 * (r % 2)], mpi.MAX)


def objects() -> None:
    check(lambda r: [r], mpi.SUM)
    check(lambda r: "abcd"[r % 4], mpi.SUM)  # in the order of ranks
    check(lambda r: {r, 7}, mpi.BOR)
    check(lambda r: "xay"[r % 3], mpi.MAX)
    check(lambda r: "z" * 10_000 + str(r), mpi.op(lambda a, b: a + b), by=operator.add)
    does_not_commute = mpi.op(np.matmul, name="matmul")
    check(lambda r: np.array([[1, r], [r, 1 + r]]), does_not_commute, by=np.matmul)
    check(lambda r: {r: "x" * r}, mpi.op(lambda a, b: a | b, commutative=True), by=operator.or_)


def places() -> None:
    check(lambda r: (float(abs(r - 1)), r), mpi.MINLOC)
    check(lambda r: (r % 2, r), mpi.MAXLOC)  # the lower of two places
    assert size == 1 or str(world.allreduce((math.nan if rank == 1 else 3.0, rank), mpi.MINLOC)) == "(nan, 1)"
    rows = np.array([np.arange(5.0) * (r - 1) for r in RANKS])
    values, where = world.allreduce((rows[rank], np.full(5, rank)), mpi.MINLOC)
    assert np.array_equal(values, rows.min(axis=0))
    assert np.array_equal(where, rows.argmin(axis=0))
    pairs = np.zeros(5, "f8,i4")
    pairs["f0"], pairs["f1"] = rows[rank], rank
    result = world.allreduce(pairs, mpi.MAXLOC)
    assert result.dtype == pairs.dtype
    assert np.array_equal(result["f0"], rows.max(axis=0))
    assert np.array_equal(result["f1"], rows.argmax(axis=0))


def reduce_scatter_of_arrays() -> None:
    for op, codes in ((mpi.SUM, "ilf?e"), (mpi.MAX, "de"), (mpi.BXOR, "B")):
        for rows in (0, 1, size, 2 * size + 1, 3000):
            for code in codes:
                arrays = [(np.arange(rows * 3) * (r + 1) % 7).reshape(rows, 3).astype(code) for r in RANKS]
                expected = np.array_split(prefixes(op, arrays)[-1], size)[rank]
                assert_alike(world.reduce_scatter(arrays[rank], op), expected, (op.name, rows, code))
                into = np.zeros(expected.shape, code)
                assert world.reduce_scatter(arrays[rank], op, into=into) is into
                assert_alike(into, expected, (op.name, rows, code))


def reduce_scatter_of_lists() -> None:
    assert world.reduce_scatter([rank + r for r in RANKS]) == sum(r + rank for r in RANKS)
    assert world.reduce_scatter([f"{rank}{r} " for r in RANKS]) == "".join(f"{r}{rank} " for r in RANKS)
    assert_alike(world.reduce_scatter([np.full(r * 1000, rank) for r in RANKS]), np.full(rank * 1000, sum(RANKS)))
    pieces: Any = list(np.arange(float(size))) if rank % 2 else np.arange(float(size)).reshape(size, 1)
    assert np.ravel(world.reduce_scatter(pieces)) == [1.0 * rank * size]


def results_into_memory() -> None:
    total, up_to_here = size * (size + 1) / 2, (rank + 1) * (rank + 2) / 2
    for n in (5, 30_000):
        mine = np.arange(float(n)) * (rank + 1)
        for function, factor in ((world.allreduce, total), (world.scan, up_to_here)):
            expected = np.arange(float(n)) * factor
            into = np.zeros(n)
            assert function(mine, into=into) is into
            assert np.array_equal(into, expected)
            for all_in_place in (True, False):
                same = mine.copy()
                result = function(same, into=same if all_in_place or rank == 0 else None)
                assert np.array_equal(result, expected)
            table = np.zeros((n, 3))
            function(mine, into=table[:, 1])
            assert np.array_equal(table, np.stack([0 * expected, expected, 0 * expected], axis=1))
            shifted = np.concatenate([mine, np.zeros(3)])
            function(shifted[:-3], into=shifted[3:])
            assert np.array_equal(shifted[3:], expected)
            longer = np.full(n + 4, -1.0)
            function(mine, into=longer)
            assert np.array_equal(longer, np.concatenate([expected, np.full(4, -1.0)]))
            backwards = mine.copy()
            function(backwards[::-1], into=backwards)
            assert np.array_equal(backwards, expected[::-1])
        odd = np.frombuffer(bytearray(8 * n + 1), np.uint8)[1:].view(np.float64)  # not at a multiple of 8 bytes
        odd[:] = mine
        assert np.array_equal(world.allreduce(odd, into=odd), np.arange(float(n)) * total)
        same = np.arange(float(n))
        assert world.reduce(same, mpi.SUM, size - 1, into=same) is (same if rank == size - 1 else None)
        assert np.array_equal(same, np.arange(float(n)) * (size if rank == size - 1 else 1))
        same = np.arange(float(n))
        assert world.exscan(same, into=same) is (same if rank else None)
        assert np.array_equal(same, np.arange(float(n)) * max(rank, 1))
    for number, code in ((2.5, "f8"), (3, "i4"), (3, "f4"), (2 + 1j, "c16"), (np.float32(1.5), "f4"), (True, "i8")):
        into = np.zeros(2, code)
        assert world.allreduce(number, into=into) is into
        assert_alike(into, np.array([number * size, 0], code))


def all_ranks_get_the_same_bits() -> None:
    for n in (1, 3, 40_000):
        for values in (
            np.random.default_rng(rank).normal(size=n),
            np.random.default_rng(rank).normal(size=n).astype("f4"),
        ):
            assert len(set(world.allgather(world.allreduce(values).tobytes()))) == 1
        assert len(set(world.allgather(world.allreduce(float(values[0]))))) == 1


def results_are_new() -> None:
    for value in ([1], np.zeros(3), np.zeros(5000), np.zeros(3, ">f8")):
        for function in (world.allreduce, world.scan):
            assert function(value, mpi.MAX if size > 1 else mpi.SUM) is not value


def operations_are_objects_of_their_own() -> None:
    for op in [*ALL, mpi.MINLOC, mpi.MAXLOC]:
        assert pickle.loads(pickle.dumps(op)) is op
        assert repr(op) == f"polympi.{op.name}"
    assert world.bcast(mpi.SUM) is mpi.SUM
    assert mpi.SUM(2, 3) == 5
    assert mpi.op(max).name == "max"
    assert not mpi.op(max).commutative
    assert mpi.op(max, commutative=True, name="most").commutative
    raised(TypeError, mpi.op, 5)


def mistakes_are_refused() -> None:
    assert "polympi.op" in raised(mpi.MismatchError, world.allreduce, 1, sum)
    for value in (1.0, np.zeros(3), np.zeros(5000, "c16"), np.float64(1)):
        for op in BITS:
            assert "integers" in raised(mpi.MismatchError, world.allreduce, value, op)
    raised(mpi.RankError, world.reduce, 1, mpi.SUM, size)
    raised(mpi.RankError, world.reduce, 1, mpi.SUM, mpi.PROC_NULL)
    raised(mpi.MismatchError, world.reduce_scatter, np.array(3.0))
    raised(mpi.TruncationError, world.allreduce, np.zeros(5), into=np.zeros(4))
    raised(mpi.MismatchError, world.allreduce, np.zeros(5000), into=np.zeros(5000, "i8"))
    raised(mpi.MismatchError, world.allreduce, [1], into=np.zeros(5000, "i8"))
    if size > 1:
        assert "operations" in raised(mpi.MismatchError, world.allreduce, 1, mpi.SUM if rank else mpi.MAX)
        assert "roots" in raised(mpi.MismatchError, world.reduce, 1, mpi.SUM, 0 if rank else 1)
        read_only = np.zeros(5000)
        read_only.flags.writeable = False
        for value in (np.zeros(5000), np.zeros(5), 1, [1]):
            if rank == 1:
                raised(mpi.MismatchError, world.allreduce, value, into=read_only)
            else:
                world.allreduce(value)


def what_fails_on_one_rank_fails_on_those_that_wait_for_it() -> None:
    if size == 1:
        return
    last = size - 1
    assert "division" in raised(Exception, world.allreduce, 1, mpi.op(lambda a, b: a / (a - a)))
    assert "concatenate" in raised(Exception, world.allreduce, [1] if rank else "text")
    assert "broadcast" in raised(Exception, world.allreduce, np.zeros(5000) if rank else np.zeros(4999))
    unsendable = mpi.op(lambda a, b: lambda: None)
    assert "lambda" in raised(Exception, world.allreduce, 1, unsendable)
    assert "lambda" in raised(Exception, world.allreduce, (lambda: None) if rank == last else 3, unsendable)
    raised(mpi.Error, world.reduce_scatter, [1] * (size + (rank == last)))
    raised(Exception, world.reduce_scatter, [lambda: None] * size)
    if rank == last:  # those below do not depend on it
        assert "no sum" in raised(ValueError, world.scan, 1, sum_but_at_rank(last))
    else:
        assert world.scan(1, sum_but_at_rank(last)) == rank + 1
    if rank == 0:
        assert "rank 0" in raised(ValueError, world.reduce, 1, sum_but_at_rank(0), last)
    elif rank == last:
        assert "rank 0 could not do its part" in raised(mpi.Error, world.reduce, 1, sum_but_at_rank(0), last)
    else:
        assert world.reduce(1, sum_but_at_rank(0), last) is None


def what_has_no_bits_is_refused_alike() -> None:
    arrays = [np.zeros(n, dtype) for n in (1, 4, 5000) for dtype in (*"efdgFDG", ">f8", ">f4", "M8[s]", "U3", "f8, i4")]
    numbers = [1.5, 1j, None, "text", np.float16(1), np.float32(1), np.float64(1), np.complex64(1), Fraction(1, 2)]
    for value in [*arrays, *numbers, np.zeros((80, 90))[:, ::2], np.ma.zeros(3), Half(2)]:
        dtype = getattr(value, "dtype", None)
        kind = (dtype.type if dtype else type(value)).__name__
        for op, sign in zip(BITS, "&|^", strict=True):
            expected = f"{op.name} combines integers, booleans and objects that have {sign}, not {kind}"
            for call in (world.allreduce, world.reduce, world.scan, world.exscan):
                assert raised(mpi.MismatchError, call, value, op).endswith(f"(): {expected}")
            assert raised(mpi.MismatchError, world.reduce_scatter, [value] * size, op).endswith(f"(): {expected}")
    if size > 1:
        assert "not float64" in raised(mpi.MismatchError, world.reduce_scatter, np.zeros(size), mpi.BOR)


def what_an_operation_does_not_combine_is_a_mismatch_on_all_ranks() -> None:
    if size == 1:
        return
    for value in (None, {}, np.array(["2000"], "M8[s]"), np.array([1.5, None])):
        assert "(): SUM does not combine such values: " in raised(mpi.MismatchError, world.allreduce, value)
    for value in ([1], np.array([1.5, 2], object)):
        assert "(): BOR does not combine such values: " in raised(mpi.MismatchError, world.allreduce, value, mpi.BOR)
    own = mpi.op(lambda a, b: a + b, name="SUM")
    assert "does not combine" not in raised(Exception, world.allreduce, None, own)


class Half(float):
    """A number of the program without bits."""


def sum_but_at_rank(failing: int) -> Any:
    def add(a: int, b: int) -> int:
        if rank == failing:
            raise ValueError(f"no sum at rank {rank}")
        return a + b

    return mpi.op(add)


run_all(vars())
