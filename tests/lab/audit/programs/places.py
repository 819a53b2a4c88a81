"""Calls MPI from lines that test_python.py looks for."""

import ctypes
import sys

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
data = np.zeros(10)


class Exchange:
    def objects(self) -> None:
        comm.send({"a": 1}, dest=(comm.rank + 1) % comm.size)  # objects
        comm.recv()  # any object


def arrays(times: int) -> None:
    for _ in range(times):
        comm.Sendrecv(data, (comm.rank + 1) % comm.size, recvbuf=data.copy())  # arrays

    def nested() -> None:
        comm.Barrier()  # nested

    nested()
    exec(compile("comm.Barrier()", "generated", "exec"))


def generator():
    result = np.zeros(1)
    comm.Allreduce(  # begin of a call
        np.ones(1),
        result,
    )
    yield int(result[0])


Exchange().objects()
arrays(5)
assert sum(generator()) == comm.size
mpi = ctypes.CDLL(sys.argv[1])
major = ctypes.c_int()
mpi.MPI_Get_version(ctypes.byref(major), ctypes.byref(ctypes.c_int()))  # ctypes
assert not hasattr(mpi, "MPI_Get_no_version")
