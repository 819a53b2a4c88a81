"""Collectives of a raw communicator whose partner comes late: rank 0 leaves each, and rank 1 makes it afterwards.

The argument is a folder, in which the ranks tell each other what MPI cannot while rank 0 must not call it.
"""

import gc
import signal
import sys
import threading
import time
from pathlib import Path

import numpy as np
from alarm import Alarm, ring
from hostless import refused

import polympi as mpi

FOLDER = Path(sys.argv[1])
LATEST = 60.0
job = mpi.raw_world
p, lone = job.dup(), job.split(job.rank)
rank, other = p.rank, 1 - p.rank
alone = mpi.thread_level() == "serialized"  # rank 0 cannot call MPI until what it has left is over
steps = iter(range(1000))


def go_on() -> None:
    """Rank 0 tells rank 1 to go on."""
    place = FOLDER / str(next(steps))
    if rank == 0:
        place.touch()
        return
    end = time.monotonic() + LATEST
    while not place.exists():
        assert time.monotonic() < end, place
        time.sleep(0.005)


def usable() -> None:
    """Until what was left is over."""
    end = time.monotonic() + LATEST
    while True:
        try:
            p.iprobe()
        except mpi.StateError:
            assert time.monotonic() < end
            time.sleep(0.005)
        else:
            return


# Values that aren't time-outs.
for wrong, kind in ((0, ValueError), (-1, ValueError), ("long", TypeError)):
    refused(kind, "timeout", lambda wrong=wrong: p.barrier(timeout=wrong))
    refused(kind, "timeout", lambda wrong=wrong: p.split(0, timeout=wrong))
refused(TypeError, "positional", lambda: p.barrier(1.0))

# Each is left, and rank 0 gives all up that it has given.
n = 5000
CALLS = {
    "raw.barrier": lambda t: p.barrier(timeout=t),
    "raw.bcast": lambda t: p.bcast(np.ones(n), 1, timeout=t),
    "raw.gather": lambda t: p.gather(np.ones(n), np.zeros(2 * n), timeout=t),
    "raw.gatherv": lambda t: p.gatherv(np.ones(n), np.zeros(2 * n), [n, n], timeout=t),
    "raw.scatter": lambda t: p.scatter(np.ones(2 * n), np.zeros((n, 2))[:, 0], 1, timeout=t),
    "raw.scatterv": lambda t: p.scatterv(np.ones(2 * n), np.zeros(n), [n, n], 1, timeout=t),
    "raw.allgather": lambda t: p.allgather(np.ones((n, 2))[:, 1], np.zeros(2 * n), timeout=t),
    "raw.allgatherv": lambda t: p.allgatherv(np.ones(n), np.zeros(2 * n), [n, n], timeout=t),
    "raw.alltoall": lambda t: p.alltoall(np.ones(2 * n), np.zeros(2 * n), timeout=t),
    "raw.alltoallv": lambda t: p.alltoallv(np.ones(2 * n), np.zeros(2 * n), [n, n], [n, n], timeout=t),
    "raw.reduce": lambda t: p.reduce(np.ones(n), np.zeros(n), timeout=t),
    "raw.allreduce": lambda t: p.allreduce(np.ones(n), np.zeros(n), timeout=t),
    "raw.scan": lambda t: p.scan(np.ones(n), np.zeros(n), timeout=t),
    "raw.exscan": lambda t: p.exscan(np.ones(n), np.zeros(n), timeout=t),
    "raw.split": lambda t: p.split(0, timeout=t),
    "raw.dup": lambda t: p.dup(timeout=t),
}
trash: list[np.ndarray] = []
for name, call in CALLS.items():
    root_of_one = name in ("raw.scan", "raw.exscan")  # in which rank 0 needs nothing from others
    if rank == 0 and not root_of_one:
        began = time.monotonic()
        said = refused(mpi.Timeout, f"rank 0 waited 0.2 s in {name}() at ", lambda call=call: call(0.2))
        assert 0.2 <= time.monotonic() - began < LATEST
        assert "not all other ranks called it" in said
        assert "MPI cannot take it back: it goes on, with its memory, until they do" in said
        assert ("(at thread level 'multiple' it can)" in said) == alone
        assert "polympi.abort()" in said
        gc.collect()
        trash = [np.full(k * n, -1.0) for k in (1, 2)]  # in the memory that was given, if that were free
        if alone:
            held = f"rank 0, {name}(): this call was left and is not complete"
            for attempt in (p.iprobe, lambda: p.isend(np.ones(1), 1), lambda: job.recv(np.ones(1), 1, timeout=0.01)):
                refused(mpi.StateError, held, attempt)
            assert mpi.thread_level() == "serialized"
        else:
            p.isend(np.arange(3.0), 1, 8).wait()
        go_on()
        usable()
    else:
        if not root_of_one:
            go_on()
        call(LATEST)
    if not alone and rank == 1 and not root_of_one:
        assert p.recv(np.zeros(3), 0, 8).tolist() == [0, 1, 2]
    assert p.allreduce(np.array([1.0 + rank]), np.zeros(1), timeout=LATEST)[0] == 3  # in step again
    assert all((array == -1).all() for array in trash)


