"""What the facades of all older modules have in common: messages, collectives, errors, scripts, and their tables.

`facade_calls.py` has how each spells its calls; what only one module has is in the file of that module.
"""

import re
from pathlib import Path

import pytest
from rank_programs import PRELUDE

from polympi.compat.facades import FACADES
from polympi.lab.stacks.stack import Stack

pytestmark = pytest.mark.any_library

ROOT = Path(__file__).parents[3]
NAMES = ["pypar", "pympi", "mympi", "scientific", "boostmpi"]
EXAMPLES = [path for name in NAMES for path in sorted((ROOT / "examples" / "compat" / name).glob("*.py"))]
EACH = pytest.mark.parametrize("name", NAMES)
SIZES = pytest.mark.parametrize("ranks", [1, 2, 3])
BEGIN = (
    PRELUDE
    + """
from any_values import VALUES, arrived
from facade_calls import calls_of
from prelude import by_turns
old = calls_of(sys.argv[1])
right, left, last = (rank + 1) % size, (rank - 1) % size, size - 1
def shifted(x, tag=5, like=None, *source_and_tag):
    "What the left rank sends, when all send to the right."
    like = x if like is None else like
    return by_turns(lambda: old.send(x, right, tag), lambda: old.recv(like, *source_and_tag or (left, tag)))
def fails(call, *words):
    "Whether the facade refuses a call by its own error, and in these words."
    try:
        call()
    except old.error as error:
        assert f"rank {rank}" in str(error) and all(word in str(error) for word in words), error
    else:
        raise AssertionError("no error")
"""
)


@EACH
@SIZES
def test_messages_arrive_as_they_were_sent(run_in_job, stack: Stack, name: str, ranks: int) -> None:
    script = """
for x in VALUES if old.any_object else ["text", "ä", "x" * 100_000]:
    got, source, tag = shifted(x)
    assert same(got, arrived(x)) and (source, tag) == (left, 5)
for dtype in "ilfd" + "FDqLhB?" * old.any_object:
    for count in 0, 1, 5, 50_000:
        row = (np.arange(count) % 100).astype(dtype)
        got, _, _ = shifted(row)
        assert same(got, row) and got.flags.writeable
        got[...] = 1
    grid = np.arange(24).astype(dtype).reshape(4, 6)
    for x in grid[:, 2], grid[1, ::2]:
        assert same(shifted(x)[0], x.copy())
# tags and wildcards; the order of messages with one tag
for tag in 3, 4, 4:
    old.send(np.full(2, float(10 * rank + tag)), right, tag)
first, *_ = old.recv(np.zeros(2), left, 4)
_, source, tag = old.recv(np.zeros(2), left)
assert first[0] == 10 * left + 4 and (source, tag) == (left, 3)
assert old.recv(np.zeros(2), left, 4)[1:] == (left, 4)
c.barrier()
old.send(np.ones(1), right, 7)
assert old.recv(np.ones(1))[1:] == (left, 7)
# those of the program itself never meet them
c.send("mine", right, 5)
old.send(np.ones(1), right, 5)
assert old.recv(np.ones(1), left, 5)[0] == 1 and c.recv(left, 5) == "mine"
"""
    run_in_job(BEGIN + script, ranks, stack, arguments=[name])


@EACH
@SIZES
def test_collectives_give_what_numpy_computes(run_in_job, stack: Stack, name: str, ranks: int) -> None:
    script = """
from polympi.compat import boostmpi
calls = {"SUM": np.add, "PROD": np.multiply, "MAX": np.maximum, "MIN": np.minimum,
    "LAND": np.logical_and, "LOR": np.logical_or, "LXOR": np.logical_xor,
    "BAND": np.bitwise_and, "BOR": np.bitwise_or, "BXOR": np.bitwise_xor}
for dtype in "ilfd":
    for count, root in (1, 0), (5, last), (20_000, last):
        of = lambda n: (np.arange(count) % 7 + n + 1).astype(dtype)
        whole, mine = np.concatenate([of(n) for n in range(size)]), of(rank)
        got = old.bcast(mine.copy() if rank == root else None, root, mine)
        assert same(got, of(root))
        got[...] = 0  # it is writable
        if hasattr(old, "scatter"):
            assert same(old.scatter(whole, root), mine)
        if hasattr(old, "gather"):
            got = old.gather(mine, root)
            assert got is None if rank != root else same(got, whole)
        if hasattr(old, "allgather"):
            assert same(old.allgather(mine), whole)
        if hasattr(old, "alltoall"):
            assert same(old.alltoall(whole), np.concatenate([mine] * size))
        for op, ufunc in calls.items():
            logical = "ilfd" if sys.argv[1] == "mympi" else "" if old.error is boostmpi.Error else "il"
            if op[0] in "LB" and (size == 1 or dtype not in (logical if op[0] == "L" else "il")):
                continue
            so_far = list(itertools.accumulate([of(n) for n in range(size)], lambda a, b: ufunc(a, b).astype(dtype)))
            expected = so_far[-1]
            got = old.reduce(mine, op, root)
            assert got is None if rank != root else same(got, expected), (op, got)
            if hasattr(old, "allreduce"):
                assert same(old.allreduce(mine, op), expected)
            if hasattr(old, "scan"):
                assert same(old.scan(mine, op), so_far[rank]) or op[0] == "L" and rank == 0  # nothing is combined
        assert same(mine, of(rank))  # what is given is not changed
if old.any_object:
    for x in VALUES:
        assert same(arrived(old.bcast(x if rank == last else None, last, None)), arrived(x))
"""
    run_in_job(BEGIN + script, ranks, stack, arguments=[name])


