"""Receiving into memory of the program's own: what fits, what does not, and that a refused message harms no other."""

from __future__ import annotations

import pytest
from rank_programs import PRELUDE

from polympi.lab.stacks.stack import Stack

pytestmark = [pytest.mark.mpi, pytest.mark.sanitize]

# Every way to receive into memory.
WAYS = """
import array
import ctypes
import mmap

WAYS = [
    lambda into: c.recv(0, 1, into=into),
    lambda into: c.irecv(0, 1, into=into).wait(),
    lambda into: mpi.wait_all([c.irecv(0, 1, into=into)])[0],
    lambda into: mpi.wait_any([c.irecv(0, 1, into=into)])[1],
    lambda into: c.sendrecv(None, mpi.PROC_NULL, 0, 0, 1, into=into),
]
"""


def test_arrays_of_every_layout_go_into_arrays_of_every_layout(run, stack: Stack) -> None:
    # 24 elements travel inside the one message, 24000 beside it.
    script = """
def layouts(n, dtype):
    "Arrays of n * 24 elements over distinct memory, with what is beside them: (whole, array)."
    def over(shape, cut=lambda whole: whole, order="C"):
        whole = np.zeros(shape, dtype, order=order)
        return whole, cut(whole)
    return [
        over((2, 3, 4 * n)), over((24 * n,)), over((6 * n, 4)), over((2, 3, 4 * n), order="F"),
        over((4 * n, 3, 2), lambda a: a.T), over((48 * n,), lambda a: a[::2]), over((24 * n,), lambda a: a[::-1]),
        over((2, 6, 4 * n + 1), lambda a: a[:, ::2, 1:]), over((3, 2, 4 * n), lambda a: a.transpose(1, 0, 2)),
        over((24 * n, 3), lambda a: a[:, 1]), over((2, 3, 4 * n, 1)), over((4, 3, 2, n), lambda a: a[:, ::-1]),
    ]
for n in 1, 1000:
    for dtype in "f8", "u1", ">i4", "M8[s]", "i4,f8":
        values = (np.arange(24 * n) % 251).astype("f8").astype(dtype) if "," not in dtype else np.zeros(24 * n, dtype)
        if "," in dtype:
            values["f0"] = np.arange(24 * n)
            values["f1"] = -values["f0"]
        for number, (_, sent) in enumerate(layouts(n, dtype)):
            sent[...] = values.reshape(sent.shape)
            for turn, (whole, into) in enumerate(layouts(n, dtype)):
                if rank == 0:
                    c.send(sent, 1, 1)
                    continue
                assert WAYS[(number + turn) % len(WAYS)](into) is into
                expected, part = layouts(n, dtype)[turn]
                part[...] = values.reshape(part.shape)
                assert same(whole, expected), (dtype, n, sent.strides, into.strides)
"""
    run(PRELUDE + WAYS + script, 2, stack).succeeded()


def test_any_memory_takes_bytes_and_elements_of_its_type(run, stack: Stack) -> None:
    script = """
with mmap.mmap(-1, 12_000) as mapped:
    for nbytes in 24, 12_000:
        doubles = np.arange(nbytes // 8) * 0.5
        raw = doubles.tobytes()
        strided = np.zeros((nbytes // 8, 2))
        count = nbytes // 8
        PAIRS = [
            (raw, lambda: bytearray(nbytes)), (bytearray(raw), lambda: bytearray(nbytes)),
            (memoryview(raw), lambda: memoryview(bytearray(nbytes))),
            (np.frombuffer(raw, "u1"), lambda: bytearray(nbytes)),
            (raw, lambda: np.zeros(nbytes, "u1")), (raw, lambda: np.zeros(nbytes, "i1")),
            (raw, lambda: np.zeros(nbytes, "S1")), (raw, lambda: (ctypes.c_char * nbytes)()),
            (raw, lambda: memoryview(bytearray(nbytes)).cast("c")), (raw, lambda: memoryview(mapped)[:nbytes]),
            (raw, lambda: memoryview(bytearray(2 * nbytes))[::2]),
            (doubles, lambda: array.array("d", bytes(nbytes))), (array.array("d", doubles), lambda: np.zeros(count)),
            (doubles, lambda: (ctypes.c_double * count)()), (doubles, lambda: strided[:, 1]),
            (doubles, lambda: memoryview(strided[:, 0])), (memoryview(doubles), lambda: memoryview(np.zeros(count))),
            (doubles, lambda: memoryview(bytearray(nbytes)).cast("d")),
            (np.asfortranarray(doubles.reshape(3, -1)), lambda: memoryview(np.zeros((3, count // 3), order="F"))),
        ]
        for number, (sent, make) in enumerate(PAIRS):
            if rank == 0:
                c.send(sent, 1, 1)
            else:
                into = make()
                assert WAYS[number % len(WAYS)](into) is into
                assert memoryview(into).tobytes() == raw, (number, nbytes)
if rank == 0:
    for value in np.float64(2.5)[...], np.array(3, "i4"), np.array([4], "i4"):
        c.send(value, 1, 1)
else:
    assert c.recv(into=np.zeros(())) == 2.5
    assert c.recv(into=np.zeros((1, 1), "i4")) == [[3]]
    assert c.recv(into=np.zeros((), "i4")) == 4
"""
    run(PRELUDE + WAYS + script, 2, stack).succeeded()


