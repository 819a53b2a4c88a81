"""Shows the parts of results: parts.py FOLDER SUFFIX [NAME CLASS SIZE ITERATIONS KERNEL]...

Each line: the program, its size, its kernel, then as in parts.c.
"""

import sys
from importlib import import_module

folder, suffix, *cases = sys.argv[1:]
sys.path.insert(0, folder)

if suffix:
    from mpi4py import MPI

    world = MPI.COMM_WORLD
else:
    import polympi as mpi

    world = mpi.world

for name, kind, size, iterations, kernel in zip(*[iter(cases)] * 5, strict=True):
    more = {"kernel": kernel} if kernel else {}
    solver = getattr(import_module(name + suffix), kind)(world, int(size), **more)
    solver.advance(int(iterations))
    solver.restart()
    solver.advance(int(iterations))
    assert solver.communication_ns > 0
    part, start = solver.part()
    assert part.dtype == float
    assert len(start) == part.ndim
    two = (*start, 0)[:2], (*part.shape, 1)[:2]
    line = " ".join(map(str, [name, size, kernel or "-", world.rank, *two[0], *two[1], *part.ravel().tolist()]))
    lines = world.gather(line)  # long lines of several ranks would run into one another
    if lines:
        print(*lines, sep="\n")
    solver.free()