@EACH
def test_wrong_calls_are_refused_by_all_ranks_alike(run_in_job, stack: Stack, name: str) -> None:
    script = """
x = np.arange(2.0)
for wrong in -1, size:
    fails(lambda: old.send(x, wrong, 5), str(wrong), "send")
    fails(lambda: old.recv(x, wrong, 5), str(wrong))
    fails(lambda: old.bcast(x, wrong, x), str(wrong))
    fails(lambda: old.reduce(x, "SUM", wrong), str(wrong))
    if hasattr(old, "scatter"):
        fails(lambda: old.scatter(x, wrong), str(wrong))
    if hasattr(old, "gather"):
        fails(lambda: old.gather(x, wrong), str(wrong))
fails(lambda: old.send(x, right, -5), "tag", "-5")
fails(lambda: old.recv(x, left, -5), "tag", "-5")
# what one rank cannot give ends the call on all
class Unsendable:
    def __reduce__(self):
        raise KeyError("not this one")
if old.any_object:
    if rank == 0:
        with raises(KeyError, "not this one"):
            old.bcast(Unsendable(), 0, None)
    else:
        fails(lambda: old.bcast(None, 0, None), "rank 0")
    with raises(KeyError, "not this one"):
        old.send(Unsendable(), right, 5)
assert same(shifted(x)[0], x)  # calls go on
"""
    run_in_job(BEGIN + script, 2, stack, arguments=[name])


@pytest.mark.parametrize("name", ["pympi", "boostmpi"])
def test_what_one_rank_cannot_give_ends_a_collective_on_all(run_in_job, stack: Stack, name: str) -> None:
    script = """
from polympi.compat import boostmpi, pympi
class Unsendable:
    def __reduce__(self):
        raise KeyError("not this one")
calls = {
    "pympi": [lambda x: pympi.allgather([x])],
    "boostmpi": [lambda x: boostmpi.all_gather(boostmpi.world, x),
                 lambda x: boostmpi.all_to_all(boostmpi.world, [x] * size)],
}[sys.argv[1]]
for call in calls:
    if rank == 0:
        with raises(KeyError, "not this one"):
            call(Unsendable())
    else:
        fails(lambda: call(1), "rank 0")
    assert len(call(1)) == size  # calls go on
if sys.argv[1] == "pympi":
    both = lambda left, right: left + right
    for kind, given, call in (
        (TypeError, 5, lambda x: pympi.allgather(x if rank == 0 else [x])),
        (pympi.MPIError, 5, lambda x: pympi.allgather([x], 2 if rank == 0 else 1)),
        (ValueError, "five", lambda x: pympi.allreduce(x, both, 0, None, int)),
        (ValueError, "five", lambda x: pympi.allreduce(x, both, 1, None, int)),
        (ValueError, "five", lambda x: pympi.allreduce(x, pympi.SUM, 0, None, int)),
    ):
        if rank == 0:
            with raises(kind, ""):
                call(given)
        else:
            fails(lambda: call(1))
        assert pympi.allreduce(1, pympi.SUM) == size
"""
    run_in_job(BEGIN + script, 2, stack, arguments=[name])


@pytest.mark.parametrize("name", ["pympi", "boostmpi"])
def test_operations_are_neither_hashed_nor_compared(run_in_job, stack: Stack, name: str) -> None:
    script = """
from polympi.compat import boostmpi, pympi
class Odd:
    def __eq__(self, other):
        raise AssertionError("compared")
    def __hash__(self):
        raise AssertionError("hashed")
    def __call__(self, left, right):
        return left + right
op, boost = Odd(), boostmpi.world
if sys.argv[1] == "pympi":
    got = pympi.allreduce(2, op), pympi.reduce(2, op), pympi.scan(2, op)
else:
    got = boostmpi.all_reduce(boost, 2, op), boostmpi.reduce(boost, 2, op, 0), boostmpi.scan(boost, 2, op)
assert got == (4, 4 if rank == 0 else None, 2 * (rank + 1)), got
"""
    run_in_job(BEGIN + script, 2, stack, arguments=[name])


