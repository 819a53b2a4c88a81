"""The Mandelbrot set: each rank computes every size-th row, and rank 0 puts them together.

    mpiexec -n 3 python -m polympi --as scientific examples/compat/scientific/mandelbrot.py

The rows of a rank are received into memory with steps between them.
"""

from Scientific import N
from Scientific.MPI import world

width, height, limit = 60, 21, 40


def row(place):
    """After how many steps the points of a row leave the circle; the limit for those that stay."""
    y = -1 + 2 * place / (height - 1)
    steps = N.zeros((width,), N.Int)
    for x in range(width):
        c = complex(-2 + 2.6 * x / (width - 1), y)
        z = 0j
        while abs(z) <= 2 and steps[x] < limit:
            z = z * z + c
            steps[x] += 1
    return steps


picture = N.zeros((height, width), N.Int)
for place in range(world.rank, height, world.size):
    picture[place] = row(place)

if world.rank == 0:
    for rank in range(1, world.size):
        rows = picture[rank :: world.size]  # memory with steps between the rows
        world.receive(rows, rank, 0)
    assert (picture == picture[::-1]).all()  # it is the same above and below
    assert (picture[height // 2] == row(height // 2)).all()
    for steps in picture:
        print("".join(" .:-=+*#%@"[min(9, step * 10 // limit)] for step in steps))
else:
    world.send(picture[world.rank :: world.size], 0, 0)
