"""How long messages of several sizes take between two ranks, and the straight line through the times.

    mpiexec -n 2 python -m polympi --as scientific examples/compat/scientific/network_timing.py

The line gives a latency and the time of a byte.
"""

import time

from Scientific import N
from Scientific.MPI import world

if world.size != 2:
    raise SystemExit("network_timing.py needs two ranks: start it by mpiexec -n 2.")

repeats = 50
sizes = [8 * 4**step for step in range(8)]
times = []
for size in sizes:
    data = N.arange(size // 8, typecode=N.Float)
    room = N.zeros_st(data.shape, data)
    world.barrier()
    start = time.time()
    for _ in range(repeats):
        if world.rank == 0:
            world.send(data, 1, 0)
            world.receive(room, 1, 0)
        else:
            world.receive(room, 0, 0)
            world.send(room, 0, 0)
    times.append((time.time() - start) / (2 * repeats))
    assert (room == data).all()

if world.rank == 0:
    slope, latency = N.polyfit(sizes, times, 1)
    for size, seconds in zip(sizes, times, strict=True):
        print(f"{size:8} bytes: {1e6 * seconds:9.2f} us")
    print(f"fitted line: {1e6 * latency:.2f} us and {1e9 * slope:.3f} ns for each byte")
