"""Messages between two ranks: all ways to send, receive and wait, what they keep apart, and what they refuse."""

from __future__ import annotations

import pytest
from rank_programs import PRELUDE

from polympi.lab.stacks.stack import Stack

pytestmark = [pytest.mark.mpi, pytest.mark.sanitize]

# Small and large objects: in one message, announced, beside it in one part, in several.
VALUES = """
VALUES = [
    None, 7, "text", {"a": [1, (2.5, None)]}, b"x" * 5000, "y" * 9000, ["z" * 9000, 1], np.arange(10.0),
    np.arange(500_000), np.ones((300, 400), "f4")[::2, ::3], [np.arange(3000), "x" * 100_000, {1: np.zeros(9999)}],
    bytearray(b"u" * 3_000_000), np.zeros((0, 3)), [[0] * 3000],
]
"""


def test_every_way_to_send_meets_every_way_to_receive(run, stack: Stack) -> None:
    script = """
def posted_send(name):
    def send(value):
        c.recv(1, 50)  # the receive is posted
        return getattr(c, name)(value, 1, 3)
    return send

def plain(name):
    return lambda value: getattr(c, name)(value, 1, 3)

def polled(request):
    while not request.test():
        pass
    assert request.done
    return request.wait()

def first_of_two():
    other_tag, request = c.irecv(0, 4), c.irecv(0, 3)
    index, value = mpi.wait_any([other_tag, request])
    assert index == 1 and other_tag.cancel()
    return value

def probed():
    found = c.probe(0)
    assert (found.source, found.tag, found.elements, found.nbytes) == (0, 3, None, None)
    return c.recv(found.source, found.tag)

def iprobed():
    while not (found := c.iprobe(0, 3)):
        pass
    return c.recv(found.source, found.tag)

SENDS = [plain(name) for name in ("send", "ssend", "bsend", "isend", "issend", "ibsend")]
RECEIVES = [
    lambda: c.recv(0, 3),
    lambda: c.recv(),
    lambda: c.recv(tag=3),
    lambda: c.irecv(0, 3).wait(),
    lambda: polled(c.irecv(0, 3)),
    lambda: mpi.wait_all([c.irecv(0, 3)])[0],
    first_of_two,
    lambda: c.sendrecv("back", mpi.PROC_NULL, 0, 0, 3),
    probed,
    iprobed,
]
def posted_receive():
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
                    assert request.wait() is None and request.wait() is None and request.test() and request.done
            else:
                assert same(receive(), value if type(value) is not np.ndarray else value.copy()), (number, value)
"""
    run(PRELUDE + VALUES + script, 2, stack).succeeded()


def test_messages_of_one_tag_never_overtake(run, stack: Stack) -> None:
    script = """
SIZES = [0, 1, 400, 4000, 4096, 8000, 8192, 9000, 60_000, 70_000, 500_000]
chance = random.Random(7)
KINDS = ["bytes", "array", "list"]
plan = [(number, chance.choice(KINDS), chance.choice(SIZES), chance.randrange(3), chance.randrange(4))
        for number in range(1500)]

def made(number, kind, nbytes):
    if kind == "bytes":
        return number.to_bytes(4, "little") + bytes(nbytes)
    if kind == "array":
        return np.full(1 + nbytes // 8, number)
    return [number, bytearray(nbytes)]

def number_of(message):
    return int.from_bytes(message[:4], "little") if type(message) is bytes else message[0]

kept = []
for number, kind, nbytes, way, receive in plan:
    if rank == 0:
        if way:
            kept.append((c.isend if way == 1 else c.issend)(made(number, kind, nbytes), 1, 5))
        else:
            c.send(made(number, kind, nbytes), 1, 5)
    elif receive == 0:
        kept.append((number, c.irecv(0, 5)))
    else:
        source, tag = [(0, 5), (mpi.ANY_SOURCE, 5), (mpi.ANY_SOURCE, mpi.ANY_TAG)][receive - 1]
        message = c.recv(source, tag)
        assert number_of(message) == number and same(message, made(number, kind, nbytes))
if rank == 0:
    mpi.wait_all(kept)
else:
    for number, request in random.Random(8).sample(kept, len(kept)):
        assert number_of(request.wait()) == number
"""
    run(PRELUDE + script, 2, stack).succeeded()


