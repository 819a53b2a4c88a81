"""An object that cannot be sent or made again harms no other."""

from typing import Any

import numpy as np
from prelude import c, in_turn, other, raises, same

import polympi as mpi


class Refusing:
    def __init__(self, data: object = None) -> None:
        self.data = data

    def __reduce__(self) -> Any:
        raise ZeroDivisionError("not me")


class Unloadable(Refusing):
    def __reduce__(self) -> Any:
        return int, ("no number",), self.data


SENDS = ["send", "ssend", "bsend", "isend", "issend", "ibsend"]
with mpi.buffer_attach(10**7):
    for data in None, np.zeros(10**5):
        for name in SENDS:
            with raises(ZeroDivisionError, "not me"):
                getattr(c, name)([data, Refusing()], other, 1)
        in_turn()
        assert c.iprobe(other, 1) is None
        sent = c.isend(data, other, 4)
        while not c.iprobe(other, 4):
            pass
        with raises(ZeroDivisionError, "not me"):
            c.sendrecv(Refusing(), other, 3, other, 4)
        assert same(c.recv(other, 4), data), "the call that failed took a message"
        sent.wait()

        sent = c.isend([Unloadable(), data], other, 1), c.isend("after", other, 1)
        with raises(ValueError, "no number"):
            c.recv(other, 1)
        assert c.recv(other, 1) == "after"
        mpi.wait_all(sent)
        sent = c.isend([Unloadable(), data], other, 1), c.isend("after", other, 1)
        request = c.irecv(other, 1)
        with raises(ValueError, "no number"):
            request.wait()
        with raises(mpi.StateError, "this request has failed before"):
            request.wait()
        assert c.recv(other, 1) == "after"
        mpi.wait_all(sent)
