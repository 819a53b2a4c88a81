"""Every way to send meets every way to receive."""

from typing import Any

import numpy as np
from prelude import c, rank, same
from values_sent import VALUES

import polympi as mpi


def posted_send(name: str) -> Any:
    def send(value: object) -> Any:
        c.recv(1, 50)  # the receive is posted
        return getattr(c, name)(value, 1, 3)

    return send


def plain(name: str) -> Any:
    return lambda value: getattr(c, name)(value, 1, 3)


def polled(request: mpi.Request) -> Any:
    while not request.test():
        pass
    assert request.done
    return request.wait()


def first_of_two() -> Any:
    other_tag, request = c.irecv(0, 4), c.irecv(0, 3)
    index, value = mpi.wait_any([other_tag, request])
    assert index == 1
    assert other_tag.cancel()
    return value


def probed() -> Any:
    found = c.probe(0)
    assert (found.source, found.tag, found.elements, found.nbytes) == (0, 3, None, None)
    return c.recv(found.source, found.tag)


def iprobed() -> Any:
    while not (found := c.iprobe(0, 3)):
        pass
    return c.recv(found.source, found.tag)


SENDS = [plain(name) for name in ("send", "ssend", "bsend", "isend", "issend", "ibsend")]
RECEIVES = [
    lambda: c.recv(0, 3),
    c.recv,
    lambda: c.recv(tag=3),
    lambda: c.irecv(0, 3).wait(),
    lambda: polled(c.irecv(0, 3)),
    lambda: mpi.wait_all([c.irecv(0, 3)])[0],
    first_of_two,
    lambda: c.sendrecv("back", mpi.PROC_NULL, 0, 0, 3),
    probed,
    iprobed,
]


def posted_receive() -> Any:
    request = c.irecv(0, 3)
    c.send("posted", 0, 50)
    return request.wait()


ways = [(send, receive) for send in SENDS for receive in RECEIVES]
ways += [(posted_send(name), posted_receive) for name in ("rsend", "irsend", "send", "issend")]
with mpi.buffer_attach(10**8):
    for number, (send, receive) in enumerate(ways):
        for value in VALUES:
            if rank == 0:
                request = send(value)
                if request is not None:
                    assert request.wait() is None
                    assert request.wait() is None
                    assert request.test()
                    assert request.done
            else:
                assert same(receive(), value if type(value) is not np.ndarray else value.copy()), (number, value)