def test_wildcards_say_where_each_message_comes_from(run, stack: Stack) -> None:
    script = """
COUNT = 150
def message(source, number):
    return (source, number, np.full([3, 400, 3000, 20_000][(source + number) % 4], number))
if rank:
    requests = [c.isend(message(rank, number), 0, tag=rank * 1000 + number) for number in range(COUNT)]
    mpi.wait_all(requests)
else:
    come = [0] * size
    for turn in range(COUNT * (size - 1)):
        if turn % 3 == 0:
            found = c.probe()
            value, status = c.recv(found.source, found.tag, status=True)
            assert (status.source, status.tag) == (found.source, found.tag)
        elif turn % 3 == 1:
            value, status = c.irecv().wait(status=True)
        else:
            value, status = c.recv(status=True)
        source, number, _ = value
        assert (status.source, status.tag) == (source, source * 1000 + number)
        assert number == come[source], "messages of one rank overtook each other"
        assert same(value, message(source, number))
        come[source] += 1
    assert c.iprobe() is None
"""
    run(PRELUDE + script, 4, stack).succeeded()


def test_the_status_tells_elements_and_bytes(run, stack: Stack) -> None:
    script = """
KNOWN = [
    (np.arange(10.0), 10, 80), (np.arange(10_000, dtype="i4"), 10_000, 40_000), (np.zeros((3, 4, 5)), 60, 480),
    (np.zeros((0, 4)), 0, 0), (np.float32(3)[...], 1, 4), (np.arange(9000)[::3], 3000, 24_000),
    (bytearray(100), 100, 100), (b"x" * 5000, 5000, 5000), (memoryview(bytes(70)), 70, 70),
    (np.zeros(5, "i4,f8"), 5, 60),
]
for value, elements, nbytes in KNOWN:
    if rank == 0:
        for _ in range(4):
            c.send(value, 1, 11)
    else:
        room = np.empty_like(value)
        into = lambda: room if isinstance(value, np.ndarray) else bytearray(len(value))
        for received, status in [
            c.recv(status=True), c.recv(0, 11, into=into(), status=True), c.irecv(0, 11).wait(status=True),
            c.sendrecv(0, mpi.PROC_NULL, 0, 0, 11, into=into(), status=True),
        ]:
            assert isinstance(status, mpi.Status) and status == (0, 11, elements, nbytes), (status, type(value))
            assert bytes(memoryview(np.array(received))) == bytes(memoryview(np.array(value)))
objects = [None, 5, "text" * 10, [1, 2], {"x": np.zeros(10_000)}]
for value in objects:
    if rank == 0:
        c.send(value, 1, 2)
    else:
        status = c.recv(status=True)[1]
        assert (status.source, status.tag, status.elements) == (0, 2, 1) and status.nbytes >= 1
assert c.recv(mpi.PROC_NULL, status=True) == (None, (mpi.PROC_NULL, mpi.ANY_TAG, 0, 0))
assert c.isend(1, mpi.PROC_NULL).wait(status=False) is None
"""
    run(PRELUDE + script, 2, stack).succeeded()


def test_nothing_is_sent_to_or_received_from_nobody(run, stack: Stack) -> None:
    script = """
nobody, big, into = mpi.PROC_NULL, np.zeros(10**6), np.ones(3)
for name in "send", "ssend", "rsend", "bsend":
    assert getattr(c, name)(big, nobody) is None
for name in "isend", "issend", "irsend", "ibsend":
    request = getattr(c, name)(big, nobody, 5)
    assert request.done and request.test() and request.wait() is None
assert c.recv(nobody) is None and c.recv(nobody, 5, timeout=1e-9) is None
assert c.recv(nobody, into=into) is into and c.irecv(nobody, into=into).wait() is into
assert c.irecv(nobody).wait(status=True)[1].source == nobody
assert c.sendrecv(big, nobody, source=nobody) is None and c.sendrecv(1, nobody, source=nobody, into=into) is into
assert c.probe(nobody).source == nobody and c.iprobe(nobody).source == nobody
assert mpi.wait_all([c.irecv(nobody), c.isend(1, nobody)]) == [None, None]
assert (into == 1).all()
left, right = (rank - 1 if rank else nobody), (rank + 1 if rank < size - 1 else nobody)
assert c.sendrecv(rank, right, source=left) == (rank - 1 if rank else None)  # a chain, not a ring
assert c.sendrecv(big + rank, left, source=right, into=(row := np.empty(10**6))) is row
assert right == nobody or (row == right).all()
"""
    run(PRELUDE + script, 3, stack).succeeded()


