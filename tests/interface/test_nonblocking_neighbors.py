"""Calls among neighbours that return a request."""

import pytest
from rank_programs import PRELUDE, on_ranks

pytestmark = pytest.mark.sanitize

CASES = {
    1: {
        "a rank that is its own neighbour": """
with c.cart((1,), periods=True) as cart:
    requests = [cart.ineighbor_allgather("x"), cart.ineighbor_alltoall(["back", "on"])]
    assert mpi.wait_all(requests) == [["x", "x"], ["on", "back"]]
""",
    },
    2: {
        "mistakes are raised by wait": """
with c.graph([other], [other]) as pair:
    request = pair.ineighbor_alltoall([rank] if rank else [1, 2])
    with raises(mpi.Error if rank else mpi.MismatchError,
                "rank 0 could not send its part: MismatchError: " if rank else "there are 2 pieces for 1 destinations"):
        request.wait(timeout=60)
    assert request.done
    with raises(mpi.StateError, "this request has failed before"):
        request.wait()
    request = pair.ineighbor_alltoall([rank]) if rank else pair.ineighbor_allgather(rank)
    with raises(mpi.MismatchError, f"neighbor_{'alltoall' if rank else 'allgather'}(): rank {other} called",
                rank=rank, peer=other):
        request.wait(timeout=60)
    with raises(mpi.MismatchError, "into has 3 places for 1 sources"):
        pair.neighbor_allgather(1, into=np.zeros(3)) if rank else pair.ineighbor_allgather(1, into=np.zeros(3)).wait()
    for value, into, words in (
        (np.zeros(3), np.zeros((1, 4)), "shape (3,) do not fit into float64 elements of shape (4,)"),
        (np.zeros(3), np.zeros((1, 3), "f4"), "do not fit into float32 elements of shape (3,)"),
        ("text", [np.zeros(3)], "do not fit into float64 elements of shape (3,)"),
    ):
        with raises(mpi.MismatchError, words, peer=other):
            pair.ineighbor_allgather(value, into=into).wait(timeout=60)
    assert pair.neighbor_allgather(rank) == [other]
""",
        "a time-out names the rank, and the next wait goes on": """
with c.graph([other], [other]) as pair:
    if rank == 0:
        request = pair.ineighbor_allgather("early")
        with raises(mpi.Timeout, "rank 0 waited 0.05 s for rank 1 in neighbor_allgather() at ", peer=1):
            request.wait(timeout=0.05)
        with raises(mpi.Timeout, "for rank 1 in neighbor_allgather()"):
            mpi.wait_all([request], timeout=0.05)
        assert not request.test() and not request.done and not request.cancel()
        with raises(mpi.StateError, "free(): a call among neighbours is pending: wait for its request first"):
            pair.free()
        c.send("go", 1)
    else:
        assert c.recv(0) == "go"
        request = pair.ineighbor_allgather("late")
    assert request.wait(timeout=60) == [("late", "early")[rank]] and request.wait() is request.wait()
""",
        "dropped requests do not keep the other waiting": """
with c.graph([other], [other]) as pair:
    for turn in range(50):
        request = pair.ineighbor_alltoall([np.full(3000, turn)])
        if rank == 0:
            del request
        else:
            assert request.wait(timeout=60)[0][-1] == turn
    gc.collect()
    assert pair.neighbor_allgather(rank) == [other]
""",
        "awaited": """
import asyncio
async def main(pair):
    async def one(turn):
        return await pair.ineighbor_allgather({"turn": turn, "data": np.full(5000 * (turn % 2), turn)})
    begun = [pair.ineighbor_allgather(turn) for turn in range(5)]
    got = await asyncio.gather(*begun)
    assert got == [[turn] for turn in range(5)]
    for turn in range(6):
        (come,) = await one(turn)
        assert come["turn"] == turn and come["data"].size == 5000 * (turn % 2)
with c.graph([other], [other]) as pair:
    asyncio.run(main(pair))
""",
    },
    3: {
        "in any order with blocking calls and other messages": """
right, left = (rank + 1) % size, (rank - 1) % size
with c.cart((size,), periods=True) as ring:
    assert ring.sources == (left, right)
    for turn in range(30):
        def data(owner, place):
            return {"of": owner, "to": place, "data": np.full(10 ** (turn % 6), owner + place + turn)}
        first = ring.ineighbor_alltoall([data(rank, 0), data(rank, 1)])
        total = ring.iallreduce(turn)
        second = ring.neighbor_allgather((turn, rank)) if (turn + rank) % 2 else ring.ineighbor_allgather((turn, rank))
        number = c.sendrecv(turn, right, source=left)
        third = ring.ineighbor_allgather(np.arange(turn + rank))
        assert same(third.wait(timeout=60), [np.arange(turn + left), np.arange(turn + right)])
        assert same(first.wait(timeout=60), [data(left, 1), data(right, 0)])
        assert (second if isinstance(second, list) else second.wait(timeout=60)) == [(turn, left), (turn, right)]
        assert total.wait() == size * turn and number == turn
""",
        "into arrays": """
right, left = (rank + 1) % size, (rank - 1) % size
with c.cart((size,)) as line:
    ends = [rank > 0, rank < size - 1]
    for begin in False, True:
        one, several, numbers = np.full((2, 3), -1.0), [np.full(2, -1), np.full(4, -1)], np.full(2, -1)
        pieces = [np.full(4, 10 * rank), np.full(2, 10 * rank + 1)]
        calls = [("neighbor_allgather", np.full(3, float(rank)), one), ("neighbor_alltoall", pieces, several),
                 ("neighbor_allgather", rank, numbers)]
        if begin:
            requests = [getattr(line, "i" + name)(value, into=into) for name, value, into in calls]
            came = mpi.wait_all(requests, timeout=60)
        else:
            came = [getattr(line, name)(value, into=into, timeout=60) for name, value, into in calls]
        assert all(got is into for got, (*_, into) in zip(came, calls, strict=True))
        for place, (here, source) in enumerate(zip(ends, (left, right), strict=True)):
            assert (one[place] == (source if here else -1)).all() and numbers[place] == (source if here else -1)
            assert (several[place] == (10 * source + 1 - place if here else -1)).all()
""",
        "as they complete": """
with c.graph([(rank - 1) % size], [(rank + 1) % size]) as ring:
    requests = [ring.ineighbor_allgather(turn * 10 + rank) for turn in range(20)]
    places = {request: turn for turn, request in enumerate(requests)}
    for request in mpi.as_completed(requests, timeout=60):
        assert request.wait() == [places[request] * 10 + (rank - 1) % size]
    begun = [ring.ineighbor_allgather(turn) for turn in range(5)]
    left = list(range(5))
    while begun:
        index, value = mpi.wait_any(begun, timeout=60)
        assert value == [left.pop(index)]
        del begun[index]
    request = ring.ineighbor_allgather("x")
    while not request.test():
        pass
    assert request.wait() == ["x"] and mpi.test_all([request])
""",
    },
}


@on_ranks(CASES)
def test_calls_among_neighbours_that_were_begun(run_in_job, stack, ranks: int, script: str) -> None:
    run_in_job(PRELUDE + script, ranks, stack)


def test_a_neighbour_that_has_ended_is_named(run, stack) -> None:
    script = """
import asyncio
async def main(pair):
    await pair.ineighbor_allgather(1)
pair = c.graph([other], [other])
if rank == 0:
    with raises(mpi.EndedError, "rank 1 has reached its end"):
        asyncio.run(main(pair)) if sys.argv[1] == "await" else pair.ineighbor_allgather(1).wait()
    print("noticed")
"""
    for how in "wait", "await":
        ended = run(PRELUDE + script, 2, stack, arguments=[how])
        assert "noticed" in ended.stdout, str(ended)
