"""What cannot be written to is refused and leaves no sender behind.

The large ones complete only when they are received; sendrecv sends in any case.
"""

import numpy as np
from prelude import c, in_turn, raises, rank

import polympi as mpi


class Failing:
    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0

    def __dlpack__(self, **options: object) -> None:
        raise ZeroDivisionError("no memory of mine")


read_only = np.zeros(3)
read_only.flags.writeable = False
NO_OBJECTS = "its elements are objects, not plain memory"
REFUSED = [
    (read_only, "a numpy.ndarray cannot be received into: it is read-only"),
    (b"abc", "a bytes cannot be received into: it has no writable memory"),
    (memoryview(b"abc"), "a memoryview cannot be received into"),
    ([0.0] * 3, "a list cannot be received into: it is neither an array nor other writable memory"),
    (np.float64(1), "a numpy.float64 cannot be received into"),
    (np.array([None]), NO_OBJECTS),
    (np.zeros(2, [("a", "O")]), NO_OBJECTS),
    (5, "a int cannot be received into"),
    ("text", "a str cannot be received into"),
    (Failing(), "no memory of mine"),
]
SENT = [np.arange(3.0), np.arange(10.0**6), ["x" * 20_000] * 30, b"x" * 10**6, [np.arange(10.0**5)] * 3, "text"]
for into, words in REFUSED:
    kind = ZeroDivisionError if type(into) is Failing else mpi.MismatchError
    fields = {"peer": 0, "tag": 1, "rank": 1} if kind is mpi.MismatchError else {}
    for number, sent in enumerate(SENT):
        if rank == 0:
            c.send(sent, 1, 1, timeout=60)
            assert c.sendrecv(sent, 1, 1, 1, 2, timeout=60) == number
            c.send("after", 1, 1)
        else:
            with raises(kind, words):
                c.irecv(0, 1, into=into)  # promises nothing yet, and takes nothing
            with raises(kind, words, **fields):
                c.recv(0, 1, into=into, status=True, timeout=60)
            with raises(kind, words, **fields):
                c.sendrecv(number, 0, 2, 0, 1, into=into)
            assert c.recv(0, 1) == "after"
if rank == 1:
    with raises(mpi.Timeout, "no matching message came"):
        c.recv(0, 1, into=read_only, timeout=0.05)
in_turn()
assert c.iprobe() is None