def test_large_messages_cross_without_waiting_for_each_other(run, stack: Stack) -> None:
    script = """
for count in 10, 1000, 10**4, 10**6:
    mine, theirs = np.full(count, rank), np.full(count, other)
    for value, expected in (mine, theirs), ([mine, "x" * count], [theirs, "x" * count]):
        sends = [c.isend(value, other, tag) for tag in (1, 2)]
        received = [c.recv(other, tag) for tag in (2, 1)]  # in the other order
        assert same(received, [expected] * 2)
        assert mpi.wait_all(sends) == [None, None]

        receives = [c.irecv(other, tag) for tag in (1, 2)]
        for tag in 2, 1:
            c.send(value, other, tag)
        assert same(mpi.wait_all(receives), [expected] * 2)

        assert same(c.sendrecv(value, other, source=other), expected)

        requests = [c.irecv(other, 3), c.isend(value, other, 3), c.irecv(other, 4), c.isend(value, other, 4)]
        assert same(mpi.wait_all(requests), [expected, None] * 2)
"""
    run(PRELUDE + script, 2, stack).succeeded()


def test_data_arrive_while_the_receiver_waits_for_something_else(run, stack: Stack) -> None:
    # The sender waits until its large message is taken in; the receiver is meanwhile in another call.
    script = """
big = np.arange(10**6)
def iprobing():
    while not c.iprobe(0, 2):
        pass
    c.recv(0, 2)

WAITS = [
    c.barrier,
    lambda: c.recv(0, 2),
    lambda: c.irecv(0, 2).wait(),
    lambda: c.probe(0, 2) and c.recv(0, 2),
    iprobing,
    lambda: c.sendrecv("x", 0, 3, 0, 2),
    lambda: mpi.wait_any([c.irecv(0, 2)]),
    lambda: mpi.wait_all([c.irecv(0, 2)]),
    lambda: c.ssend("x", 0, 3),
    lambda: c.send(big, 0, 3),
    lambda: c.issend(big, 0, 3).wait(),
    lambda: c.dup().free(),
    lambda: c.split(0).free(),
]
def tell():
    c.send("go on", 1, 2)
PARTNERS = [c.barrier] + [tell] * 4 + [lambda: c.sendrecv("go on", 1, 2, 1, 3)] + [tell] * 2
PARTNERS += [lambda: c.recv(1, 3)] * 3 + [lambda: c.dup().free(), lambda: c.split(0).free()]
assert len(WAITS) == len(PARTNERS)
for wait, partner in zip(WAITS, PARTNERS):
    for value in big, [big, "x" * 9000], [["x"] * 9000]:
        if rank == 0:
            c.isend(value, 1, 1).wait()
            partner()
        else:
            request = c.irecv(0, 1)
            wait()
            assert same(request.wait(), value)
"""
    run(PRELUDE + script, 2, stack).succeeded()


def test_rings_of_any_size(run, stack: Stack) -> None:
    script = """
right, left = (rank + 1) % size, (rank - 1) % size
for count in 1, 1000, 400_000:
    row = np.full((count, 2), rank, "f8")
    for _ in range(size):
        row, status = c.sendrecv(row, right, 1, left, 1, status=True)
        assert status == (left, 1, 2 * count, 16 * count)
    assert (row == rank).all()
    into = np.empty((2, count))
    for _ in range(size):
        assert c.sendrecv(row, right, 2, left, 2, into=into.T) is not None
        row = into.T.copy()
    assert (row == rank).all()
    assert c.sendrecv({"from": rank, "row": row}, right, source=left)["from"] == left
"""
    for ranks in (1, 4):
        run(PRELUDE + script, ranks, stack).succeeded()


