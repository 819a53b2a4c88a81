"""Messages of one tag never overtake."""

import random
from typing import Any

import numpy as np
from prelude import c, rank, same

import polympi as mpi

SIZES = [0, 1, 400, 4000, 4096, 8000, 8192, 9000, 60_000, 70_000, 500_000]
chance = random.Random(7)
KINDS = ["bytes", "array", "list"]
plan = [
    (number, chance.choice(KINDS), chance.choice(SIZES), chance.randrange(3), chance.randrange(4))
    for number in range(1500)
]


def made(number: int, kind: str, nbytes: int) -> Any:
    if kind == "bytes":
        return number.to_bytes(4, "little") + bytes(nbytes)
    if kind == "array":
        return np.full(1 + nbytes // 8, number)
    return [number, bytearray(nbytes)]


def number_of(message: Any) -> int:
    return int.from_bytes(message[:4], "little") if type(message) is bytes else message[0]


kept = []
for number, kind, nbytes, way, receive in plan:
    if rank == 0:
        if way:
            kept.append((c.isend if way == 1 else c.issend)(made(number, kind, nbytes), 1, 5))
        else:
            c.send(made(number, kind, nbytes), 1, 5)
    elif receive == 0:
        kept.append((number, c.irecv(0, 5)))
    else:
        source, tag = [(0, 5), (mpi.ANY_SOURCE, 5), (mpi.ANY_SOURCE, mpi.ANY_TAG)][receive - 1]
        message = c.recv(source, tag)
        assert number_of(message) == number
        assert same(message, made(number, kind, nbytes))
if rank == 0:
    mpi.wait_all(kept)
else:
    for number, request in random.Random(8).sample(kept, len(kept)):
        assert number_of(request.wait()) == number
