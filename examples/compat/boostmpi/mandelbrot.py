"""The Mandelbrot set: the rows of the picture are scattered, computed and gathered.

    mpiexec -n 4 python -m polympi --as boostmpi examples/compat/boostmpi/mandelbrot.py

A scattered list has one value for each rank: here a list of rows.
"""

import boostmpi as mpi

WIDTH, HEIGHT, STEPS = 60, 25, 40


def pixel(column, row):
    """The sign of a point: a blank if its orbit leaves the circle of radius 2."""
    point = complex(-2.0 + 2.6 * column / (WIDTH - 1), -1.2 + 2.4 * row / (HEIGHT - 1))
    z = 0j
    for _ in range(STEPS):
        z = z * z + point
        if abs(z) > 2:
            return " "
    return "*"


def line(row):
    """A row of the picture."""
    return "".join(pixel(column, row) for column in range(WIDTH))


dealt = [list(range(rank, HEIGHT, mpi.size)) for rank in range(mpi.size)] if mpi.rank == 0 else None
rows = mpi.scatter(mpi.world, dealt, root=0)
parts = mpi.gather(mpi.world, {row: line(row) for row in rows}, root=0)
if mpi.rank == 0:
    picture = {row: text for part in parts for row, text in part.items()}
    print("\n".join(picture[row] for row in range(HEIGHT)))
    assert picture == {row: line(row) for row in range(HEIGHT)}
else:
    assert parts is None
