"""Latency and bandwidth: times of messages of several sizes there and back, and a straight line through them.

mpiexec -n 2 python -m polympi --as pypar examples/compat/pypar/network_timing.py
"""

import numpy
import pypar

numproc = pypar.size()
myid = pypar.rank()
assert numproc == 2, "It needs two processors"

REPEATS = 10
LONGEST = 100000
A = numpy.arange(LONGEST, dtype=float)
C = numpy.zeros(LONGEST)
lengths = [1, 10, 100, 1000, 10000, LONGEST]
times = []

for m in lengths:
    best = None
    for _ in range(REPEATS):
        C[:] = 0
        pypar.barrier()
        t0 = pypar.time()
        if myid == 0:
            pypar.send(A[:m], destination=1, tag=0, use_buffer=True, bypass=True)
            pypar.receive(1, buffer=C[:m], tag=0, bypass=True)
        else:
            pypar.receive(0, buffer=C[:m], tag=0, bypass=True)
            pypar.send(C[:m], destination=0, tag=0, use_buffer=True, bypass=True)
        elapsed = (pypar.time() - t0) / 2
        best = elapsed if best is None else min(best, elapsed)
        assert (C[:m] == A[:m]).all()
        assert not C[m:].any()
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

pypar.finalize()
