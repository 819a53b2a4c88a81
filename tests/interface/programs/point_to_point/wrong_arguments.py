"""Ranks, tags and arguments that cannot be."""

import numpy as np
from prelude import c, other, raises, rank

import polympi as mpi

SENDS = ["send", "ssend", "rsend", "bsend", "isend", "issend", "irsend", "ibsend"]
RECEIVES = ["recv", "irecv", "probe", "iprobe"]
for name in SENDS:
    send = getattr(c, name)
    for wrong in -1, 2, 12345:
        place = f"rank {rank}, {name}(dest={wrong}, tag=4): dest is {wrong}"
        with raises(mpi.RankError, place, "0 to 1", operation=name, rank=rank, peer=wrong, tag=4, code=None):
            send(None, wrong, 4)
    with raises(mpi.RankError, "ANY_SOURCE is not a dest"):
        send(None, mpi.ANY_SOURCE)
    place = f"rank {rank}, {name}(dest=0, tag=-1): tag is -1, but tags are 0 to"
    with raises(mpi.TagError, place, operation=name, rank=rank, peer=0, tag=-1):
        send(None, 0, -1)
    with raises(mpi.TagError, "ANY_TAG is for receives"):
        send(None, 0, mpi.ANY_TAG)
    with raises(TypeError, f"{name}(): dest must be an integer, not str"):
        send(None, "0")
    with raises(TypeError, f"{name}(): tag must be an integer, not float"):
        send(None, 0, 1.0)
    with raises(TypeError, f"{name}() missing required argument 'dest'"):
        send(None)
    with raises(TypeError, f"{name}() takes at most 3 positional arguments (4 given)"):
        send(None, 0, 0, 1)
    with raises(TypeError, f"{name}() got an unexpected keyword argument 'root'"):
        send(None, 0, root=0)
    with raises(TypeError, f"{name}() got multiple values for argument 'obj'"):
        send(None, 0, obj=1)
    with raises(OverflowError, "not a rank or tag in any MPI library"):
        send(None, 2**40)
for name in RECEIVES:
    receive = getattr(c, name)
    for wrong in -1, 2:
        place = f"{name}(source={wrong}, tag=ANY_TAG): source is {wrong}"
        with raises(mpi.RankError, place, operation=name, rank=rank, peer=wrong, tag=mpi.ANY_TAG):
            receive(wrong)
    for wrong in -1, -2:
        with raises(mpi.TagError, f"tag is {wrong}", operation=name, peer=mpi.ANY_SOURCE, tag=wrong):
            receive(tag=wrong)
    with raises(TypeError, f"{name}(): source must be an integer, not NoneType"):
        receive(None)
with raises(mpi.RankError, "sendrecv(dest=9, tag=5): dest is 9", operation="sendrecv", peer=9, tag=5):
    c.sendrecv(None, 9, 5, 0, 6)
with raises(mpi.RankError, "sendrecv(source=9, tag=6): source is 9", operation="sendrecv", peer=9, tag=6):
    c.sendrecv(None, 0, 5, 9, 6)
with raises(mpi.TagError, "sendrecv(dest=0, tag=-5)"):
    c.sendrecv(None, 0, -5, 0, 6)
for call in (
    lambda **t: c.send(1, 0, **t),
    lambda **t: c.recv(0, **t),
    lambda **t: c.sendrecv(1, 0, **t),
    lambda **t: c.probe(0, **t),
    lambda **t: mpi.wait_all([], **t),
    lambda **t: c.bsend(1, 0, **t),
):
    for wrong in 0, -1.5, float("nan"):
        with raises(ValueError, f"timeout is {wrong!r}, but must be a positive number of seconds"):
            call(timeout=wrong)
    for wrong in "1", b"1", [1], 1j, object():
        with raises(TypeError, f"timeout must be a number of seconds, not {type(wrong).__name__}"):
            call(timeout=wrong)
for wrong in [1], [c.irecv(1, 5), None]:
    for wait in mpi.wait_all, mpi.wait_any, mpi.test_all:
        with raises(TypeError, ", not a Request"):
            wait(wrong)
with raises(TypeError, "object is not iterable"):
    mpi.wait_all(5)
with raises(ValueError, "there are no requests to wait for"):
    mpi.wait_any([])
assert mpi.wait_all([]) == []
assert mpi.test_all([]) is True
for kind in mpi.Request, mpi.Communicator.__base__:
    with raises(TypeError, "cannot create"):
        kind()
assert c.iprobe(tag=0) is None
assert c.iprobe(tag=4) is None
# Integers of NumPy are ranks and tags, and so is the highest tag that errors name.
try:
    c.send(None, 0, -1)
except mpi.TagError as error:
    highest = int(str(error).split()[-2])
assert c.sendrecv(5, np.int64(other), np.uint8(7), np.int32(other), np.int16(7)) == 5
assert c.sendrecv(5, other, highest, other, highest) == 5
if highest < 2**31 - 1:
    with raises(mpi.TagError, f"tag is {highest + 1}, but tags are 0 to {highest} here"):
        c.send(None, other, highest + 1)
