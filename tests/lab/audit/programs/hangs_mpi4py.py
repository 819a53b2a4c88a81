"""The same programs as in hangs.c, with mpi4py."""

import os
import signal
import sys
import time

import numpy as np
from mpi4py import MPI

LARGE = 1 << 23
world = MPI.COMM_WORLD
rank, ranks = world.rank, world.size
path = sys.argv[2] if len(sys.argv) > 2 else ""


def compute(seconds):
    begin = time.monotonic()
    while time.monotonic() < begin + seconds:
        sum(range(1000))


def receives_first():
    world.recv(source=1 - rank, tag=5)
    world.send("a", 1 - rank, tag=5)


def wrong_tag():
    if rank == 0:
        world.send("a", 1, tag=5)
    else:
        world.recv(source=0, tag=7)
    world.barrier()


def wrong_root():
    world.gather("a", root=int(rank == 2))
    world.barrier()


def missing():
    if rank == ranks - 1:
        world.recv(source=0, tag=9)
    world.barrier()


def other_collective():
    if rank == 2:
        world.Allreduce(MPI.IN_PLACE, np.zeros(1))
    else:
        world.barrier()
    world.barrier()


def crossed():
    both = [world.Dup(), world.Dup()]
    both[rank].barrier()
    both[1 - rank].barrier()


def left():
    if rank == 0:
        MPI.Finalize()
        signal.pause()
    world.recv(source=0, tag=5)


def taken():
    if rank == 0:
        world.Send(np.zeros(1), 1, tag=5)
    else:
        kept = np.zeros(1)
        request = world.Irecv(kept, 0)
        world.Recv(np.zeros(1), 0, tag=5)
        request.Wait()
    world.barrier()


def locked():
    window = MPI.Win.Create(np.zeros(1), comm=world)
    if rank == 1:
        world.recv(source=0, tag=1)
    window.Lock(0)
    window.Put(np.ones(1), 0)
    window.Flush(0)
    if rank == 0:
        world.send("a", 1, tag=1)
        world.recv(source=1, tag=5)
    window.Unlock(0)
    if rank == 1:
        world.send("a", 0, tag=5)
    window.Free()


def wildcard():
    if rank == 0:
        world.recv(tag=9)
    world.barrier()


def sends_first():
    world.Send(np.zeros(LARGE, "b"), 1 - rank, tag=5)
    world.Recv(np.zeros(LARGE, "b"), 1 - rank, tag=5)


def unfinished():
    request = world.Ibarrier()
    if rank == 2:
        signal.pause()
    request.Wait()
    world.barrier()


def reading():
    if rank == 0:
        file = os.open(path, os.O_RDWR)
        os.read(file, 1)
    world.barrier()


def endless():
    while rank == 0:
        compute(1)
    world.barrier()


def stopped():
    if rank == 0:
        os.kill(os.getpid(), signal.SIGSTOP)
    world.barrier()


def rows():
    row, column = world.Split(rank // 2), world.Split(rank % 2)
    first, second = (row, column) if rank in (0, 3) else (column, row)
    first.barrier()
    second.barrier()


def probing():
    while rank == 0 and not world.iprobe(source=1, tag=9):
        pass
    world.recv(source=1 - rank, tag=9)


def finalizing():
    if rank > 0:
        world.recv(source=0, tag=5)


def slow():
    for _ in range(2):
        compute(3)
        world.barrier()


def polling():
    if rank == 0:
        request = world.irecv(source=1, tag=5)
        while not request.test()[0]:
            pass
    else:
        compute(4)
        world.send("a", 0, tag=5)


def one_long():
    if rank == 1:
        compute(4)
    world.barrier()


globals()[sys.argv[1].replace(" ", "_")]()