# An exception of a signal handler leaves a call, too; a handler that returns does not.
if rank == 0:
    for handler in (ring, signal.default_int_handler):
        before = signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        kind = Alarm if handler is ring else KeyboardInterrupt
        refused(kind, "", lambda: p.barrier(timeout=LATEST))
        go_on()
        usable()
        signal.signal(signal.SIGALRM, before)
    heard = []
    before = signal.signal(signal.SIGALRM, lambda *_: heard.append(refused(mpi.StateError, "", p.barrier)))
    signal.setitimer(signal.ITIMER_REAL, 0.1, 0.05)
    threading.Timer(0.5, go_on).start()
    p.barrier(timeout=float("inf"))
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)
    assert "signal handler or destructor" in heard[0]
else:
    for _ in range(3):
        go_on()
        p.barrier()

# The next collective call waits for the one that was left, and says so.
if rank == 0:
    refused(mpi.Timeout, "", lambda: p.barrier(timeout=0.05))
    text = "raw.barrier(), which was called before and left, is not complete yet; this call was not made"
    refused(mpi.Timeout, text, lambda: p.allreduce(np.ones(1), np.zeros(1), timeout=0.05))
    refused(mpi.Timeout, text, lambda: p.dup(timeout=0.05))
    if alone:
        refused(mpi.Timeout, text, lambda: lone.barrier(timeout=0.05))
        refused(mpi.Timeout, text, lambda: lone.dup(timeout=0.05))
    lone_sum = lone.allreduce(np.ones(1), np.zeros(1))[0] if not alone else 1
    assert lone_sum == 1
    go_on()
else:
    go_on()
    p.barrier()
assert p.allreduce(np.array([1.0]), np.zeros(1))[0] == 2

# Threads: another one waits meanwhile, or goes on.
if rank == 0:
    results: list[object] = []
    thread = threading.Thread(target=lambda: results.append(p.barrier(timeout=LATEST)))
    thread.start()
    time.sleep(0.05)
    threading.Timer(0.2, go_on).start()
    job.send(np.ones(1), 1, 9)
    thread.join()
    assert results == [None]
else:
    go_on()
    p.barrier()
    job.recv(np.zeros(1), 0, 9)

# Nothing is kept longer than it is needed.
kept, room, slow = np.arange(4.0), np.zeros(8), np.zeros((8, 2))[:, 0]


def count_references() -> list[int]:
    return [sys.getrefcount(thing) for thing in (kept, room, slow, slow.base, p)]


before_all = count_references()
for into in (room, slow):
    if rank == 0:
        try:
            p.allgather(kept, into, timeout=0.02)
        except mpi.Timeout as error:
            del error
        go_on()
        usable()
    else:
        go_on()
        p.allgather(kept, into)
    p.allgather(kept, into, timeout=LATEST)
    assert into.tolist() == [0, 1, 2, 3] * 2
into = None
p.barrier()
assert count_references() == before_all, (count_references(), before_all)
p.free()
print("done")
