"""Programs of hangs.c with polympi, but for those that it ends with an error itself."""

import os
import signal
import sys
import time

import numpy as np

import polympi as mpi

LARGE = 1 << 23
world = mpi.world
rank, size = world.rank, world.size
path = sys.argv[2] if len(sys.argv) > 2 else ""


def compute(seconds):
    begin = time.monotonic()
    while time.monotonic() < begin + seconds:
        sum(range(1000))


def receives_first():
    world.recv(source=1 - rank, tag=5)
    world.send("a", dest=1 - rank, tag=5)


def wrong_tag():
    if rank == 0:
        world.send("a", dest=1, tag=5)
    else:
        world.recv(source=0, tag=7)
    world.barrier()


def missing():
    if rank == size - 1:
        world.recv(source=0, tag=9)
    world.barrier()


def crossed():
    both = [world.dup(), world.dup()]
    both[rank].barrier()
    both[1 - rank].barrier()


def wildcard():
    if rank == 0:
        world.recv(tag=9)
    world.barrier()


def sends_first():
    world.send(np.zeros(LARGE, "b"), dest=1 - rank, tag=5)
    world.recv(source=1 - rank, tag=5)


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
    row, column = world.split(rank // 2), world.split(rank % 2)
    first, second = (row, column) if rank in (0, 3) else (column, row)
    first.barrier()
    second.barrier()


def probing():
    while rank == 0 and not world.iprobe(source=1, tag=9):
        pass
    world.recv(source=1 - rank, tag=9)


globals()[sys.argv[1].replace(" ", "_")]()