def test_a_rank_sends_to_itself(run, stack: Stack) -> None:
    script = """
for value in VALUES:
    request = c.isend(value, rank, 1)
    expected = value.copy() if type(value) is np.ndarray else value
    assert same(c.recv(rank, 1), expected)
    assert request.wait() is None
    assert same(c.sendrecv(value, rank, 2, rank, 2), expected)
    request = c.irecv(rank)
    c.send(value, rank)
    assert same(request.wait(), expected)
    with mpi.buffer_attach(10**8):
        c.bsend(value, rank)
        assert same(c.recv(), expected)
into = np.zeros((3, 1000))
request = c.isend(np.arange(3000.0), rank)
assert c.recv(into=into) is into and same(into, np.arange(3000.0).reshape(3, 1000))
request.wait()
"""
    for ranks in (1, 2):
        run(PRELUDE + VALUES + script, ranks, stack).succeeded()


def test_probes_agree_with_the_receive_after_them(run, stack: Stack) -> None:
    script = """
if rank == 0:
    assert c.iprobe(tag=1) is None
    in_turn()
    chance, left = random.Random(3), {1: 150, 2: 150}
    for turn in range(300):
        found = c.probe(tag=chance.choice([mpi.ANY_TAG, *(tag for tag in left if left[tag])]))
        left[found.tag] -= 1
        assert c.probe(found.source, found.tag) == found == c.iprobe(found.source, found.tag)
        assert c.iprobe(found.source, 77) is None
        value, status = c.recv(found.source, found.tag, status=True)
        assert (status.source, status.tag) == found[:2] == tuple(value[:2])
    assert c.iprobe() is None
else:
    in_turn()
    chance = random.Random(rank)
    sizes = [chance.choice([1, 1000, 5000, 50_000]) for _ in range(100)]
    mpi.wait_all([c.isend([rank, 1 + turn % 2, np.zeros(n)], 0, 1 + turn % 2) for turn, n in enumerate(sizes)])
"""
    run(PRELUDE + script, 4, stack).succeeded()


def test_ranks_tags_and_arguments_that_cannot_be(run, stack: Stack) -> None:
    script = """
SENDS = ["send", "ssend", "rsend", "bsend", "isend", "issend", "irsend", "ibsend"]
RECEIVES = ["recv", "irecv", "probe", "iprobe"]
for name in SENDS:
    send = getattr(c, name)
    for wrong in -1, 2, 12345:
        with raises(mpi.RankError, f"rank {rank}, {name}(dest={wrong}, tag=4): dest is {wrong}", "0 to 1",
                    operation=name, rank=rank, peer=wrong, tag=4, code=None):
            send(None, wrong, 4)
    with raises(mpi.RankError, "ANY_SOURCE is not a dest"):
        send(None, mpi.ANY_SOURCE)
    with raises(mpi.TagError, f"rank {rank}, {name}(dest=0, tag=-1): tag is -1, but tags are 0 to",
                operation=name, rank=rank, peer=0, tag=-1):
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
    with raises(OverflowError, "no rank and no tag in any MPI library"):
        send(None, 2**40)
for name in RECEIVES:
    receive = getattr(c, name)
    for wrong in -1, 2:
        with raises(mpi.RankError, f"{name}(source={wrong}, tag=ANY_TAG): source is {wrong}", operation=name,
                    rank=rank, peer=wrong, tag=mpi.ANY_TAG):
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
for call in (lambda **t: c.send(1, 0, **t), lambda **t: c.recv(0, **t), lambda **t: c.sendrecv(1, 0, **t),
             lambda **t: c.probe(0, **t), lambda **t: mpi.wait_all([], **t), lambda **t: c.bsend(1, 0, **t)):
    for wrong in 0, -1.5, float("nan"):
        with raises(ValueError, f"timeout is {wrong!r}, but must be a positive number of seconds"):
            call(timeout=wrong)
    with raises(TypeError):
        call(timeout="soon")
for wrong in [1], [c.irecv(1, 5), None]:
    for wait in mpi.wait_all, mpi.wait_any, mpi.test_all:
        with raises(TypeError, "is no Request but"):
            wait(wrong)
with raises(TypeError, "a sequence of requests is needed"):
    mpi.wait_all(5)
with raises(ValueError, "there are no requests to wait for"):
    mpi.wait_any([])
assert mpi.wait_all([]) == [] and mpi.test_all([]) is True
for kind in mpi.Request, mpi.Communicator.__base__:
    with raises(TypeError, "cannot create"):
        kind()
assert c.iprobe(tag=0) is None and c.iprobe(tag=4) is None
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
"""
    run(PRELUDE + script, 2, stack).succeeded()
