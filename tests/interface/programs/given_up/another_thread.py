"""A thread that waits gets what another one gives up."""

import threading
import time

from giving_up import big
from prelude import c, rank, same

import polympi as mpi

ANY = mpi.ANY_SOURCE
RECEIVES = [
    lambda: c.recv(1, 1),
    lambda: c.irecv(ANY, 1).wait(),
    lambda: mpi.wait_any([c.irecv(1, 1)])[1],
    lambda: c.sendrecv(None, mpi.PROC_NULL, source=ANY, recvtag=1),
    lambda: c.recv(c.probe(1, 1).source, 1),
]


def both(source: int) -> None:
    try:
        c.sendrecv(big, 1, 71, source, 1, timeout=0.2)
    except mpi.Timeout:
        given_up.append(source)


for source in 1, ANY:
    for receive in RECEIVES:
        given_up, got = [], []
        if rank == 0:
            first = threading.Thread(target=both, args=(source,))
            first.start()
            time.sleep(0.1)
            second = threading.Thread(target=lambda: got.append(receive()))
            second.start()
            time.sleep(0.05)
            c.send("both wait", 1, 50)
            first.join()
            second.join()
            assert same(got, [big + 1])
            assert given_up == [source]
            c.send("go on", 1, 50)
        else:
            assert c.recv(0, 50) == "both wait"
            c.send(big + 1, 0, 1)
            assert c.recv(0, 50) == "go on"
            assert same(c.recv(0, 71), big)
