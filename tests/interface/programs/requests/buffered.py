"""Buffered sends take room until they are received."""

import numpy as np
from prelude import c, in_turn, raises, rank, same

import polympi as mpi
from polympi.native import core

array, small = np.arange(5000), np.arange(10)
MIXED = [[np.arange(999), {"x": "y" * 5000}], array.reshape(50, 100)[:, ::3], "text", array.reshape(2, -1, order="F")]


def counted() -> int:
    return core.buffer_in_use()


if rank == 0:
    for send in c.bsend, c.ibsend:
        text = "no buffer is attached: call polympi.buffer_attach(nbytes) first"
        with raises(mpi.NoBufferError, text, operation=send.__name__, rank=0, peer=1, tag=0):
            send(array, 1)
    with raises(mpi.NoBufferError, "no buffer is attached"):
        mpi.buffer_detach()
    for wrong in -1, 2**70:
        with raises(ValueError, f"buffer_attach(): a buffer of {wrong} bytes cannot be attached"):
            mpi.buffer_attach(wrong)
    for wrong in "1", 1.0, None:
        with raises(TypeError, f"buffer_attach(): nbytes must be an integer, not {type(wrong).__name__}"):
            mpi.buffer_attach(wrong)
    mpi.buffer_attach(np.int64(2 * array.nbytes))
    for wrong in 0, -1.5, float("nan"):
        with raises(ValueError, f"buffer_detach(): timeout is {wrong!r}, but must be a positive number of seconds"):
            mpi.buffer_detach(timeout=wrong)
    with raises(TypeError, "buffer_detach(): timeout must be a number of seconds, not str"):
        mpi.buffer_detach(timeout="1")
    with raises(mpi.NoBufferError, "attached already"):
        mpi.buffer_attach(5)
    for number in range(2):
        copied = array + number
        c.bsend(copied, 1, 1)
        copied[...] = -1  # it was a copy that was sent
    assert c.ibsend(np.zeros(0), 1, 1).done
    assert counted() == 2 * array.nbytes
    with raises(mpi.NoBufferError, "the message takes 40000 bytes, but of the 80000 attached 80000 hold messages"):
        c.bsend(array, 1, 1)
    in_turn()
    assert mpi.buffer_detach() == 2 * array.nbytes
    with raises(mpi.NoBufferError, "no buffer is attached"):
        c.bsend(array, 1, 1)
    with mpi.buffer_attach(array.nbytes):
        for number in range(20):  # each waits for room that its predecessor gives back
            while True:
                try:
                    c.bsend(array * number, 1, 2)
                    break
                except mpi.NoBufferError:
                    pass
    assert counted() == 0
    with mpi.buffer_attach(10**6):
        for value in MIXED:
            c.bsend(value, 1, 3)
            c.ibsend(value, 1, 3).wait()
else:
    in_turn()
    for number in range(2):
        assert same(c.recv(0, 1), array + number)
    assert c.recv(0, 1).size == 0
    for number in range(20):
        assert same(c.recv(0, 2), array * number)
    for value in MIXED:
        for _ in range(2):
            received = c.recv(0, 3)
            assert np.array_equal(received, value) if value is MIXED[1] else same(received, value)
assert c.iprobe() is None
