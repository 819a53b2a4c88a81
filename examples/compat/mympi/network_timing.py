"""Latency and bandwidth: times of messages of several sizes there and back, and a straight line through them.

mpiexec -n 2 python -m polympi --as mympi examples/compat/mympi/network_timing.py
"""

import sys

import mpi
import numpy

sys.argv = mpi.mpi_init(len(sys.argv), sys.argv)
myid = mpi.mpi_comm_rank(mpi.MPI_COMM_WORLD)
assert mpi.mpi_comm_size(mpi.MPI_COMM_WORLD) == 2, "It needs two processors"

REPEATS = 10
LONGEST = 100000
A = numpy.arange(LONGEST, dtype="d")
lengths = [1, 10, 100, 1000, 10000, LONGEST]
times = []

for m in lengths:
    best = None
    for _ in range(REPEATS):
        mpi.mpi_barrier(mpi.MPI_COMM_WORLD)
        t0 = mpi.mpi_wtime()
        if myid == 0:
            mpi.mpi_send(A, m, mpi.MPI_DOUBLE, 1, 0, mpi.MPI_COMM_WORLD)
            C = mpi.mpi_recv(m, mpi.MPI_DOUBLE, 1, 0, mpi.MPI_COMM_WORLD)
        else:
            C = mpi.mpi_recv(m, mpi.MPI_DOUBLE, 0, 0, mpi.MPI_COMM_WORLD)
            mpi.mpi_send(C, m, mpi.MPI_DOUBLE, 0, 0, mpi.MPI_COMM_WORLD)
        elapsed = (mpi.mpi_wtime() - t0) / 2
        best = elapsed if best is None else min(best, elapsed)
        assert len(C) == m
        assert (A[:m] == C).all()
    times.append(best)

if myid == 0:
    for m, t in zip(lengths, times, strict=True):
        print(f"{8 * m:8d} bytes: {1e6 * t:10.2f} microseconds")
    slope, latency = numpy.polyfit([8 * m for m in lengths], times, 1)
    if slope > 0 and latency > 0:
        print(f"Latency {1e6 * latency:.2f} microseconds, bandwidth {1e-6 / slope:.0f} megabytes a second")
    else:
        print("The times are not on a line: the machine is busy")
    assert all(t > 0 for t in times)

mpi.mpi_finalize()
