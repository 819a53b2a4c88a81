"""Calls of facades that the core makes at once: which these are, what others become, and what is made of errors."""

from __future__ import annotations

import pytest
from rank_programs import PRELUDE

from polympi.lab.stacks.stack import Stack

pytestmark = [pytest.mark.mpi, pytest.mark.sanitize]

ADAPTED = (
    PRELUDE
    + """
from polympi.compat.adapted import adapted, adapt_method
from polympi.native import core

class Told(Exception):
    def __init__(self, sentence, given, named):
        super().__init__(sentence)
        self.given, self.named = given, named

class Place(tuple):
    __slots__ = ()

class Odd:
    pass

def tell(error, *given, **named):
    raise Told(str(error), given, named)

asked = []  # what the functions of Python were called with
@adapted(c, "peer tag ignored unusual object array", tag=3, reserved=13, excluded=Odd, answer="sent", failed=tell)
def send(to, tag=3, loudly=None, odd=False, x=None, rows=False):
    "Send it."
    asked.append((to, tag, loudly, odd, x, rows))
    return c.send(x, to, tag)

@adapted(c, "peer tag into", failed=tell)
def receive(of=mpi.ANY_SOURCE, tag=mpi.ANY_TAG, into=None):
    asked.append((of, tag, into))
    return c.recv(of, tag, into=into)

"""
)


def test_usual_calls_are_made_by_the_core_and_others_by_the_function(run_in_job, stack: Stack) -> None:
    script = """
other_one = (rank + 1) % size
def sent(*given, **named):
    "Whether the core has sent, and what came."
    calls, before = send.calls, len(asked)
    told = send(*given, **named)
    by_core = send.calls - calls
    assert by_core + len(asked) - before == 1 and told == ("sent" if by_core else None)
    if by_core == 0:
        del asked[before:]
    calls, before = receive.calls, len(asked)
    value = receive(rank)
    assert (receive.calls - calls, len(asked)) == (1, before)
    return bool(by_core), value

for x in None, 5, "text", [1, {"a": 2.5}], np.arange(5), np.zeros((2, 3)), np.array([None]), True:
    made, came = sent(rank, 4, x=x)
    assert made and same(came, x), x
# by place and by name, in any order; parameters that mean nothing
assert sent(rank) == sent(to=rank) == sent(rank, x=None) == (True, None)
assert sent(x=7, tag=5, to=rank) == sent(rank, 5, "any", 0, 7) == sent(rank, loudly=Odd(), x=7, odd=None) == (True, 7)
assert sent(rank, **{"".join(["lou", "dly"]): 1, "x": 7})[1] == 7  # a name that was made when it runs
# unusual
for named in (
    {"odd": True}, {"odd": 1}, {"odd": "no"}, {"odd": np.bool_(False)}, {"tag": 13}, {"tag": np.int64(4)},
    {"rows": True},
):
    assert sent(rank, x=8, **named) == (False, 8), named
assert sent(np.int32(rank), x=1) == sent(True if rank == 1 else False, x=1) == (False, 1)
assert sent(rank, x=Odd())[0] is False
assert sent(rank, x=np.arange(3), rows=True)[0] is True
for given, named in (
    ((), {}), ((rank, 1, 2, 3, 4, 5, 6), {}), ((rank,), {"to": rank}), ((rank,), {"unknown": 1}),
    ((rank, 4), {"tag": 4}),
):
    with raises(TypeError):
        send(*given, **named)
with raises(mpi.RankError):
    send(size)
with raises(mpi.RankError):
    send(-1)
with raises(mpi.TagError):
    send(rank, -1)
with raises(TypeError):
    send("1")
assert len(asked) == 4  # the wrong calls that the function could be called with
del asked[:]
send(mpi.PROC_NULL, x=1)
assert receive(mpi.PROC_NULL) is None and len(asked) == 2
"""
    run_in_job(ADAPTED + script, 2, stack)


