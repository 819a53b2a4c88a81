"""What a rank does with messages to itself, whether it is alone or not."""

import threading
from pathlib import Path

import numpy as np
from alike import assert_alike, raised, rank, run_all, size, world
from values_sent import VALUES

import polympi as mpi


def values_arrive_as_they_are() -> None:
    for value in VALUES:
        expected = value.copy() if type(value) is np.ndarray else value
        request = world.isend(value, rank, 1)
        assert_alike(world.recv(rank, 1), expected)
        assert request.wait() is None
        assert_alike(world.sendrecv(value, rank, 2, rank, 2), expected)
        request = world.irecv(rank)
        world.send(value, rank)
        assert_alike(request.wait(), expected)
        for tag in 1, 2:
            world.send(value, rank, tag)  # does not wait
        assert_alike(world.recv(rank, 2), expected)
        assert_alike(world.recv(rank, 1), expected)
        with mpi.buffer_attach(10**8):
            world.bsend(value, rank)
            assert_alike(world.recv(), expected)


def what_was_sent_is_what_was_there_then() -> None:
    for count in 1, 100, 1000, 10**6:
        for step in 1, 2:
            array = np.arange(float(count))[::step]
            expected = array.copy()
            world.send(array, rank)
            array[...] = -1
            assert_alike(world.recv(), expected)


def arrays_arrive_where_they_shall() -> None:
    table = np.arange(10000.0).reshape(100, 100)
    for into in np.zeros((100, 200))[:, ::4], np.zeros((50, 50, 2)):
        request = world.isend(table[:, ::2], rank)
        assert world.recv(rank, into=into) is into
        request.wait()
        assert (into.reshape(100, 50) == table[:, ::2]).all()


def messages_keep_their_order() -> None:
    twin = world.dup()
    for number in range(100):
        world.send(number, rank, number % 3)
    twin.send("apart", rank, 0)
    world.issend("late", rank, 9)
    status = world.probe(rank, 1)
    assert (status.source, status.tag) == (rank, 1)
    assert [world.recv(rank, 1) for _ in range(33)] == list(range(1, 100, 3))
    assert [world.recv() for _ in range(68)] == [*(n for n in range(100) if n % 3 != 1), "late"]
    assert world.iprobe() is None
    assert twin.recv() == "apart"
    twin.free()


def errors_are_those_of_any_mpi() -> None:
    text = raised(mpi.Timeout, world.recv, rank, 4, timeout=0.05)
    assert f"rank {rank} waited 0.05 s for rank {rank} in recv(source={rank}, tag=4)" in text
    assert "it did not receive" in raised(mpi.Timeout, world.ssend, 1, rank, 4, timeout=0.05)
    assert world.recv(rank, 4) == 1
    text = raised(mpi.RankError, world.send, 1, size)
    assert f"dest is {size}, but the ranks of this communicator are 0 to {size - 1}" in text
    world.send(np.zeros(100), rank, 5)
    raised(mpi.TruncationError, world.recv, rank, 5, into=np.zeros(10))


def threads_send_and_receive() -> None:
    def work(tag: int) -> None:
        for number in range(200):
            world.send((tag, number), rank, tag)
            assert world.recv(rank, tag) == (tag, number)

    threads = [threading.Thread(target=work, args=[tag]) for tag in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def communicators_are_made_of_it() -> None:
    assert world.split(None) is None
    part = world.split(rank)
    assert (part.rank, part.size) == (0, 1)
    part.barrier()
    part.free()


run_all(vars())
print("with MPI" if "libmpi" in Path("/proc/self/maps").read_text() else "without MPI")
