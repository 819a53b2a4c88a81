"""A small message in flight takes little memory; how it is sent, and the most bytes it may take, are arguments."""

import sys
import time
from pathlib import Path

import numpy as np
from prelude import c, in_turn, rank
from resident import resident

import polympi as mpi

KIND, MOST_BYTES = sys.argv[1], int(sys.argv[2])
N = 10_000
SENT = Path("sent")
value = np.arange(10_000 if KIND == "announced" else 1)
kept: list[mpi.Request] = []


def send() -> None:
    if KIND == "buffered":
        c.bsend(value, 1, 1)
    elif KIND == "dropped":
        c.isend(value, 1, 1)
    else:
        kept.append(c.isend(value, 1, 1))


mpi.buffer_attach(10**8)
in_turn()
if rank == 0:
    before = resident()
    for _ in range(N):
        send()
    took = (resident() - before) // N
    SENT.touch()
    mpi.wait_all(kept)
else:
    received = np.zeros_like(value)
    while not SENT.exists():  # without a call of MPI, which would move messages on
        time.sleep(0.05)
    took = 0
    for _ in range(N):
        c.recv(0, 1, into=received)
assert took <= MOST_BYTES, took
in_turn()
mpi.buffer_detach()
