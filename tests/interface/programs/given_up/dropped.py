"""Requests that are dropped leave their messages in order."""

from prelude import c, in_turn, rank

import polympi as mpi

ANY = mpi.ANY_SOURCE
for turn in range(20):
    if rank == 0:
        requests = [c.irecv(ANY if turn % 2 else 1, 1) for _ in range(6)]
        waiting, other_tag = c.irecv(1, 1), c.irecv(ANY, 3)
        unmatched = c.irecv(1, 4)
        in_turn()
        assert c.recv(1, 2) == "all are here"
        for _ in range(100):
            assert not c.iprobe(1, 77)  # which lets all requests look for their messages
        last = requests.pop()
        del requests, unmatched
        assert not other_tag.test()
        assert other_tag.cancel()
        assert waiting.wait(timeout=60) == 0
        assert c.iprobe().tag == 1
        assert c.recv() == 1
        assert c.irecv(1).wait() == 2
        assert c.recv(1, 1) == 3
        request = c.irecv(1)
        assert request.wait() == 4
        assert last.wait() == 5
        in_turn()
        assert c.recv(1, 4) == "not for a request that was dropped"
    else:
        in_turn()
        mpi.wait_all([c.isend(n, 0, 1) for n in range(6)])
        c.send("all are here", 0, 2)
        in_turn()
        c.send("not for a request that was dropped", 0, 4)

# Dropped, taken by another request, and dropped again.
LARGE = bytes(100_000)
if rank == 0:
    requests = [c.irecv(ANY, 1) for _ in range(3)]
    in_turn()
    assert c.recv(1, 2) == "all are here"
    assert not c.iprobe(1, 77)  # their messages are here, and not all of the data of the large one
    del requests
    taken_again = [c.irecv(1, 1), c.irecv(ANY, 1)]
    assert not c.iprobe(1, 77)
    while taken_again:
        taken_again.pop()
    assert [c.recv(1, 1) for _ in range(3)] == [0, 1, LARGE]
else:
    in_turn()
    sent = [c.isend(value, 0, 1) for value in (0, 1, LARGE)]
    c.send("all are here", 0, 2)
    mpi.wait_all(sent)
in_turn()
assert c.iprobe() is None