@pytest.mark.parametrize("name", ["pypar", "mympi", "scientific"])
def test_what_is_no_operation_is_refused_also_without_a_hash(run_in_job, stack: Stack, name: str) -> None:
    script = """
from polympi.compat import mympi, pypar
from polympi.compat.scientific import MPI
x, y = np.arange(3.0), np.zeros(3)
for wrong in [1], {}, 77:
    if sys.argv[1] == "pypar":
        with raises(ValueError, "there is no operation"):
            pypar.reduce(x, wrong, 0, y)
    elif sys.argv[1] == "scientific":
        with raises(MPI.world.allreduce.__globals__["ArgumentError"], "isn't an operation"):
            MPI.world.allreduce(x, y, wrong)
    else:
        W = mympi.MPI_COMM_WORLD
        mympi.mpi_comm_set_errhandler(W, 1)
        mympi.mpi_reduce(x, 3, mympi.MPI_DOUBLE, wrong, 0, W)
        assert mympi.mpi_error() == 9
        for call in (
            lambda: mympi.mpi_bcast(x, 3, wrong, 0, W),
            lambda: mympi.mpi_gather(x, 3, wrong, 3, wrong, 0, W),
            lambda: mympi.mpi_scatter(x, 3, wrong, 3, wrong, 0, W),
        ):
            with raises(mympi.errors.error, "there is no datatype"):
                call()
"""
    run_in_job(BEGIN + script, 1, stack, arguments=[name])


@pytest.mark.parametrize("name", ["pypar", "mympi", "scientific"])
def test_a_broadcast_between_types_is_refused_where_it_comes(run_in_job, stack: Stack, name: str) -> None:
    script = """
x = np.arange(3.0)
given = x if rank == 0 else np.zeros(3, "i")
for _ in range(2):
    if rank == 0:
        old.bcast(given, 0, given)
    else:
        fails(lambda: old.bcast(given, 0, given), "bcast(")
assert same(old.bcast(x.copy(), 0, np.zeros(3)), x)  # calls go on
if sys.argv[1] == "mympi":
    from polympi.compat import mympi
    W = mympi.MPI_COMM_WORLD
    mympi.mpi_comm_set_errhandler(W, 1)
    got = mympi.mpi_bcast(x, 3 - rank, mympi.MPI_DOUBLE, 0, W)
    assert mympi.mpi_error() == 14 * rank and got.tolist() == [[0, 1, 2], [0, 0]][rank]
    assert mympi.mpi_barrier(W) == mympi.mpi_error() == 0
"""
    run_in_job(BEGIN + script, 2, stack, arguments=[name])


@pytest.mark.parametrize("call", ["gather", "reduce", "scientific reduce", "scientific allreduce"])
def test_a_result_that_cannot_be_written_is_refused(run_in_job, stack: Stack, call: str) -> None:
    script = """
from polympi.compat import pypar
from polympi.compat.scientific import MPI
x, call = np.arange(3.0), sys.argv[2]
locked = np.zeros(3 * size if call == "gather" else 3)
locked.flags.writeable = False
calls = {
    "gather": lambda: pypar.gather(x, 0, locked),
    "reduce": lambda: pypar.reduce(x, pypar.SUM, 0, locked),
    "scientific reduce": lambda: MPI.world.reduce(x, locked, MPI.sum, 0),
    "scientific allreduce": lambda: MPI.world.allreduce(x, locked, MPI.sum),
}
failed = False
try:
    calls[call]()
except old.error as error:
    failed = True
    assert f"rank {rank}" in str(error), error
assert failed or (rank and not call.startswith("scientific"))  # Pypar needs no buffer on other ranks
assert not locked.any()
"""
    facade = "scientific" if call.startswith("scientific") else "pypar"
    run_in_job(BEGIN + script, 2, stack, arguments=[facade, call])


def test_rows_of_ranks_that_get_nothing_are_new_ones(run_in_job, stack: Stack) -> None:
    script = """
from polympi.compat import mympi
W, D, x = mympi.MPI_COMM_WORLD, mympi.MPI_DOUBLE, np.arange(3.0)
for call in (
    lambda: mympi.mpi_gather(x, 3, D, 3, D, 0, W),
    lambda: mympi.mpi_gatherv(x, 3, D, [3] * size, [3 * n for n in range(size)], D, 0, W),
    lambda: mympi.mpi_reduce(x, 3, D, mympi.MPI_SUM, 0, W),
):
    first, second = call(), call()
    assert first is not second and first.flags.writeable and second.flags.writeable
    if rank:
        assert first.shape == second.shape == (0,) and first.dtype == x.dtype
    first.flags.writeable = False
    third = call()
    assert third.flags.writeable and third.shape == second.shape
row = mympi.mpi_gather(x.astype("i"), 3, mympi.MPI_INT, 3, mympi.MPI_INT, 0, W)
assert row.dtype == np.int32 and row.size == (0 if rank else 3 * size)
"""
    run_in_job(BEGIN + script, 2, stack, arguments=["mympi"])