def test_receives_select_and_fill_arrays(run_in_job, stack: Stack) -> None:
    script = """
del asked[:]
for tag in 1, 2, 3:
    send(rank, tag, x=tag)
assert (receive(rank, 2), receive(tag=3), receive(of=mpi.ANY_SOURCE, tag=mpi.ANY_TAG), asked) == (2, 3, 1, [])
# arrays of any number of axes, which fewer elements may come into; what was given is returned
grid = np.zeros((2, 3))
send(rank, x=np.arange(4.0))
assert receive(rank, into=grid) is grid and grid.tolist() == [[0, 1, 2], [3, 0, 0]]
number, row = np.zeros(()), np.zeros(5)
send(rank, x=np.array([7.0]))
assert receive(into=number) is number and number == 7
send(rank, x=np.arange(5.0))
assert receive(into=row) is row and row.sum() == 10 and asked == []
# others are those of the function: strided ones of several axes, subclasses, other memory, what cannot be written
class Sub(np.ndarray):
    pass
for into in np.zeros((3, 2)).T, np.zeros(6).view(Sub), bytearray(48):
    send(rank, x=b"1" * 48 if isinstance(into, bytearray) else np.arange(6.0).reshape(into.shape))
    assert receive(rank, into=into) is into
assert len(asked) == 3
c.barrier()  # lest a receive from anywhere takes what the other rank sends next
# large messages, strided rows, and the same array for both
large, came = np.arange(200_000.0), np.zeros(400_000)[::2]
if rank == 0:
    send(1, x=large)
    receive(1, into=came)
else:
    receive(0, into=came)
    send(0, x=large)
assert same(came.copy(), large) and len(asked) == 3
# an error of polympi becomes that of the facade, with the arguments; others stay as they are
send(rank, x="text")
with raises(Told, given=(rank,), named={"into": large}):
    receive(rank, into=large)
send(rank, x=np.arange(9.0))
with raises(Told, f"rank {rank}, recv(", "9", given=(rank, mpi.ANY_TAG, row)):
    receive(rank, mpi.ANY_TAG, row)
class Unsendable:
    def __reduce__(self):
        raise KeyError("no")
with raises(KeyError):
    send(rank, x=Unsendable())
made = c.dup()
lost = adapted(made, "object peer", tag=0, failed=tell)(lambda x, to: "left to the function")
lost(1, rank)
made.recv()
made.free()
assert lost(1, rank) == "left to the function"
assert len(asked) == 3
"""
    run_in_job(ADAPTED + script, 2, stack)