def test_fewer_elements_fill_the_first_ones_of_one_axis(run, stack: Stack) -> None:
    script = """
for n in 10, 10_000:
    plane = np.arange(n).reshape(2, -1)
    SENT = [np.arange(n), plane, np.asfortranarray(plane), np.arange(2 * n)[::2]]
    for number, sent in enumerate(SENT):
        for turn, cut in enumerate([slice(None), slice(None, None, 3), slice(None, None, -1)]):
            if rank == 0:
                c.send(sent, 1, 1)
                c.send(sent, 1, 1)
            else:
                whole = np.full(4 * n, -1)
                into = whole[cut] if turn != 1 else np.full(12 * n, -1)[cut]
                value, status = c.recv(0, 1, into=into, status=True)
                assert value is into and status == (0, 1, n, 8 * n)
                assert (into[:n] == sent.reshape(-1)).all() and (into[n:] == -1).all()
                into[...] = -1
                WAYS[(number + turn) % len(WAYS)](into)
                assert (into[:n] == sent.reshape(-1)).all() and (into[n:] == -1).all()
    for sent, into in (b"abc" * n, bytearray(b"-" * 4 * n)), (np.zeros((0, 3)), np.ones(5)), (b"", bytearray(b"-" * n)):
        if rank == 0:
            c.send(sent, 1)
        else:
            before = bytes(into)
            sent = bytes(sent)
            assert bytes(c.recv(into=into)) == sent + before[len(sent):]
"""
    run(PRELUDE + WAYS + script, 2, stack).succeeded()


def test_what_does_not_fit_is_refused_and_harms_no_other_message(run, stack: Stack) -> None:
    script = """
for n in 6, 6000:
    doubles, shape = np.arange(float(n)), f"({n},)"
    room = lambda *shape: np.full(shape, 7.0)
    CASES = [
        (doubles, np.full(n, 7, "f4"), mpi.MismatchError, f"float64 elements of shape {shape} do not fit into float32"),
        (doubles, np.full(n, 7), mpi.MismatchError, "the types of the elements differ"),
        (doubles, np.full(n, 7, ">f8"), mpi.MismatchError, "do not fit into >f8 elements"),
        (doubles, np.full(n, 7, "c16"), mpi.MismatchError, "into complex128"),
        (doubles, bytearray(8 * n), mpi.MismatchError, "into uint8"),
        (doubles.astype("M8[s]"), np.zeros(n, "M8[ms]"), mpi.MismatchError, "datetime64[s] elements"),
        (doubles, room(n - 1), mpi.TruncationError, "there are more than fit"),
        (doubles, room(2 * n)[: n - 1 : 2], mpi.TruncationError, "there are more than fit"),
        (doubles, room(0), mpi.TruncationError, "there are more than fit"),
        (doubles, room(), mpi.TruncationError, "of shape (): there are more than fit"),
        (b"x" * n, bytearray(n - 1), mpi.TruncationError, "uint8 elements"),
        (doubles, room(2, n), mpi.MismatchError, "fit one-dimensional memory only"),
        (doubles, room(n, 1)[:0], mpi.TruncationError, "of shape (0, 1)"),
        (doubles.reshape(2, -1), room(n // 2 - 1, 2), mpi.TruncationError, f"shape (2, {n // 2}) do not fit"),
        ({"a": doubles}, room(n), mpi.MismatchError, "an object came that is no array"),
        ("x" * n, bytearray(n), mpi.MismatchError, "leave out into="),
        (None, room(n), mpi.MismatchError, "an object came that is no array"),
        (["x" * n] * 9, room(n), mpi.MismatchError, "an object came that is no array"),
        (np.array([None] * n), room(n), mpi.MismatchError, "an object came that is no array"),
    ]
    for number, (sent, into, kind, words) in enumerate(CASES):
        for way in WAYS:
            if rank == 0:
                c.send(sent, 1, 1)
                c.send(("after", number), 1, 1)
                c.send(doubles, 1, 1)
            else:
                before = bytes(memoryview(into).cast("B")) if type(into) is bytearray else into.tobytes()
                with raises(kind, f"rank 1, ", "source=0, tag=1", words, rank=1, peer=0, tag=1, code=None):
                    way(into)
                assert before == (bytes(into) if type(into) is bytearray else into.tobytes()), "something was written"
                assert c.recv(0, 1) == ("after", number)
                assert same(way(np.empty(n)), doubles)
"""
    run(PRELUDE + WAYS + script, 2, stack).succeeded()


def test_what_cannot_be_written_to_is_refused_before_anything_is_received(run, stack: Stack) -> None:
    script = """
read_only = np.zeros(3)
read_only.flags.writeable = False
REFUSED = [
    (read_only, "a numpy.ndarray cannot be received into: it is read-only"),
    (b"abc", "a bytes cannot be received into: it gives no memory that can be written"),
    (memoryview(b"abc"), "a memoryview cannot be received into"),
    ([0.0] * 3, "a list cannot be received into: it is neither an array nor other memory"),
    (np.float64(1), "a numpy.float64 cannot be received into"),
    (np.array([None]), "its elements are objects, not plain memory"),
    (np.zeros(2, [("a", "O")]), "its elements are objects, not plain memory"),
    (5, "a int cannot be received into"),
    ("text", "a str cannot be received into"),
]
if rank == 0:
    c.send(np.arange(3.0), 1, 1)
else:
    for into, words in REFUSED:
        for name in "recv", "irecv":
            with raises(mpi.MismatchError, f"rank 1, {name}(source=0, tag=1): ", words, operation=name, peer=0, tag=1):
                getattr(c, name)(0, 1, into=into)
        with raises(mpi.MismatchError, f"sendrecv(source=0, tag=1): ", words, operation="sendrecv", peer=0, tag=1):
            c.sendrecv("lost?", 0, 1, 0, 1, into=into)
    assert same(c.recv(0, 1), np.arange(3.0))
in_turn()
assert c.iprobe() is None
"""
    run(PRELUDE + WAYS + script, 2, stack).succeeded()
