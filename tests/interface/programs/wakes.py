"""Each way by which a rank gives another one of its host something wakes it."""

import os
import sys
import threading
import time
from collections.abc import Callable

import numpy as np

import polympi as mpi
from polympi.native import core

SLEEP_S = 5.0  # of each sleep that nobody ends: what one forgotten wake costs
LARGE = np.ones(2_000_000)

if "oversubscribed" in sys.argv:  # then large data of collectives are on boards
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
comm = mpi.world.dup()
ready = mpi.world.dup()
rank, other = comm.rank, 1 - comm.rank
between = mpi.world.split(rank).create_intercomm(0, mpi.world, remote_leader=other)
plan = comm.plan()
raw = mpi.raw_world
one = np.ones(1)


def exchange(plan: mpi.Plan) -> None:
    plan.start()
    plan.finish()


def started(request: mpi.Request) -> object:
    return request.wait()


WAYS: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {  # how rank 0 waits, and what rank 1 does
    "small message": (lambda: comm.recv(1), lambda: comm.send("a", 0)),
    "large message": (lambda: comm.recv(1), lambda: comm.send(LARGE, 0)),
    "large message into memory": (lambda: comm.recv(1, into=LARGE.copy()), lambda: comm.send(LARGE, 0)),
    "large message from any rank": (comm.recv, lambda: comm.send(LARGE, 0)),
    "a receive of a large message": (lambda: comm.send(LARGE, 1), lambda: comm.recv(0)),
    "isend": (lambda: comm.irecv(1).wait(), lambda: comm.isend("a", 0).wait()),
    "ssend": (lambda: comm.recv(1), lambda: comm.ssend("a", 0)),
    "a receive of ssend": (lambda: comm.ssend("a", 1), lambda: comm.recv(0)),
    "wait_any": (lambda: mpi.wait_any([comm.irecv(1)]), lambda: comm.send("a", 0)),
    "wait_all": (lambda: mpi.wait_all([comm.irecv(1), comm.irecv(1)]), lambda: [comm.send("a", 0) for _ in "ab"]),
    "probe": (lambda: (comm.probe(1), comm.recv(1)), lambda: comm.send("a", 0)),
    "sendrecv": (lambda: comm.sendrecv("a", 1, 1), lambda: comm.sendrecv("a", 0, 0)),
    "barrier": (comm.barrier, comm.barrier),
    "bcast": (lambda: comm.bcast(None, 1), lambda: comm.bcast("a", 1)),
    "large bcast": (lambda: comm.bcast(None, 1), lambda: comm.bcast(LARGE, 1)),
    "gather": (lambda: comm.gather("a"), lambda: comm.gather("a")),
    "large gather": (lambda: comm.gather(LARGE), lambda: comm.gather(LARGE)),
    "alltoall": (lambda: comm.alltoall(["a", "b"]), lambda: comm.alltoall(["a", "b"])),
    "allreduce": (lambda: comm.allreduce(1), lambda: comm.allreduce(1)),
    "large allreduce": (lambda: comm.allreduce(LARGE), lambda: comm.allreduce(LARGE)),
    "ibarrier": (lambda: started(comm.ibarrier()), lambda: started(comm.ibarrier())),
    "dup": (lambda: comm.dup().free(), lambda: comm.dup().free()),
    "split": (lambda: comm.split(0).free(), lambda: comm.split(0).free()),
    "plan": (lambda: exchange(plan), lambda: exchange(plan)),
    "message between groups": (lambda: between.recv(0), lambda: between.send("a", 0)),
    "barrier of groups": (between.barrier, between.barrier),
    "raw message": (lambda: raw.recv(one.copy(), 1), lambda: raw.send(one, 0)),
    "a receive of a large raw message": (lambda: raw.send(LARGE, 1), lambda: raw.recv(LARGE.copy(), 0)),
}


def wait_and_count(name: str, wait: Callable[[], object]) -> None:
    before = core._woken()
    wait()
    assert core._woken() != before, f"nothing woke {name}"


def give_to_a_sleeper(give: Callable[[], object]) -> None:
    end = time.monotonic() + 60
    while not core._asleep(comm, 0) and time.monotonic() < end:
        time.sleep(0.001)
    assert core._asleep(comm, 0)
    give()


def two_threads() -> None:
    """Both sleep on one word."""
    threads = [threading.Thread(target=comm.recv, args=(1, tag)) for tag in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


WAYS["two threads"] = (two_threads, lambda: [comm.send("a", 0, tag) for tag in (1, 2)])
plan.send(one, other)
plan.recv(one.copy(), other)
exchange(plan)
with mpi.waiting(sys.argv[1]):
    core._only_sleep(SLEEP_S)
    for name, (wait, give) in WAYS.items():
        if rank == 0:
            ready.send(None, 1)  # does not wait
            wait_and_count(name, wait)
        else:
            ready.recv(0)
            give_to_a_sleeper(give)
    core._only_sleep(0)