def test_what_a_receive_gives(run_in_job, stack: Stack) -> None:
    script = """
@adapted(c, "peer tag", status=Place)
def with_status(source=mpi.ANY_SOURCE, tag=mpi.ANY_TAG): ...
@adapted(c, "into peer tag", counted=True, wildcards=False)
def counted(into, source=None, tag=None): return "function"
@adapted(c, "peer tag", text=True, mismatched=lambda *given: given)
def text(source, tag=None): ...
for tag in 0, 0, 5, 300, 5:
    send(rank, tag, x=[tag])
    value, place = with_status()
    assert value == [tag] and type(place) is Place and place == (rank, tag, 0)
send(rank, 9, x=np.arange(30_000))
value, place = with_status(rank)
assert value.size == 30_000 and place == (rank, 9, 0)
for dtype in "hHiIlLqQfdFD":
    row = np.zeros(6, dtype)
    send(rank, 4, x=np.arange(4).astype(dtype))
    assert counted(row, rank, 4)[1:] == (rank, 4, 8 if dtype in "FD" else 4) and row.sum() == 6
send(rank, 4, x=np.ones((2, 2)))
grid = np.zeros((2, 2))
assert counted(grid)[0] is grid and grid.sum() == 4
for into in np.zeros(3, "u1"), np.zeros(3, "S2"), [0], np.zeros(3, object):
    assert counted(into, rank) == "function"
assert counted(np.zeros(3), mpi.ANY_SOURCE) == counted(np.zeros(3), None, mpi.ANY_TAG) == "function"
for x in "text", b"bytes":
    send(rank, 4, x=x)
    assert text(rank, 4) == (x, rank, 4)
send(rank, 4, x=5)
assert text(rank, 4) == ((5, rank, 4), rank, 4)  # what came, and the arguments
# rows of a datatype, on communicators by their numbers
dtypes, comms = {7: np.dtype("d"), 8: np.dtype("i")}, {1: c, 2: c.dup()}
@adapted(comms, "object count datatype peer comm", dtypes=dtypes, tag=0, answer=0)
def put(x, count, datatype, dest, comm, /): return "function"
def other(row, *given):
    return row.tolist(), given
@adapted(comms, "count datatype peer comm", dtypes=dtypes, tag=0, wildcards=False, mismatched=other)
def get(count, datatype, source, comm, /): return "function"
assert get.last is None
assert put(np.arange(3.0), 3, 7, rank, 2) == 0 and get(3, 7, rank, 2).tolist() == [0, 1, 2]
assert get.last == (rank, 0, 3, 7) and get.calls == 1
assert put(np.arange(3.0), 3, 7, rank, 1) == 0 and get(3, 8, rank, 1) == ([0, 1, 2], (3, 8, rank, 1))
assert put(np.arange(3.0), 3, 7, rank, 1) == 0 and get(2, 7, rank, 1) == ([0, 1, 2], (2, 7, rank, 1))
assert get.last == (rank, 0, 3, 7) and get.calls == 1
for x, count, datatype in (
    (np.arange(3.0), 2, 7), (np.arange(3.0), 3, 8), (np.arange(3.0), 3, 9), ([0.5], 1, 7), (np.zeros((3, 1)), 3, 7),
    (np.arange(3.0), True, 7), (np.arange(3.0), 3, 7.0),
):
    assert put(x, count, datatype, rank, 1) == "function", (x, count, datatype)
assert put(np.arange(3.0), 3, 7, rank, 3) == get(3, 7, rank, "1") == get(3, 7, mpi.ANY_SOURCE, 1) == "function"
comms.pop(2).free()
assert put(np.arange(3.0), 3, 7, rank, 2) == "function"
"""
    run_in_job(ADAPTED + script, 2, stack)


def test_it_looks_like_the_function_and_lives_no_longer(run_in_job, stack: Stack) -> None:
    script = """
import inspect
import pickle
import pydoc
assert (send.__name__, send.__doc__, send.__module__) == ("send", "Send it.", "__main__")
assert str(inspect.signature(send)) == "(to, tag=3, loudly=None, odd=False, x=None, rows=False)"
assert inspect.isroutine(send) and "Send it." in pydoc.render_doc(send) and "send" in repr(send)
class Facade:
    def __init__(self):
        adapt_method(self, Facade, "send", c, "object peer", tag=0)
    def send(self, x, to):
        "Send from here."
class Other(Facade):
    def send(self, x, to):
        return "another one"
facade = Facade()
facade.send(3, rank)
assert (c.recv(), facade.send.calls, facade.send.__doc__) == (3, 1, "Send from here.")
assert str(inspect.signature(facade.send)) == "(x, to)"
assert Other().send(3, rank) == "another one" and "send" not in vars(Other())
count = len(gc.get_objects())
for _ in range(100):
    Facade()
del facade
gc.collect()
assert len(gc.get_objects()) < count + 50
# what does not fit together
for error, roles, named in (
    (ValueError, "object nothing", {}), (ValueError, "object comm", {}), (ValueError, "object count", {}),
    (ValueError, "count datatype", {"dtypes": {}}), (ValueError, "peer tag", {"text": True}),
    (ValueError, "peer tag", {"status": int}), (TypeError, "peer tag", {"dtypes": 5}),
    (TypeError, "peer tag", {"odd": 5}), (ValueError, "peer tag tag", {}),
):
    with raises(error):
        adapted(c, roles, **named)(lambda x, y: None)
with raises(ValueError):
    core.Adapted(len, None, (("x", "object", True),))
with raises(ValueError):
    core.Adapted(len, c, (("x", "ignored", True),) * 11)
with raises(TypeError):
    core.Adapted(len, c, ("object",))
"""
    run_in_job(ADAPTED + script, 2, stack)