@EACH
def test_nothing_of_a_call_is_kept(run_in_job, stack: Stack, name: str) -> None:
    """Calls leave as many references to what they are given as there were."""
    script = """
x, y, both = np.arange(3.0), np.zeros(3), np.arange(6.0)
def repeat(times):
    for _ in range(times):
        old.send(x, rank, 1)
        old.recv(y, rank, 1)
        old.bcast(x.copy(), 0, y)
        old.reduce(x, "SUM", 0)
        for call, given in ("scatter", both), ("gather", x), ("allgather", x), ("alltoall", both):
            if hasattr(old, call):
                getattr(old, call)(given, *[0] * (call in ("scatter", "gather")))
watched = [x, y, both, x.dtype, mpi.SUM]
repeat(20)
gc.collect()
before, objects = [sys.getrefcount(thing) for thing in watched], len(gc.get_objects())
repeat(200)
gc.collect()
after = [sys.getrefcount(thing) for thing in watched]
assert all(abs(now - then) < 50 for now, then in zip(after, before)), list(zip(after, before))
assert len(gc.get_objects()) < objects + 50
"""
    run_in_job(BEGIN + script, 2, stack, arguments=[name])


# ---- scripts ----


# What an example says, by its name, in the words of any module.
SAYS = {
    "broadcast": r"All 3 processors|column \[3, 5, 9\]|'this is a message'|broadcast 10 times",
    "buffered_sends": "buffers of 401040 bytes",
    "collectives": r"the sum is \[3, 3\]",
    "groups": "are in one communicator|colors and ranks",
    "hello": r"(?s)(?=.*rank 0)(?=.*rank 1)(?=.*rank 2)",
    "log_file": "step 1 of rank 2",
    "mandelbrot": r"\*",
    "master_slave": "20 (results|tasks)",
    "network_timing": "megabytes a second|the machine is busy",
    "nonblocking": "three times",
    "objects": "(?s)got 'a text'.*got 5",
    "pi": r"pi is about 3\.1",
    "reductions": r"of the highest|\[ 4  8  0 16\]|largest: \[4|the longest is three",
    "ring": "came back|got the message back|come round",
    "scatter_gather": "a column with the sum|AAABBBCCCDDD",
    "send_receive": "Hello, rank 1",
    "stencil": "78 58 42",
    "subsets": "odd ranks is 4",
    "torus": "(?s)" + "".join(rf"(?=.*rank {rank} is at)" for rank in range(4)),
}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: f"{example.parent.name}-{example.stem}")
def test_an_example_runs_with_the_command_it_gives(run_as, stack: Stack, tmp_path: Path, example: Path) -> None:
    name, place = example.parent.name, example.relative_to(ROOT)
    named = rf"^\s*mpiexec -n (\d) python -m polympi --as {name} {place}(.*)$"
    ((ranks, arguments),) = re.findall(named, example.read_text(), re.MULTILINE)
    given = [str(tmp_path / word) if "." in word else word for word in arguments.split()]
    ended = run_as(["--as", name, str(example), *given], int(ranks), stack)
    assert re.search(SAYS[example.stem], ended.succeeded()), ended
    assert ended.stderr == ""


# ---- what is said of them ----

# Names of which there is a sentence, and no name here: the originals had them.
GONE = {
    "pypar": {"MAXLOC", "MINLOC", "__author__", "__date__"},
    "pympi": set(),
    "mympi": {"COPYWRITE", "DATE_DOC", "DATE_SRC", "copywrite", "mpi_iterefa", "par_slu"},
    "scientific": {"_C_API"},
    "boostmpi": set(),
}


@EACH
def test_the_differences_are_those_of_names_and_are_sentences(name: str) -> None:
    facade = FACADES[name]
    assert set(facade.differences()) - facade.names() == GONE[name]
    assert all(sentence.endswith(".") for sentence in facade.differences().values())


@pytest.mark.parametrize("name", ["pympi", "mympi", "boostmpi"])
def test_the_page_has_each_name(name: str) -> None:
    page = (ROOT / "docs" / "compat" / f"{name}.md").read_text()
    if "## Calls" in page:
        page = page.split("## Calls")[1].split("## What differs")[0]
    assert [found for found in FACADES[name].names() if not re.search(rf"`{found}\b", page)] == []
