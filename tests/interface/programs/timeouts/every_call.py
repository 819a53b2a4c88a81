"""Every call that waits ends in time and says for whom."""

import numpy as np
from prelude import c, in_turn, raises, rank, same
from times_out import big, times_out

import polympi as mpi

if rank == 0:
    short = {"timeout": 0.05}
    for_1, nothing, unreceived = " s for rank 1 in ", "no matching message came", "it did not receive"
    of_1, of_any = {"peer": 1, "tag": 7}, {"peer": mpi.ANY_SOURCE, "tag": mpi.ANY_TAG}
    times_out(lambda: c.recv(1, 7, **short), for_1 + "recv(source=1, tag=7) at ", nothing, operation="recv", **of_1)
    place = " s for any rank in recv(source=ANY_SOURCE, tag=ANY_TAG) at "
    times_out(lambda: c.recv(**short), place, nothing, operation="recv", **of_any)
    times_out(lambda: c.recv(1, into=np.zeros(3), **short), for_1 + "recv(source=1, tag=ANY_TAG)")
    times_out(lambda: c.recv(1, into=bytearray(3), status=True, **short), for_1)
    times_out(lambda: c.probe(1, 3, **short), for_1 + "probe(source=1, tag=3)", nothing, operation="probe")
    times_out(lambda: c.sendrecv(None, 1, 70, 1, 5, **short), for_1 + "sendrecv(source=1, tag=5)", nothing)
    times_out(lambda: c.sendrecv(big, 1, 71, 1, 5, **short), for_1 + "sendrecv(dest=1, tag=71)", unreceived, tag=71)
    place = for_1 + "send(dest=1, tag=72)"
    times_out(lambda: c.send(big, 1, 72, **short), place, unreceived, operation="send", peer=1, tag=72)
    times_out(lambda: c.send([big, "x" * 9000], 1, 73, **short), for_1 + "send(dest=1, tag=73)", unreceived)
    times_out(lambda: c.ssend("small", 1, 74, **short), for_1 + "ssend(dest=1, tag=74)", unreceived)
    receive, send = c.irecv(1, 80), c.issend("late", 1, 75)
    for _ in range(2):
        times_out(lambda: receive.wait(**short), for_1 + "irecv(source=1, tag=80)", nothing, operation="irecv", tag=80)
        times_out(lambda: send.wait(status=True, **short), for_1 + "issend(dest=1, tag=75)", unreceived, tag=75)
        times_out(lambda: mpi.wait_all([receive, send], **short), for_1 + "irecv(source=1, tag=80)")
        times_out(lambda: mpi.wait_all([c.isend(0, mpi.PROC_NULL), send], **short), for_1 + "issend(dest=1, tag=75)")
        words = " s in wait_any() at ", "none of the requests was complete"
        nobody = {"peer": None, "tag": None}
        times_out(lambda: mpi.wait_any([receive, send], **short), *words, operation="wait_any", **nobody)
    assert not receive.done
    assert not send.done
    mpi.buffer_attach(10**7)
    c.bsend(big, 1, 76)
    with raises(mpi.Timeout, "buffer_detach waited 0.05 s, but 8000000 bytes sent with bsend were not received"):
        mpi.buffer_detach(timeout=0.05)

    # What was given up in time is as if it had never been; what was sent is there when it is asked for.
    c.send("meanwhile", 1, 50)
    assert receive.wait() == "late, too"
    assert mpi.wait_all([receive, send]) == ["late, too", None]
    assert same(c.recv(1, 7), big)
    assert c.recv(1) == "last"
    assert mpi.buffer_detach() == 10**7
else:
    assert c.recv(0, 50) == "meanwhile"
    c.send("late, too", 0, 80)
    sent = {76: big, 75: "late", 74: "small", 73: [big, "x" * 9000], 72: big, 71: big, 70: None}
    for tag, expected in sent.items():
        assert same(c.recv(0, tag), expected)
    c.send(big, 0, 7)
    c.send("last", 0, 8)
in_turn()
assert c.iprobe() is None
