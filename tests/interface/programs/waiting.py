"""Time-outs of collectives, and what goes on while a rank waits in one; on two ranks or more."""

import threading
import time

import numpy as np
from alike import raised, rank, run_all, size, world

import polympi as mpi

LARGE = np.ones(100_000)


def a_rank_that_waits_in_vain_times_out() -> None:
    calls = [
        ("barrier", ()),
        ("bcast", (None, 1)),
        ("gather", (LARGE, 0)),
        ("scatter", (None, 1)),
        ("allgather", (LARGE,)),
        ("alltoall", ([LARGE] * size,)),
        ("reduce", (1.0, mpi.SUM, 0)),
        ("allreduce", (LARGE,)),
        ("allreduce", ("text",)),
        ("scan", (1,)),
        ("exscan", ([1],)),
        ("reduce_scatter", (LARGE,)),
    ]
    for name, arguments in calls:
        alone = world.dup()
        if rank == 0:
            began = time.monotonic()
            text = raised(mpi.Timeout, getattr(alone, name), *arguments, timeout=0.05)
            assert 0.04 < time.monotonic() - began < 30
            assert text.startswith(f"rank 0 waited 0.05 s in {name}() at ")
        world.barrier(timeout=30)


def other_threads_run_meanwhile() -> None:
    steps = 0
    ended = threading.Event()

    def step() -> None:
        nonlocal steps
        while not ended.wait(0.001):
            steps += 1

    thread = threading.Thread(target=step)
    thread.start()
    for call in (
        world.barrier,
        lambda: world.allreduce(1.0),
        lambda: world.allreduce(LARGE),
        lambda: world.bcast(LARGE if rank == 1 else None, 1),
        lambda: world.gather(LARGE),
    ):
        if rank == 1:
            time.sleep(0.5)  # so long that a busy machine, too, lets the other thread of rank 0 run now and then
        before = steps
        call()
        assert rank or steps > before + 10, steps - before
    ended.set()
    thread.join()


def receives_go_on_meanwhile() -> None:
    """Rank 1 cannot come before rank 0, which waits for it, has taken in the message."""
    for call in (
        world.barrier,
        lambda: world.allreduce(1.0),
        lambda: world.allreduce(LARGE),
        lambda: world.bcast(LARGE if rank == 1 else None, 1),
        lambda: world.gather(LARGE),
        lambda: world.alltoall([LARGE] * size),
        lambda: world.allreduce([1]),
    ):
        request = world.irecv(1) if rank == 0 else None
        if rank == 1:
            world.send(np.arange(500_000), 0)
        call()
        assert request is None or request.wait()[-1] == 499_999


def different_calls_are_told_apart() -> None:
    if size > 2:
        return
    for first, second in (("barrier", "allreduce"), ("allreduce", "barrier"), ("allgather", "barrier")):
        apart = world.dup()
        name, other = (first, second) if rank % 2 else (second, first)
        arguments = [] if name == "barrier" else [1]
        text = raised(mpi.MismatchError, getattr(apart, name), *arguments)
        assert f"called {other}() where this rank called {name}()" in text
        world.barrier(timeout=30)


run_all(vars())
