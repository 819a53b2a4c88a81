"""How each facade of an older module spells the calls that all or most of them have.

A class has no method for a call that its module lacks. `like` is an array or a text such as is received; a receive
gives the value, its source and its tag. Collectives of arrays take and give rows; gather and reduce give None on ranks
other than the root.
"""

import operator
from typing import Any

import numpy as np
from prelude import rank, size

import polympi
from polympi.compat import boostmpi, mympi, pympi, pypar
from polympi.compat.scientific import MPI as SCIENTIFIC

ANY = polympi.ANY_SOURCE, polympi.ANY_TAG


class Pypar:
    any_object, error = True, polympi.Error

    def send(self, x, to, tag):
        pypar.send(x, to, tag=tag)

    def recv(self, _like, source=ANY[0], tag=ANY[1]):
        got, status = pypar.receive(source, tag=tag, return_status=True)
        return got, status.source, status.tag

    def bcast(self, x, root, _like):
        return pypar.broadcast(x, root)

    scatter = staticmethod(pypar.scatter)

    def gather(self, x, root):
        got = pypar.gather(x, root)
        return got if rank == root else None

    def reduce(self, x, op, root):
        got = pypar.reduce(x, getattr(pypar, op), root)
        return got if rank == root else None


class Pympi:
    any_object, error = True, pympi.MPIError
    send, scatter = staticmethod(pympi.send), staticmethod(pympi.scatter)

    def recv(self, _like, source=ANY[0], tag=ANY[1]):
        got, status = pympi.recv(source, tag)
        return got, *status[:2]

    def bcast(self, x, root, _like):
        return pympi.bcast(x, root)

    def gather(self, x, root):
        got = pympi.gather(x, root=root)
        return None if got is None else np.array(got, x.dtype)

    def allgather(self, x):
        return np.array(pympi.allgather(x), x.dtype)

    def reduce(self, x, op, root):
        return pympi.reduce(x, getattr(pympi, op), root)

    def allreduce(self, x, op):
        return pympi.allreduce(x, getattr(pympi, op))

    def scan(self, x, op):
        return pympi.scan(x, getattr(pympi, op))


class Mympi:
    any_object, error = False, mympi.error
    W = mympi.MPI_COMM_WORLD

    def send(self, x, to, tag):
        mympi.mpi_send(x, len(x), _datatype(x), to, tag, self.W)

    def recv(self, like, source=mympi.MPI_ANY_SOURCE, tag=mympi.MPI_ANY_TAG):
        got = mympi.mpi_recv(len(like), _datatype(like), source, tag, self.W)
        source, tag, _ = mympi.mpi_status()
        return "".join(got) if isinstance(like, str) else got, source, tag

    def bcast(self, x, root, like):
        return mympi.mpi_bcast(x, len(like), _datatype(like), root, self.W)

    def scatter(self, x, root):
        part = len(x) // size, _datatype(x)
        return mympi.mpi_scatter(x, *part, *part, root, self.W)

    def gather(self, x, root):
        part = len(x), _datatype(x)
        got = mympi.mpi_gather(x, *part, *part, root, self.W)
        return got if rank == root else None

    def alltoall(self, x):
        part = len(x) // size, _datatype(x)
        return mympi.mpi_alltoall(x, *part, *part, self.W)

    def reduce(self, x, op, root):
        got = mympi.mpi_reduce(x, len(x), _datatype(x), getattr(mympi, f"MPI_{op}"), root, self.W)
        return got if rank == root else None


def _datatype(x):
    if isinstance(x, str):
        return mympi.MPI_CHAR
    names = {"i": "INT", "l": "LONG", "f": "FLOAT", "d": "DOUBLE"}
    return getattr(mympi, f"MPI_{names[x.dtype.char]}")


class Scientific:
    any_object, error = False, SCIENTIFIC.MPIError
    send = staticmethod(SCIENTIFIC.world.send)

    def recv(self, like, source=None, tag=None):
        if isinstance(like, str):
            return SCIENTIFIC.world.receiveString(source, tag)
        return SCIENTIFIC.world.receive(like.dtype.char, source, tag)[:3]

    def bcast(self, x, root, like):
        room = x if rank == root else np.zeros_like(like)
        SCIENTIFIC.world.broadcast(room, root)
        return room

    def allgather(self, x):
        room = np.zeros((size, len(x)), x.dtype)
        SCIENTIFIC.world.share(x, room)
        return room.ravel()

    def reduce(self, x, op, root):
        room = np.zeros_like(x)
        SCIENTIFIC.world.reduce(x, room, getattr(SCIENTIFIC, op.lower()), root)
        return room if rank == root else None

    def allreduce(self, x, op):
        room = np.zeros_like(x)
        SCIENTIFIC.world.allreduce(x, room, getattr(SCIENTIFIC, op.lower()))
        return room


OPERATIONS = {"SUM": operator.add, "PROD": operator.mul, "MAX": np.maximum, "MIN": np.minimum}
OPERATIONS |= {"BAND": operator.and_, "BOR": operator.or_, "BXOR": operator.xor}


class Boostmpi:
    any_object, error = True, boostmpi.Error

    def send(self, x, to, tag):
        boostmpi.world.send(to, tag, x)

    def recv(self, _like, source=ANY[0], tag=ANY[1]):
        got, status = boostmpi.world.recv(source, tag, return_status=True)
        return got, status.source, status.tag

    def bcast(self, x, root, _like):
        return boostmpi.broadcast(boostmpi.world, x, root)

    def scatter(self, x, root):
        return boostmpi.scatter(boostmpi.world, np.split(x, size), root)

    def gather(self, x, root):
        got = boostmpi.gather(boostmpi.world, x, root)
        return None if got is None else np.concatenate(got)

    def allgather(self, x):
        return np.concatenate(boostmpi.all_gather(boostmpi.world, x))

    def alltoall(self, x):
        return np.concatenate(boostmpi.all_to_all(boostmpi.world, np.split(x, size)))

    def reduce(self, x, op, root):
        return boostmpi.reduce(boostmpi.world, x, OPERATIONS[op], root)

    def allreduce(self, x, op):
        return boostmpi.all_reduce(boostmpi.world, x, OPERATIONS[op])

    def scan(self, x, op):
        return boostmpi.scan(boostmpi.world, x, OPERATIONS[op])


def calls_of(facade: str) -> Any:
    """How a facade spells them. MYMPI is started by a call."""
    if facade == "mympi":
        mympi.mpi_init(0, [])
    return globals()[facade.capitalize()]()
