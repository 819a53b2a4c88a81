"""What a rank that is alone does with messages to itself."""

import threading
from pathlib import Path

import numpy as np
import pytest
from alike import assert_alike, run_all

import polympi as mpi

world = mpi.world
ANYTHING = ({"a": [1, 2.5]}, "text", None, np.arange(5), np.arange(10**6, dtype=float), [np.ones(3), "and", b"bytes"])


def values_arrive_as_they_are() -> None:
    for value in ANYTHING:
        request = world.isend(value, 0, 1)
        assert_alike(world.recv(0, 1), value)
        request.wait()
        world.send(value, 0, 1)
        assert_alike(world.recv(0, 1), value)
        waiting = world.irecv(0, 2)
        world.send(value, 0, 2)
        assert_alike(waiting.wait(), value)
        assert_alike(world.sendrecv(value, 0, 3, 0, 3), value)


def strided_arrays_arrive_where_they_shall() -> None:
    table = np.arange(10000.0).reshape(100, 100)
    into = np.zeros((100, 200))[:, ::4]
    request = world.isend(table[:, ::2], 0)
    assert world.recv(0, into=into) is into
    request.wait()
    assert (into == table[:, ::2]).all()


def messages_keep_their_order() -> None:
    twin = world.dup()
    for number in range(100):
        world.send(number, 0, number % 3)
    twin.send("apart", 0, 0)
    world.issend("late", 0, 9)
    status = world.probe(0, 1)
    assert (status.source, status.tag) == (0, 1)
    assert [world.recv(0, 1) for _ in range(33)] == list(range(1, 100, 3))
    assert [world.recv() for _ in range(68)] == [*(n for n in range(100) if n % 3 != 1), "late"]
    assert world.iprobe() is None
    assert twin.recv() == "apart"
    twin.free()


def errors_are_those_of_any_mpi() -> None:
    with pytest.raises(mpi.Timeout, match=r"rank 0 waited 0\.05 s for rank 0 in recv\(source=0, tag=4\)"):
        world.recv(0, 4, timeout=0.05)
    with pytest.raises(mpi.Timeout, match="it did not receive"):
        world.ssend(1, 0, 4, timeout=0.05)
    assert world.recv(0, 4) == 1
    with pytest.raises(mpi.RankError, match="dest is 1, but the ranks of this communicator are 0 to 0"):
        world.send(1, 1)
    world.send(np.zeros(100), 0, 5)
    with pytest.raises(mpi.TruncationError):
        world.recv(0, 5, into=np.zeros(10))


def threads_send_and_receive() -> None:
    def work(tag: int) -> None:
        for number in range(200):
            world.send((tag, number), 0, tag)
            assert world.recv(0, tag) == (tag, number)

    threads = [threading.Thread(target=work, args=[tag]) for tag in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def communicators_are_made_of_it() -> None:
    assert world.split(None) is None
    part = world.split(3, key=1)
    assert (part.rank, part.size) == (0, 1)
    part.barrier()
    part.free()


run_all(vars())
print("with MPI" if "libmpi" in Path("/proc/self/maps").read_text() else "without MPI")
